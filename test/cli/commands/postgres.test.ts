import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, describe, it } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { startOwnPostgres } from '../../postgres-server.ts';
import { recordedTerminal } from '../recorded-terminal.ts';
import { killAll, type ServerProcess, startServer, waitUntilListening } from '../server-process.ts';

const PASSWORD = 'pass word/é';
const MODEL = `
name: shop
version: 1.0.0
resources:
  products:
    id: client
    search: [name]
    schema:
      type: object
      required: [name]
      properties: { name: { type: string }, price: { type: string, format: decimal, x-scale: 2 } }
`;
const GROWN = MODEL.replace('price:', 'tags: { type: array, items: { type: string } }, price:').replace(
  'search: [name]',
  'search: [name, tags]',
);
const NARROWED = MODEL.replace(', price: { type: string, format: decimal, x-scale: 2 }', '');

const server = await startOwnPostgres(PASSWORD);
const folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
const model = path.join(folder, 'shop.yaml');
const passwordFile = path.join(folder, 'password');
writeFileSync(passwordFile, `${PASSWORD}\n`);
const ENVIRONMENT = { RESTWRIGHT_DATABASE_PASSWORD_FILE: passwordFile };
after(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

async function serve(database: string, ...flags: readonly string[]): Promise<{ url: string; process: ServerProcess }> {
  const process = startServer(folder, [model, '--port', '0', '--database', database, ...flags], ENVIRONMENT);
  started.push(process);
  return { url: await waitUntilListening(process), process };
}

async function command(...args: readonly string[]): Promise<{ code: number; output: string }> {
  const terminal = recordedTerminal(ENVIRONMENT);
  const code = await run(args, terminal);
  const { stdout, stderr } = terminal.written();
  return { code, output: stdout + stderr };
}

function post(url: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${url}/v1/products`, { method: 'POST', headers, body: JSON.stringify(body) });
}

describe('a text that PostgreSQL cannot store', () => {
  const importing = (file: string, database: string) =>
    command('import', model, 'products', file, '--database', database);
  const fileWith = (name: string, content: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  };

  it('[OPS-4b] [REP-7] is refused by an import on both stores, with its line and column, and without a stack', async () => {
    writeFileSync(model, MODEL);
    const csv = fileWith('nul.csv', 'id,name\na,Lamp\nb,La\0mp\nc,\uffff\nd\uffff,Lamp\n');
    const header = fileWith('header.csv', 'id,na\0me\na,Lamp\n');
    const ndjson = fileWith('nul.ndjson', `{"id":"a","name":"Lamp"}\n{"id":"b","name":"La${String.raw`\u0000`}mp"}\n`);
    for (const database of [path.join(folder, 'texts.db'), server.url('texts')]) {
      const { code, output } = await importing(csv, database);
      assert.equal(code, 1, output);
      for (const [line, column] of [
        [3, 'name'],
        [4, 'name'],
        [5, 'id'],
      ] as const)
        assert.match(
          output,
          new RegExp(`nul\\.csv:${line} REQUEST_BODY_MALFORMED .*the cell of ${column} must not contain NUL`),
        );
      assert.match((await importing(ndjson, database)).output, /nul\.ndjson:2 REQUEST_BODY_MALFORMED/);
      assert.match((await importing(header, database)).output, /header\.csv:1 REQUEST_BODY_MALFORMED .*unknown column/);
      assert.doesNotMatch(output, /\n\s+at /);
    }
  });

  it('[OPS-4b] is named by a copy with its row and its column, and nothing is copied', async () => {
    writeFileSync(model, MODEL.replace('    search: [name]\n', ''));
    const from = path.join(folder, 'old.db');
    const many = Array.from({ length: 700 }, (_, index) => `{"id":"p${index}","name":"Lamp"}`).join('\n');
    assert.equal((await importing(fileWith('many.ndjson', many), from)).code, 0);
    const old = new DatabaseSync(from);
    old.exec(`update products set name = 'La' || char(0) || 'mp' where id in ('p432', 'p433', 'p699')`);
    old.close();
    const to = server.url('copied_texts');
    const { code, output } = await command('copy', model, '--from', from, '--to', to);
    assert.equal(code, 1, output);
    assert.match(output, /the row "p432" of products cannot be stored: the text of name contains NUL/);
    const repaired = new DatabaseSync(from);
    repaired.exec(`update products set name = 'Lamp'`);
    repaired.close();
    const again = await command('copy', model, '--from', from, '--to', to);
    assert.match(again.output, /copied 700 rows/);
  });
});

describe('--database postgres://', () => {
  it('[OPS-4b] serves the model, with the password from a file, which is shown nowhere', async () => {
    writeFileSync(model, MODEL);
    const database = server.url('served');
    const first = await serve(database);
    assert.equal((await post(first.url, { id: 'a', name: 'Lamp', price: '10.5' })).status, 201);
    first.process.child.kill('SIGTERM');
    assert.equal(await first.process.exited, 0);
    const again = await serve(database, '--workers', '2');
    const found = await fetch(`${again.url}/v1/products?q=lam`);
    const page = (await found.json()) as { readonly data: readonly object[] };
    assert.equal(page.data.length, 1);
    const shown = [
      ...[first, again].map(({ process }) => process.stdout() + process.stderr()),
      ...commandLines(),
      (await command('copy', model, '--from', database, '--to', path.join(folder, 'shown.db'))).output,
      (await command('migrate', model, '--database', database, '--json')).output,
    ].join('\n');
    assert.ok(shown.includes(database), 'the command lines of the processes are among them');
    assert.ok(!shown.includes(PASSWORD) && !shown.includes(encodeURIComponent(PASSWORD)), shown);
  });

  it('[OPS-4b] shows no password of a URL, in no message', async () => {
    writeFileSync(model, MODEL);
    const url = new URL(server.url('wrong'));
    url.password = 'mistaken';
    const { code, output } = await command('migrate', model, '--database', url.href);
    assert.equal(code, 0, output);
    assert.ok(!output.includes('mistaken'), output);
    assert.match(output, /postgres:\*\*\*@localhost/);
    const terminal = recordedTerminal();
    assert.equal(await run(['migrate', model, '--database', url.href], terminal), 1);
    assert.match(terminal.written().stderr, /password authentication failed/);
    assert.ok(!terminal.written().stderr.includes('mistaken'));
  });

  it('[OPS-4d] shows the migration and makes it; what loses data needs consent', async () => {
    const database = ['--database', server.url('migrated')];
    writeFileSync(model, MODEL);
    const rows = path.join(folder, 'rows.json');
    writeFileSync(rows, JSON.stringify([{ id: 'a', name: 'Lamp', price: '1.00' }]));
    assert.equal((await command('import', model, 'products', rows, ...database)).code, 0);
    writeFileSync(model, GROWN);
    const planned = await command('migrate', model, ...database);
    assert.match(planned.output, /add column "tags"/);
    assert.match(planned.output, /Nothing was changed/);
    assert.equal((await command('migrate', model, ...database, '--apply')).code, 0);
    assert.match((await command('migrate', model, ...database)).output, /matches/);
    writeFileSync(model, NARROWED);
    const refused = await command('migrate', model, ...database, '--apply');
    assert.equal(refused.code, 1);
    assert.match(refused.output, /price is dropped with 1 value/);
    assert.equal((await command('migrate', model, ...database, '--apply', '--allow-data-loss')).code, 0);
    assert.match((await command('migrate', model, ...database)).output, /matches/);
  });

  it('[OPS-4b] is left and entered by export and import, with all values', async () => {
    writeFileSync(model, MODEL);
    const given = Array.from({ length: 30 }, (_, index) => ({
      id: `p${index}`,
      name: `n\u0001${index}`,
      price: index === 0 ? null : `${index}.50`,
    }));
    const files = ['given', 'sqlite', 'postgres', 'again'].map((name) => path.join(folder, `${name}.json`));
    const [first = '', second = '', third = '', fourth = ''] = files;
    writeFileSync(first, JSON.stringify(given));
    const sqlite = ['--database', path.join(folder, 'moved.db')];
    const postgres = ['--database', server.url('moved')];
    const back = ['--database', path.join(folder, 'back.db')];
    for (const args of [
      ['import', model, 'products', first, ...sqlite],
      ['export', model, 'products', second, ...sqlite],
      ['import', model, 'products', second, ...postgres],
      ['export', model, 'products', third, ...postgres],
      ['import', model, 'products', third, ...back],
      ['export', model, 'products', fourth, ...back],
    ]) {
      const { code, output } = await command(...args);
      assert.equal(code, 0, output);
    }
    const [left, entered, returned] = [second, third, fourth].map(readRows);
    assert.equal(left?.length, given.length);
    assert.deepEqual(entered, left);
    assert.deepEqual(returned, left);
  });
});

/** The command lines of all processes, where the system shows them as files. */
function commandLines(): readonly string[] {
  return globSync('/proc/[0-9]*/cmdline').flatMap((file) => {
    try {
      return [readFileSync(file, 'utf8')];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

/** The rows of a file, without their revisions. */
function readRows(file: string): readonly unknown[] {
  const rows: readonly Record<string, unknown>[] = JSON.parse(readFileSync(file, 'utf8'));
  return rows.map(({ revision: _revision, ...row }) => row);
}
