import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { run } from '../../../src/cli/program.ts';
import { SHOP, SHOP_MODEL, sourceFile } from '../../stores/existing/source-file.ts';
import { recordedTerminal } from '../recorded-terminal.ts';
import { killAll, program, startProgram, startServer, waitUntilListening } from '../server-process.ts';

/** The paths of a model of tables that exist, and of their file. */
function writeModel(context: TestContext): { readonly model: string; readonly database: string } {
  const database = sourceFile(context, SHOP);
  const model = path.join(path.dirname(database), 'shop.yaml');
  writeFileSync(model, SHOP_MODEL);
  return { model, database };
}

async function command(...words: readonly string[]): Promise<readonly [code: number, stdout: string, stderr: string]> {
  const terminal = recordedTerminal();
  const code = await run([...words], terminal);
  const { stdout, stderr } = terminal.written();
  return [code, stdout, stderr];
}

describe('commands with a model of tables that exist', () => {
  it('export their rows', async (context) => {
    const { model, database } = writeModel(context);
    const [code, stdout] = await command('export', model, 'customers', '-', '--database', database);
    assert.equal(code, 0);
    assert.match(stdout, /^\{"id":"1","name":"Ann","revision":\d+\}\n\{"id":"2","name":"bob","revision":\d+\}\n$/);
  });

  it('refuse to copy, to migrate and to import into a table that is only read, and leave the file as it is', async (context) => {
    const { model, database } = writeModel(context);
    const before = readFileSync(database);
    const rows = path.join(path.dirname(model), 'rows.csv');
    writeFileSync(rows, 'name\nCid\n');
    const readOnly = path.join(path.dirname(model), 'read-only.yaml');
    writeFileSync(readOnly, SHOP_MODEL.replace('table: customer,', 'table: customer, read_only: true,'));
    const [refused, , says] = await command('import', readOnly, 'customers', rows, '--database', database);
    assert.deepEqual(
      [refused, says],
      [1, 'error: cannot import into customers: the model only reads the table customer.\n'],
    );
    for (const words of [
      ['copy', model, '--from', database, '--to', `${database}.copy`],
      ['migrate', model, '--database', database, '--apply'],
    ]) {
      const [code, , stderr] = await command(...words);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /the model shows tables that exist\. Use the tools of the database/);
    }
    assert.deepEqual(readFileSync(database), before);
  });

  it('[OPS-4c] serve a SQLite file with --write, and lose nothing that is acknowledged when they are killed', async (context) => {
    const file = sourceFile(context, SHOP);
    const server = startServer(path.dirname(file), [file, '--write', '--port', '0'], {});
    context.after(() => killAll([server]));
    const url = await waitUntilListening(server);
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ name: 'Cid' });
    const created = await fetch(`${url}/v1/customers`, { method: 'POST', headers, body });
    assert.equal(created.status, 201);
    server.child.kill('SIGKILL');
    await server.exited;
    const database = new DatabaseSync(file);
    const [row] = database.prepare('select id, name from customer where id > 2').all();
    const [event] = database.prepare('select count(*) as count from restwright_events').all();
    database.close();
    assert.deepEqual([{ ...row }, { ...event }], [{ id: 3, name: 'Cid' }, { count: 1 }]);
  });

  it('refuse --write with --read-only, and with a model', async (context) => {
    const { model, database } = writeModel(context);
    for (const [words, says] of [
      [[database, '--read-only'], /contradicts --read-only/],
      [[model, '--database', database], /is no SQLite database/],
    ] as const) {
      const [code, , stderr] = await command('serve', ...words, '--write', '--port', '0');
      assert.equal(code, 2, stderr);
      assert.match(stderr, says);
    }
  });

  it('serve agents that read them, and refuse those that write rows of a view', async (context) => {
    const { model, database } = writeModel(context);
    const words = ['mcp', model, '--database', database];
    const reading = startProgram(path.dirname(model), [program, ...words]);
    assert.equal(await reading.exited, 0, reading.stderr());
    const [code, , stderr] = await command(...words, '--mcp', 'write');
    assert.equal(code, 1, stderr);
    assert.match(stderr, /cheap_films: the rows of cheap cannot be written: it is no table; set read_only: true/);
  });

  it('serve a SQLite file by its name, with a model that is written next to it once', async (context) => {
    const file = sourceFile(context, SHOP);
    const folder = path.dirname(file);
    const before = readFileSync(file);
    const model = path.join(folder, `${path.parse(file).name}.restwright.yaml`);
    for (const says of [/^wrote .*\.restwright\.yaml: \d+ resources over the tables of /m, /listening/]) {
      const server = startServer(folder, [file, '--port', '0'], {});
      context.after(() => killAll([server]));
      const url = await waitUntilListening(server);
      const page = await fetch(`${url}/v1/customers`);
      assert.equal(page.status, 200);
      assert.deepEqual(
        ((await page.json()) as { data: readonly { name: string }[] }).data.map(({ name }) => name),
        ['Ann', 'bob'],
      );
      const written = await fetch(`${url}/v1/customers`, { method: 'POST', body: '{}' });
      assert.deepEqual([written.status, written.headers.get('allow')], [405, 'GET, HEAD, QUERY, OPTIONS']);
      server.child.kill('SIGTERM');
      assert.equal(await server.exited, 0);
      assert.match(server.stderr(), says);
    }
    assert.match(readFileSync(model, 'utf8'), /^ {2}customers:\n {4}table: /m);
    assert.deepEqual(readFileSync(file), before);
    const left = readdirSync(folder).filter((name) => name !== path.basename(file) && name !== path.basename(model));
    assert.deepEqual(left, []);
  });

  it('refuse to serve a SQLite file with another database, and one without tables', async (context) => {
    const file = sourceFile(context, SHOP);
    const [code, , stderr] = await command('serve', file, '--database', 'other.db', '--port', '0');
    assert.equal(code, 2, stderr);
    assert.match(stderr, /is the database\. Name the model in its place, or leave out --database/);
    const empty = sourceFile(context, '');
    const [failed, , message] = await command('serve', empty, '--port', '0');
    assert.equal(failed, 1, message);
    assert.match(message, /it has no table/);
  });
});
