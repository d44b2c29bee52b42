import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, it } from 'node:test';
import { run } from '../../src/cli/program.ts';
import { recordedTerminal } from '../cli/recorded-terminal.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { PostgresSchemas } from '../postgres-schemas.ts';
import { startPostgres } from '../postgres-server.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { readBlocks, readPage } from './guide-pages.ts';

/** The model of the guide, as it was published. */
const PUBLISHED = `{ name: store, version: 1.4.0, resources: { products: { id: client, schema: { type: object, required: [title], properties: {
  title: { type: string }, price: { type: number }, status: { type: string, enum: [draft, live, sold], default: draft },
  city: { type: string }, place: { type: object, properties: { shelf: { type: integer } } } } } } } }`;

const STATES: Readonly<Record<string, string>> = { draft: 'DRAFT', live: 'ACTIVE', sold: 'SOLD' };

type Members = Readonly<Record<string, unknown>>;

/** Converts a row of 1.4.0 to 2.0.0. */
function convert({ id, title, price, status, city, place }: Members): Members {
  const moved = { city, shelf: null, ...(typeof place === 'object' ? place : {}) };
  return { id, name: title, price, currency: 'USD', status: STATES[String(status)], place: moved };
}

function own({ created_at: _at, updated_at: _on, revision: _revision, links: _links, ...members }: Members): Members {
  return members;
}

async function readAll(api: ApiUnderTest, first: string): Promise<readonly Members[]> {
  const rows: Members[] = [];
  for (let next: string | null = first; next !== null; ) {
    const { status, body, text } = await api.send({ send: `GET ${next}` });
    assert.equal(status, 200, text);
    rows.push(...body.data.map(own));
    next = body.links.next ?? null;
  }
  return rows.toSorted((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1));
}

/** Runs the commands of the guide, with a number of rows. */
export async function guideSuite(count: number): Promise<void> {
  const server = await startPostgres();
  const schemas = new PostgresSchemas();
  after(async () => {
    await schemas.drop(server.url('public'));
    await server.stop();
  });

  it('[VER-5d] [OPS-6] brings a database of 1.4.0 to 2.0.0 without losing a client or a row', async (context) => {
    const guide = readPage('docs/guides/versions.md');
    const text = readBlocks(guide, 'yaml').find((block) => block.startsWith('name: store\n')) ?? '';
    const newest = text.replace('  products:\n', '  products:\n    id: client\n');
    const part = guide.slice(guide.indexOf('## From 1.4 to 2.0'));
    const commands = (readBlocks(part, 'sh')[0] ?? '').split('\n').map((line) => line.split('#')[0]?.trim() ?? '');
    const file = path.join(temporaryDirectory(context), 'shop.yaml');
    writeFileSync(file, newest);
    const database = server.url(schemas.name(`guide_${count}`));
    const restwright = async (command: string): Promise<void> => {
      const terminal = { ...recordedTerminal(), env: { RESTWRIGHT_DATABASE: database } };
      const words = command.split(' ').slice(1);
      assert.equal(
        await run(
          words.map((word) => (word === 'shop.yaml' ? file : word)),
          terminal,
        ),
        0,
        command,
      );
    };
    await using old = await apiUnderTest(PUBLISHED, { database });
    const lines = Array.from({ length: count }, (_, at) => {
      const status = ['draft', 'live', 'sold'][at % 3];
      return { id: `p${at}`, title: `T ${at}`, price: at, status, city: `C ${at % 7}`, place: { shelf: at % 5 } };
    });
    for (let at = 0; at < count; at += 10_000) {
      const body = lines
        .slice(at, at + 10_000)
        .map((line) => JSON.stringify(line))
        .join('\n');
      const { status } = await old.send({
        send: 'POST /api/v1/products',
        headers: { 'Content-Type': 'application/x-ndjson' },
        body,
      });
      assert.equal(status, 200);
    }
    let isRunning = true;
    const goesOn = (): boolean => isRunning;
    const write = async (
      api: ApiUnderTest,
      send: (at: number) => readonly [path: string, body: Members],
    ): Promise<void> => {
      for (let at = 0; goesOn(); at += 1) {
        const [target, body] = send(at);
        const headers = { 'Content-Type': 'application/merge-patch+json' };
        const { status, text: answer } = await api.send({ send: `PATCH ${target}`, headers, body });
        assert.equal(status, 200, answer);
      }
    };
    const states = Object.entries(STATES);
    const writing = [
      write(old, (at) => [`/api/v1/products/p${(at * 7) % 100}`, { status: states[at % 3]?.[0], city: `O ${at}` }]),
    ];
    for (const command of commands.slice(0, 2)) await restwright(command);
    const young = await apiUnderTest(newest, { database });
    await using replaced = await apiUnderTest(newest, { database });
    writing.push(
      write(young, (at) => [
        `/api/v2/products/p${100 + ((at * 7) % 100)}`,
        { status: states[at % 3]?.[1], place: { city: `N ${at}` } },
      ]),
    );
    for (let round = 0; round < 5; round += 1)
      await readAll(replaced, '/api/v2/products?status=SOLD&limit=20&id=p1,p101');
    isRunning = false;
    await Promise.all(writing);
    const rows = await readAll(old, '/api/v1/products?limit=1000');
    assert.equal(rows.length, count);
    assert.deepEqual(await readAll(young, '/api/v2/products?limit=1000'), rows.map(convert));
    await young.close();
    await old.close();
    await restwright(commands.find((command) => command.includes('contract')) ?? '');
    assert.deepEqual(await readAll(replaced, '/api/v2/products?limit=1000'), rows.map(convert));
    assert.deepEqual(await readAll(replaced, '/api/v1/products?limit=1000'), rows);
  });
}
