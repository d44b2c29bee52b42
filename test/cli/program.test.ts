import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { run } from '../../src/cli/program.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { startApi } from '../../src/start-api.ts';
import { recordedTerminal } from './recorded-terminal.ts';

const VALID = `
name: shop
version: 1.0.0
resources:
  products:
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string, minLength: 1 }
        price: { type: number, minimum: 0 }
`;
const INVALID = VALID.replace('type: number', 'type: numeric').replace('minLength: 1', 'minLength: x');

let folder = '';
let valid = '';
let invalid = '';
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'program-'));
  valid = path.join(folder, 'valid.yaml');
  invalid = path.join(folder, 'invalid.yaml');
  await writeFile(valid, VALID);
  await writeFile(invalid, INVALID);
});
after(() => rm(folder, { recursive: true }));

async function command(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const terminal = recordedTerminal();
  const code = await run(args, terminal);
  return { code, ...terminal.written() };
}

describe('restwright', () => {
  it('prints help with examples and exit codes, and lists only implemented commands', async () => {
    const { code, stdout } = await command('--help');
    assert.equal(code, 0);
    assert.match(stdout, /Examples:\n {2}restwright init\n {2}restwright check shop\.yaml/);
    assert.match(stdout, /Exit codes: 0 success, 1 failure, 2 incorrect usage/);
    const commands = [...stdout.matchAll(/^ {2}(\w+) .*(?:<|\[|  )/gm)].map(([, name]) => name);
    assert.deepEqual(
      commands.filter((name) => name !== 'restwright'),
      COMMANDS.map((each) => each.name).concat('help'),
    );
  });

  for (const { name } of COMMANDS) {
    it(`prints help for ${name} with examples`, async () => {
      const { code, stdout } = await command(name, '--help');
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Usage: restwright ${name} `));
      assert.match(stdout, new RegExp(`Examples:\n {2}restwright ${name}`));
    });
  }

  it('groups commands and options under headings', async () => {
    const { stdout } = await command('--help');
    assert.match(
      stdout,
      /^Serving:\n {2}serve .+\n {2}mcp .+\n\nModels:\n {2}init [^]+\n {2}check .+\n {2}diff .+\n {2}versions .+\n {2}schema .+\n {2}openapi .+\n {2}asyncapi .+\n {2}client .+\n\nData:\n {2}import /m,
    );
    const serve = await command('serve', '--help');
    assert.match(serve.stdout, /^Address:\n {2}--port .+[^]+^ {2}--insecure-public [^]+^Database:\n {2}--database /m);
  });

  const same: readonly (readonly [args: readonly string[], long: readonly string[]])[] = [
    [['-h'], ['--help']],
    [['help'], ['--help']],
    [['help', 'help'], ['--help']],
    [
      ['help', 'serve'],
      ['serve', '--help'],
    ],
    [
      ['serve', '-h'],
      ['serve', '--help'],
    ],
    [['-v'], ['--version']],
  ];
  for (const [args, long] of same) {
    it(`prints for ${args.join(' ')} what it prints for ${long.join(' ')}`, async () => {
      const printed = await command(...args);
      assert.deepEqual(printed, await command(...long));
      assert.deepEqual([printed.code, printed.stderr], [0, '']);
    });
  }

  it('prints its version', async () => {
    const { code, stdout } = await command('--version');
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });

  const wrong: readonly [args: readonly string[], expected: RegExp][] = [
    [[], /Usage: restwright/],
    [['serv'], /unknown command 'serv'\n\(Did you mean serve\?\)/],
    [['serv', '--help'], /unknown command 'serv'\n\(Did you mean serve\?\)/],
    [['help', 'serv'], /unknown command 'serv'\n\(Did you mean serve\?\)/],
    [['help', 'conform'], /restwright conform is not supported by this version/],
    [['serve'], /there is no model in this folder: looked for restwright\.\{yaml,.*restwright init/],
    [['import', 'products'], /missing required argument 'file'/],
    [['export', 'shop.yaml'], /missing required argument 'collection'/],
    [
      ['serve', 'shop.yaml', '--prot', '1'],
      /unknown option '--prot'\n\(Did you mean --port\?\)\nRun `restwright serve --help` for its arguments and options\./,
    ],
    [
      ['serve', 'shop.yaml', '--insecure'],
      /'--insecure'\n\(Did you mean --insecure-public\?\)\nRun `restwright serve --help` /,
    ],
    [['serve', 'shop.yaml', '--colour'], /'--colour'\nRun `restwright serve --help` /],
    [['import', 'shop.yaml', 'products', 'x', '--databse', 'y'], /'--databse'\n\(Did you mean --database\?\)/],
    [['serve', 'shop.yaml', 'more'], /too many arguments/],
    [['serve', 'shop.yaml', '--port', 'x'], /--port: 'x' is not a valid port/],
    [['serve', 'no-such.yaml'], /cannot read the model no-such\.yaml: no such file/],
    [['serve', 'shop.ts'], /cannot read the model shop\.ts: no such file/],
    [['serve', 'shop.yaml', '--metrics-port', 'x'], /--metrics-port: 'x' is not a valid port/],
    [
      ['serve', 'shop.yaml', '--metrics-host', '::1'],
      /--metrics-host: the metrics have an address, but no port; pass --metrics-port, too/,
    ],
    [
      ['serve', 'shop.yaml', '--workers', 'many'],
      /--workers: 'many' is not a valid number of workers; use a number from 1 to 64/,
    ],
    [['serve', 'shop.yaml', '--workers', '2', '--dev'], /--dev reloads the model in a single process/],
    [['diff'], /missing required argument 'old'/],
    [['diff', 'no-such.yaml', 'shop.yaml'], /the old model: cannot read the model no-such\.yaml: no such file/],
    [['conform', 'http://x', '--token', 'y'], /restwright conform is not supported by this version/],
    [['conform', '--help'], /restwright conform is not supported by this version/],
    [['import', 'shop.yaml', 'products', '-'], /cannot import from standard input/],
    [['import', 'shop.yaml', 'products', 'no-such.ndjson'], /cannot read no-such\.ndjson: no such file/],
    [
      ['import', 'shop.yaml', 'products', '.', '--format', 'xml'],
      /'xml' is not a valid format; use ndjson, json or csv/,
    ],
    [['export', 'shop.yaml', 'products', '--json'], /name a file for the rows/],
    [['import', 'shop.yaml', 'products', '.'], /it is not a regular file/],
  ];
  for (const [args, expected] of wrong) {
    it(`refuses incorrect usage on standard error: ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await command(...args);
      assert.equal(code, 2);
      assert.equal(stdout, '');
      assert.match(stderr, expected);
    });
  }
});

describe('restwright serve', () => {
  it('[AUTH-7] refuses an address of other machines without authentication, and names auth', async () => {
    const { code, stdout, stderr } = await command('serve', valid, '--host', '0.0.0.0');
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /`auth`/);
  });
});

describe('restwright check', () => {
  it('exits with 0 for a valid model', async () => {
    const { code, stdout } = await command('check', valid);
    assert.equal(code, 0);
    assert.match(stdout, /valid\.yaml is valid\n/);
  });

  it('exits with 1 and prints every error with its location', async () => {
    const { code, stdout } = await command('check', invalid);
    assert.equal(code, 1);
    assert.match(stdout, /invalid\.yaml:10:\d+: resources\.products\.schema\.properties\.name/);
    assert.match(stdout, /invalid\.yaml:11:\d+: resources\.products\.schema\.properties\.price/);
    assert.match(stdout, /has 2 errors\n$/);
  });

  it('prints the result as JSON', async () => {
    const yes = await command('check', valid, '--json');
    assert.equal(yes.code, 0);
    const { ok, faults } = JSON.parse(yes.stdout);
    assert.deepEqual({ ok, faults }, { ok: true, faults: [] });
    const no = await command('check', invalid, '--json');
    assert.equal(no.code, 1);
    assert.deepEqual(
      JSON.parse(no.stdout).faults.map(({ line }: { line: number }) => line),
      [10, 11],
    );
  });
});

describe('restwright schema', () => {
  it('prints a JSON Schema', async () => {
    const { code, stdout } = await command('schema');
    assert.equal(code, 0);
    assert.match(JSON.parse(stdout).$schema, /2020-12/);
  });
});

describe('a command that needs a model', () => {
  it('prints every error of the model and exits with 1', async () => {
    const { code, stdout, stderr } = await command('serve', invalid);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /invalid\.yaml:10:.*\n.*invalid\.yaml:11:/);
  });
});

describe('restwright import', () => {
  it('imports rows, prints their number, and imports none the second time', async () => {
    const file = path.join(folder, 'products.ndjson');
    await writeFile(file, '{"name":"Lamp","price":5}\n{"name":"Desk"}\n');
    const args = ['import', valid, 'products', file, '--database', `sqlite:${path.join(folder, 'new', 'shop.db')}`];
    const first = await command(...args);
    assert.deepEqual([first.code, first.stdout], [0, '']);
    assert.match(first.stderr, /products: imported 2 rows\n$/);
    const second = await command(...args, '--json');
    assert.equal(second.code, 0);
    const { outcome, rows } = JSON.parse(second.stdout);
    assert.deepEqual({ outcome, rows }, { outcome: 'complete', rows: 0 });
  });

  it('prints every invalid line with its number and details, imports none of them, and resumes once they are corrected', async () => {
    const file = path.join(folder, 'invalid.ndjson');
    const args = ['import', valid, 'products', file, '--database', `sqlite:${path.join(folder, 'invalid.db')}`];
    await writeFile(file, '{"name":"Lamp"}\n{"name":""}\n{"name":\n{"name":"Desk","price":-1,"size":2}\n');
    const { code, stderr } = await command(...args);
    assert.equal(code, 1);
    assert.match(stderr, /invalid\.ndjson:2 PRODUCT_INVALID .*\n {2}name: /);
    assert.match(stderr, /invalid\.ndjson:3 REQUEST_BODY_MALFORMED /);
    assert.match(stderr, /invalid\.ndjson:4 PRODUCT_INVALID .*\n {2}(?:price|size): .*\n {2}(?:price|size): /);
    assert.match(stderr, /imported 0 rows and stopped: lines 1 to 4 were not imported/);
    await writeFile(file, '{"name":"Lamp"}\n{"name":"Chair"}\n');
    assert.match((await command(...args)).stderr, /imported 2 rows\n$/);
  });

  for (const [flags, events] of [
    [[], 2],
    [['--no-events'], 0],
  ] as const) {
    it(`[EVT-2] publishes ${events} events for two rows, flags: ${flags.join(' ') || 'none'}`, async () => {
      const file = path.join(folder, 'events.ndjson');
      await writeFile(file, '{"name":"Lamp"}\n{"name":"Desk"}\n');
      const database = path.join(folder, `events${events}.db`);
      const { code, stderr } = await command('import', valid, 'products', file, '--database', database, ...flags);
      assert.deepEqual([code, stderr], [0, 'products: imported 2 rows\n']);
      const { model } = loadModel({ file: valid, text: VALID, env: {} });
      await using opened = await startApi({ model, database });
      assert.equal((await opened.store.events.after(0, 10)).length, events);
    });
  }

  it('refuses an unknown collection, and names the existing ones', async () => {
    const file = path.join(folder, 'other.ndjson');
    await writeFile(file, '');
    const { code, stderr } = await command('import', valid, 'customers', file);
    assert.equal(code, 2);
    assert.match(stderr, /no collection 'customers'; it has products\./);
  });

  it('imports nothing and exits with the code of the signal when it is stopped before it starts', async () => {
    const file = path.join(folder, 'stopped.ndjson');
    await writeFile(file, '{"name":"Lamp"}\n');
    const terminal = recordedTerminal();
    terminal.stop.abort('SIGINT');
    const database = `sqlite:${path.join(folder, 'stopped.db')}`;
    assert.equal(await run(['import', valid, 'products', file, '--database', database], terminal), 130);
    assert.match(terminal.written().stderr, /stopped after importing 0 rows; run the same command again/);
  });
});
