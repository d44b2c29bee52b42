import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { run } from '../../../src/cli/program.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { resource, withServices } from '../../../src/index.ts';
import { startApi, type StartedApi } from '../../../src/start-api.ts';
import { until } from '../../events/webhooks/scene.ts';
import { rawRequest, type Seen, seen } from '../../pipeline/support/api-under-test.ts';
import { startPostgres } from '../../postgres-server.ts';
import { linkedAnswers } from '../copy/linked-answers.ts';
import { recordedTerminal } from '../recorded-terminal.ts';

const MODEL = `
name: shop
resources:
  suppliers: { id: client, schema: { type: object, properties: { name: { type: string } } } }
  products:
    id: client
    search: [name, details.text]
    indexes: [price, name]
    idempotency: optional
    tombstones: 30d
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string }
        price: { type: string, format: decimal, x-precision: 12, x-scale: 2 }
        weight: { type: string, format: decimal }
        serial: { type: string, format: int64 }
        factor: { type: number }
        sold: { type: boolean }
        image: { type: string, contentEncoding: base64 }
        made_at: { type: string, format: date-time }
        details: { type: object, properties: { text: { type: string } } }
        names: { type: object, additionalProperties: { type: string } }
        supplier_ids: { type: array, items: { type: string, x-references: { resource: suppliers, as: suppliers } } }
        next_id: { type: string, x-references: { resource: products, as: next } }
`;

const server = await startPostgres();
const folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
const modelFile = path.join(folder, 'shop.yaml');
writeFileSync(modelFile, MODEL);
const { model } = loadModel({ text: MODEL });
after(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

let made = 0;
const newFile = (): string => path.join(folder, `${(made += 1)}.db`);
const newSchema = (): string => server.url(`copied_${process.pid}_${(made += 1)}`);

async function copy(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const terminal = recordedTerminal();
  const code = await run(['copy', modelFile, ...args], terminal);
  const { stdout, stderr } = terminal.written();
  return { code, output: stdout + stderr };
}

function open(database: string): Promise<StartedApi> {
  return startApi({ model, database, dispatch: false });
}

async function send({ api }: StartedApi, request: string, body?: unknown, key?: string): Promise<Seen> {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return seen(await api.handle(rawRequest({ send: request, body, headers })));
}

const PRODUCT = {
  name: 'Lámp',
  price: '9999999999.90',
  weight: '0.000000000000000000001',
  serial: '9223372036854775807',
  factor: 1e-7,
  sold: true,
  image: 'AP8=',
  made_at: '0001-01-01T00:00:00.001Z',
  details: { text: 'a "quoted" \\ {text}' },
  names: { b: 'x', a: 'y', '1': 'z' },
};

/** A file with rows of all types, a deleted one, and a request that may be repeated. */
async function filled(): Promise<string> {
  const file = newFile();
  await using opened = await open(file);
  await send(opened, 'PUT /api/v1/suppliers/s', { name: 'S' });
  const products = ['c', 'a', 'b'].map((id, at) => ({ ...PRODUCT, id, next_id: at === 0 ? null : 'c' }));
  for (const product of products) {
    const { status, text } = await send(
      opened,
      'POST /api/v1/products',
      { ...product, supplier_ids: ['s'] },
      product.id,
    );
    assert.equal(status, 201, text);
  }
  await send(opened, 'POST /api/v1/products', { id: 'd', name: 'nothing' });
  assert.equal((await send(opened, 'DELETE /api/v1/products/b')).status, 204);
  return file;
}

const STARTS = [
  '/api/v1/products?limit=1',
  '/api/v1/products?q=quot',
  '/api/v1/products?sort=-price&limit=2',
  '/api/events',
];

for (const [what, target] of [
  ['SQLite', newFile],
  ['PostgreSQL', newSchema],
] as const) {
  describe(`a copy of a database in ${what}`, () => {
    it('[OPS-4b] has the same rows, events and cursors', async () => {
      const [file, to] = [await filled(), target()];
      const { code, output } = await copy('--from', file, '--to', to);
      assert.equal(code, 0, output);
      assert.match(output, /^copied 4 rows and 6 events from /);
      await using before = await open(file);
      await using copied = await open(to);
      assert.deepEqual(await linkedAnswers(copied.api, STARTS), await linkedAnswers(before.api, STARTS));
    });

    it('[OPS-4b] continues with the next revision and sequence, and knows deleted rows and repeated requests', async () => {
      const [file, to] = [await filled(), target()];
      assert.equal((await copy('--from', file, '--to', to)).code, 0);
      await using copied = await open(to);
      assert.equal((await send(copied, 'GET /api/v1/products/b')).status, 410);
      const repeated = await send(
        copied,
        'POST /api/v1/products',
        { ...PRODUCT, id: 'a', next_id: 'c', supplier_ids: ['s'] },
        'a',
      );
      assert.equal(repeated.status, 201, repeated.text);
      const next = await send(copied, 'POST /api/v1/products', { id: 'e', name: 'next' });
      assert.equal(next.body.revision, 7);
      const events = await copied.store.events.after(0, 100);
      assert.deepEqual(
        events.map(({ metadata }) => Number(metadata.sequence)),
        [1, 2, 3, 4, 5, 6, 7],
      );
      const referred = await send(copied, 'DELETE /api/v1/suppliers/s');
      assert.equal(referred.status, 409, referred.text);
    });
  });
}

describe('restwright copy', () => {
  it('[OPS-4b] returns from PostgreSQL to SQLite', async () => {
    const [first, middle, last] = [await filled(), newSchema(), newFile()];
    assert.equal((await copy('--from', first, '--to', middle)).code, 0);
    const { code, output } = await copy('--from', middle, '--to', last, '--json');
    assert.equal(code, 0, output);
    assert.deepEqual(JSON.parse(output), {
      from: middle,
      to: last,
      outcome: 'copied',
      rows: 4,
      events: 6,
    });
    await using before = await open(first);
    await using back = await open(last);
    assert.deepEqual(await linkedAnswers(back.api, STARTS), await linkedAnswers(before.api, STARTS));
  });

  for (const [what, target] of [
    ['a file', filled],
    [
      'a schema',
      async (): Promise<string> => {
        const schema = newSchema();
        await using opened = await open(schema);
        await send(opened, 'PUT /api/v1/suppliers/s', { name: 'S' });
        return schema;
      },
    ],
  ] as const) {
    it(`[OPS-4b] refuses ${what} that is not empty, and changes nothing in it`, async () => {
      const to = await target();
      const { code, output } = await copy('--from', await filled(), '--to', to);
      assert.equal(code, 1);
      assert.match(
        output,
        /is not empty: \d changes of rows and \d events were written to it\. Name a new file, or another schema, with --to\./,
      );
      await using opened = await open(to);
      assert.equal((await send(opened, 'GET /api/v1/suppliers/s')).status, 200);
    });
  }

  for (const [what, target] of [
    ['a file', newFile],
    ['a schema', newSchema],
  ] as const) {
    it(`[OPS-4b] leaves ${what} empty where it is stopped, and starts again`, async () => {
      const [from, to] = [await filled(), target()];
      const terminal = recordedTerminal();
      terminal.stop.abort('SIGINT');
      assert.equal(await run(['copy', modelFile, '--from', from, '--to', to], terminal), 130);
      assert.match(
        terminal.written().stderr,
        /stopped; .* is unchanged\. Run the same command again to copy everything\./,
      );
      const { code, output } = await copy('--from', from, '--to', to);
      assert.equal(code, 0, output);
    });
  }

  it('[OPS-4b] refuses a source that is missing, or does not match the model', async () => {
    const missing = newFile();
    const absent = await copy('--from', missing, '--to', newFile());
    assert.equal(absent.code, 1);
    assert.match(absent.output, /does not exist; select another one with --from/);
    assert.ok(!existsSync(missing));
    const other = newFile();
    const { model: changed } = loadModel({ text: MODEL.replace('sold:', 'bought:') });
    await (await startApi({ model: changed, database: other, dispatch: false })).close();
    const unmatched = await copy('--from', other, '--to', newFile());
    assert.equal(unmatched.code, 1);
    assert.match(unmatched.output, /does not match .*\. Migrate it first: restwright migrate .* --apply/);
  });

  it('[OPS-4b] refuses a value that PostgreSQL has no room for in an index, and leaves the schema empty', async () => {
    const [from, to] = [newFile(), newSchema()];
    {
      await using opened = await open(from);
      assert.equal((await send(opened, 'POST /api/v1/products', { id: 'a', name: 'Lamp' })).status, 201);
    }
    // An earlier version had no limit.
    const file = new Database(from);
    file.function('restwright_words', { varargs: true }, (...texts) => texts.join(' '));
    file.prepare('update products set name = ?').run(randomBytes(4_000).toString('hex'));
    file.close();
    const { code, output } = await copy('--from', from, '--to', to);
    assert.equal(code, 1);
    assert.match(
      output,
      /the copy failed, and the target is unchanged: a row of an earlier version has values that are too long for an index of PostgreSQL\. Shorten them, or remove the index from the model: .*name/,
    );
    assert.equal((await copy('--from', await filled(), '--to', to)).code, 0);
  });

  it('[OPS-4b] needs both databases', async () => {
    assert.deepEqual(await copy('--from', newFile()), {
      code: 2,
      output:
        'error: Missing --from or --to. Pass both databases, for example --from ./data/shop.db --to postgres://USER@HOST/DATABASE.\n',
    });
  });

  it('[EVT-4a] delivers each event to an `after` hook once, before the move or after it, and says where a server still has the lease', async () => {
    const seenBy: string[] = [];
    const { defineModel } = withServices<object>();
    const notes = resource({
      id: 'client',
      schema: { type: 'object', properties: { text: { type: 'string' } } },
      after: { created: (event) => void seenBy.push(event.payload.resource.id) },
    });
    const hooked = defineModel({ name: 'hooked', resources: { notes }, services: {} });
    const yaml = path.join(folder, 'hooked.yaml');
    writeFileSync(
      yaml,
      'name: hooked\nresources: { notes: { id: client, schema: { type: object, properties: { text: { type: string } } } } }\n',
    );
    const [from, to] = [newFile(), newSchema()];
    const terminal = recordedTerminal();
    const opened = await startApi({ model: hooked, database: from });
    for (const id of ['a', 'b']) await send(opened, `PUT /api/v1/notes/${id}`, { text: id });
    await until(() => seenBy.length === 2);
    assert.equal(await run(['copy', yaml, '--from', from, '--to', newFile()], terminal), 0);
    assert.match(
      terminal.written().stderr,
      /^a server is using .*: the copy does not include its writes and deliveries from now on\. To move the database, stop the server first\.$/m,
    );
    await opened.close();
    const moved = recordedTerminal();
    assert.equal(await run(['copy', yaml, '--from', from, '--to', to], moved), 0);
    assert.doesNotMatch(moved.written().stderr, /a server is using/);
    await using copied = await startApi({ model: hooked, database: to });
    await send(copied, 'PUT /api/v1/notes/c', { text: 'c' });
    await until(() => seenBy.length >= 3);
    assert.deepEqual(seenBy, ['a', 'b', 'c']);
  });
});
