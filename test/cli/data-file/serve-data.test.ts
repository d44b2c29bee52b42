import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { prepareData } from '../../../src/cli/data-file/serve-data.ts';
import { describeData, fileKind } from '../../../src/cli/data-file/data-file.ts';
import { run } from '../../../src/cli/program.ts';
import type { Terminal } from '../../../src/cli/terminal/terminal.ts';
import { recordedTerminal } from '../recorded-terminal.ts';
import { killAll, startServer, waitUntilListening } from '../server-process.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'serve-data-'));
});
after(() => rm(folder, { recursive: true }));

/** A data file in a new folder. @returns its path */
async function dataFile(name: string, text: string): Promise<string> {
  const file = path.join(await mkdtemp(path.join(folder, 'work-')), name);
  await writeFile(file, text);
  return file;
}

/** Prepares a file as `serve` does. @returns standard error, and the exported rows of a collection */
async function prepare(file: string, collection: string): Promise<{ stderr: string; rows: readonly string[] }> {
  const terminal = recordedTerminal();
  const found = await fileKind(file);
  assert.ok(found.kind === 'data');
  const prepared = await prepareData(found.data, {}, terminal);
  assert.ok(prepared.kind === 'ready');
  const exporting = recordedTerminal();
  await run(['export', prepared.model, collection, '--database', prepared.database], exporting);
  const lines = exporting.written().stdout.trimEnd().split('\n');
  return {
    stderr: terminal.written().stderr,
    rows: lines.map((line) => line.replace(/,"created_at".*/, '}')),
  };
}

/**
 * A terminal whose user stops the program when the progress of the import is shown: after the first chunk of rows is
 * committed.
 */
function stoppedAfterFirstChunk(): Terminal {
  const terminal = recordedTerminal();
  const write = (text: string): void => {
    if (text.startsWith('\r\u001b[Krows ')) terminal.stop.abort('SIGINT');
  };
  return { ...terminal, stderr: { isTTY: true, write } };
}

const DB = `{
  "posts": [{ "id": 1, "title": "Hello", "userId": 7 }, { "id": 2, "title": "World", "userId": 7 }],
  "users": [{ "id": 7, "name": "Ann" }],
  "profile": { "name": "typicode" }
}`;

describe('serving a data file', () => {
  it('writes the model next to it, imports the rows, and serves them', async () => {
    const file = await dataFile('db.json', DB);
    const server = startServer(path.dirname(file), ['db.json', '--port', '0']);
    try {
      const url = await waitUntilListening(server);
      const post = JSON.parse(await (await fetch(`${url}/v1/posts/2?expand=user`)).text());
      assert.deepEqual([post.title, post.user_id, post.user.name], ['World', '7', 'Ann']);
      const { data } = JSON.parse(await (await fetch(`${url}/v1/profile`)).text());
      assert.equal(data[0].name, 'typicode');
      assert.match(
        server.stderr(),
        /^wrote db\.restwright\.yaml: posts \(2 rows\), users \(1 row\), profile \(1 row\)\n/,
      );
      assert.match(server.stderr(), /users: imported 1 row\nposts: imported 2 rows\n/);
      assert.ok(existsSync(path.join(path.dirname(file), 'data', 'db.db')));
    } finally {
      await killAll([server]);
    }
  });

  for (const [name, text] of [
    ['cities.csv', 'id,name,Is Capital\n1,Oslo,TRUE\n2,"Bergen, old",FALSE\n'],
    ['cities.ndjson', '{"id":1,"name":"Oslo","isCapital":true}\n\n{"id":2,"name":"Bergen, old","isCapital":false}\n'],
    ['cities.json', '[{"id":1,"name":"Oslo","isCapital":true},{"id":2,"name":"Bergen, old","isCapital":false}]'],
  ] as const) {
    it(`names the collection after the file: ${name}`, async () => {
      const { rows } = await prepare(await dataFile(name, text), 'cities');
      assert.deepEqual(rows, [
        '{"id":"1","name":"Oslo","is_capital":true}',
        '{"id":"2","name":"Bergen, old","is_capital":false}',
      ]);
    });
  }

  it('imports the rows once, and says so at the second start', async () => {
    const file = await dataFile('db.json', DB);
    await prepare(file, 'posts');
    const second = await prepare(file, 'posts');
    assert.match(second.stderr, /^\S*db\.json is already imported; its rows are in \S+db\.db\n$/);
    assert.equal(second.rows.length, 2);
  });

  it('does not import a file again that has changed, and names what to delete', async () => {
    const file = await dataFile('db.json', DB);
    await prepare(file, 'posts');
    await writeFile(file, DB.replace('"Hello"', '"Bye"'));
    const { stderr, rows } = await prepare(file, 'posts');
    assert.match(
      stderr,
      /^warning: \S+ has changed since it was imported\. It is not imported again.* delete \S+db\.db and \S+\.yaml/,
    );
    assert.equal(rows[0], '{"id":"1","title":"Hello","user_id":"7"}');
    await writeFile(file, DB);
    assert.match((await prepare(file, 'posts')).stderr, /is already imported/);
  });

  it('uses a model that exists, with the changes that were made to it', async () => {
    const file = await dataFile('db.json', DB);
    await prepare(file, 'posts');
    const model = path.join(path.dirname(file), 'db.restwright.yaml');
    const text = await readFile(model, 'utf8');
    await writeFile(
      model,
      text.replace('user_id: {', 'writer_id: {').replace('[title, user_id]', '[title, writer_id]'),
    );
    await rm(path.join(path.dirname(file), 'data'), { recursive: true });
    const { stderr, rows } = await prepare(file, 'posts');
    assert.doesNotMatch(stderr, /wrote/);
    assert.equal(rows[0], '{"id":"1","title":"Hello","writer_id":"7"}');
  });

  it('resumes an interrupted import with the first row that is not in the database', async () => {
    const lines = Array.from({ length: 2_500 }, (_, index) => `{"n":${index}}`);
    const file = await dataFile('rows.ndjson', lines.join('\n'));
    const first = await prepareData(await describeData(file, 'ndjson', {}), {}, stoppedAfterFirstChunk());
    assert.deepEqual(first, { kind: 'incomplete', exitCode: 130 });
    const { rows, stderr } = await prepare(file, 'rows');
    assert.match(stderr, /imported 1,500 rows more; /);
    assert.equal(rows.length, 2_500);
    assert.equal(new Set(rows.map((row) => /"n":(\d+)/.exec(row)?.[1])).size, 2_500);
  });

  it('does not resume with another file', async () => {
    const lines = Array.from({ length: 1_500 }, (_, index) => `{"id":"r${index}"}`);
    const file = await dataFile('rows.ndjson', `${lines.join('\n')}\n`);
    await prepareData(await describeData(file, 'ndjson', {}), {}, stoppedAfterFirstChunk());
    await appendFile(file, '{"id":"more"}\n');
    await assert.rejects(prepare(file, 'rows'), /has changed since part of it was imported; delete .*rows\.db/);
  });
});

describe('the kind of a file', () => {
  const rows: readonly [name: string, text: string, kind: string][] = [
    ['a.json', '{"name":"x","resources":{"a":{}}}', 'model'],
    ['b.json', '{"resources":[{"a":1}]}', 'data'],
    ['c.json', ' [', 'data'],
    ['d.json', '{"posts":[],"count":5}', 'data'],
    ['e.json', '{"name":"x"}', 'model'],
    ['f.json', 'not JSON', 'model'],
    ['g.json', '{"openapi":"3.1.0","tags":[]}', 'open-api'],
    ['h.yaml', 'a: []', 'model'],
    ['i.csv', '', 'data'],
    ['j.jsonl', '', 'data'],
    ['k.ts', '', 'model'],
    ['l.yaml', '# Pets\nopenapi: 3.1.0\npaths: {}', 'open-api'],
  ];
  for (const [name, text, kind] of rows) {
    it(`is ${kind}: ${name} with ${text}`, async () => {
      assert.equal((await fileKind(await dataFile(name, text))).kind, kind);
    });
  }

  it('is neither data nor a model: the message says what each looks like', async () => {
    const file = await dataFile('a.json', '{ "users": { "id": 7 } }');
    await assert.rejects(fileKind(file), /neither a model nor a data file\. .* array of objects/);
  });
});
