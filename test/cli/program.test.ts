import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { run } from '../../src/cli/program.ts';
import { recordedTerminal } from './recorded-terminal.ts';

const GOOD = `
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
const FAULTY = GOOD.replace('type: number', 'type: numeric').replace('minLength: 1', 'minLength: x');

let folder = '';
let good = '';
let faulty = '';
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'program-'));
  good = path.join(folder, 'good.yaml');
  faulty = path.join(folder, 'faulty.yaml');
  await writeFile(good, GOOD);
  await writeFile(faulty, FAULTY);
});
after(() => rm(folder, { recursive: true }));

async function command(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const terminal = recordedTerminal();
  const code = await run(args, terminal);
  return { code, ...terminal.written() };
}

describe('restwright', () => {
  it('prints help with examples and exit codes, listing only what works', async () => {
    const { code, stdout } = await command('--help');
    assert.equal(code, 0);
    assert.match(stdout, /Examples:\n {2}restwright check shop\.yaml/);
    assert.match(stdout, /Exit codes: 0 done, 1 the answer is no, 2 wrong usage/);
    const commands = [...stdout.matchAll(/^ {2}(\w+) .*(?:<|\[|  )/gm)].map(([, name]) => name);
    assert.deepEqual(
      commands.filter((name) => name !== 'restwright'),
      ['serve', 'check', 'schema', 'import', 'export'],
    );
  });

  for (const name of ['serve', 'check', 'schema', 'import', 'export']) {
    it(`prints help for ${name} with examples`, async () => {
      const { code, stdout } = await command(name, '--help');
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Usage: restwright ${name} `));
      assert.match(stdout, new RegExp(`Examples:\n {2}restwright ${name}`));
      assert.doesNotMatch(stdout, /--redis|--metrics-port/);
    });
  }

  it('prints its version', async () => {
    const { code, stdout } = await command('--version');
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });

  const wrong: readonly [args: readonly string[], says: RegExp][] = [
    [[], /Usage: restwright/],
    [['serv'], /unknown command 'serv'.*\n?.*serve/s],
    [['serve'], /missing required argument 'model'/],
    [['serve', 'shop.yaml', '--prot', '1'], /unknown option '--prot'/],
    [['serve', 'shop.yaml', 'more'], /too many arguments/],
    [['serve', 'shop.yaml', '--port', 'x'], /--port: 'x' is no port/],
    [['serve', 'shop.yaml', '--host', '0.0.0.0'], /`auth`/],
    [['serve', 'no-such.yaml'], /cannot read the model no-such\.yaml: there is no such file/],
    [['serve', 'shop.ts'], /cannot read the model shop\.ts: there is no such file/],
    [['serve', 'shop.yaml', '--redis', 'redis://x'], /--redis is not yet in this version/],
    [['serve', 'shop.yaml', '--workers', 'many'], /--workers: 'many' is no number of processes; use one from 1 to 64/],
    [['serve', 'shop.yaml', '--workers', '2', '--dev'], /--dev exchanges the model of one process/],
    [['migrate', 'shop.yaml', '--apply'], /restwright migrate is not yet in this version/],
    [['conform', 'http://x', '--token', 'y'], /restwright conform is not yet in this version/],
    [['openapi', '--help'], /restwright openapi is not yet in this version/],
    [['import', 'shop.yaml', 'products', '-'], /reads a file, not standard input/],
    [['import', 'shop.yaml', 'products', 'no-such.ndjson'], /cannot read no-such\.ndjson: there is no such file/],
    [['import', 'shop.yaml', 'products', '.', '--format', 'xml'], /'xml' is no format; use ndjson, json or csv/],
    [['export', 'shop.yaml', 'products', '--json'], /name a file for the rows/],
    [['import', 'shop.yaml', 'products', '.'], /it is not a file/],
  ];
  for (const [args, says] of wrong) {
    it(`refuses as wrong usage, on standard error: ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await command(...args);
      assert.equal(code, 2);
      assert.equal(stdout, '');
      assert.match(stderr, says);
    });
  }
});

describe('restwright check', () => {
  it('answers yes for a model that can be served', async () => {
    const { code, stdout } = await command('check', good);
    assert.equal(code, 0);
    assert.match(stdout, /good\.yaml is valid\n$/);
  });

  it('answers no with every fault, each with its place', async () => {
    const { code, stdout } = await command('check', faulty);
    assert.equal(code, 1);
    assert.match(stdout, /faulty\.yaml:10:\d+: resources\.products\.schema\.properties\.name/);
    assert.match(stdout, /faulty\.yaml:11:\d+: resources\.products\.schema\.properties\.price/);
    assert.match(stdout, /has 2 faults\n$/);
  });

  it('tells it as JSON', async () => {
    const yes = await command('check', good, '--json');
    assert.equal(yes.code, 0);
    const { ok, faults } = JSON.parse(yes.stdout);
    assert.deepEqual({ ok, faults }, { ok: true, faults: [] });
    const no = await command('check', faulty, '--json');
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
  it('tells every fault of it and answers no', async () => {
    const { code, stdout, stderr } = await command('serve', faulty);
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /faulty\.yaml:10:.*\n.*faulty\.yaml:11:/);
  });
});

describe('restwright import', () => {
  it('brings rows in, says how many, and has nothing to do the second time', async () => {
    const file = path.join(folder, 'products.ndjson');
    await writeFile(file, '{"name":"Lamp","price":5}\n{"name":"Desk"}\n');
    const args = ['import', good, 'products', file, '--database', `sqlite:${path.join(folder, 'new', 'shop.db')}`];
    const first = await command(...args);
    assert.deepEqual([first.code, first.stdout], [0, '']);
    assert.match(first.stderr, /products: imported 2 rows\n$/);
    const second = await command(...args, '--json');
    assert.equal(second.code, 0);
    const { outcome, rows } = JSON.parse(second.stdout);
    assert.deepEqual({ outcome, rows }, { outcome: 'complete', rows: 0 });
  });

  it('tells every faulty line with its number and details, keeps nothing of them, and goes on once they are corrected', async () => {
    const file = path.join(folder, 'faulty.ndjson');
    const args = ['import', good, 'products', file, '--database', `sqlite:${path.join(folder, 'faulty.db')}`];
    await writeFile(file, '{"name":"Lamp"}\n{"name":""}\n{"name":\n{"name":"Desk","price":-1,"size":2}\n');
    const { code, stderr } = await command(...args);
    assert.equal(code, 1);
    assert.match(stderr, /faulty\.ndjson:2 PRODUCT_INVALID .*\n {2}name: /);
    assert.match(stderr, /faulty\.ndjson:3 REQUEST_BODY_MALFORMED /);
    assert.match(stderr, /faulty\.ndjson:4 PRODUCT_INVALID .*\n {2}(?:price|size): .*\n {2}(?:price|size): /);
    assert.match(stderr, /imported 0 rows and stopped: nothing was kept of the lines from 1 to 4/);
    await writeFile(file, '{"name":"Lamp"}\n{"name":"Chair"}\n');
    assert.match((await command(...args)).stderr, /imported 2 rows\n$/);
  });

  it('refuses a collection that the model lacks, naming those it has', async () => {
    const file = path.join(folder, 'other.ndjson');
    await writeFile(file, '');
    const { code, stderr } = await command('import', good, 'customers', file);
    assert.equal(code, 2);
    assert.match(stderr, /no collection 'customers'; it has products\./);
  });

  it('asked to stop before it has begun, writes nothing and ends with the code of the signal', async () => {
    const file = path.join(folder, 'stopped.ndjson');
    await writeFile(file, '{"name":"Lamp"}\n');
    const terminal = recordedTerminal();
    terminal.stop.abort('SIGINT');
    const database = `sqlite:${path.join(folder, 'stopped.db')}`;
    assert.equal(await run(['import', good, 'products', file, '--database', database], terminal), 130);
    assert.match(terminal.written().stderr, /stopped after 0 rows, all of them kept; run the same command again/);
  });
});
