import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { temporaryDirectory } from '../../temporary-directory.ts';
import type { ExistingSource } from '../../stores/existing/existing-source.ts';
import { postgresSource } from '../../stores/existing/postgres-source.ts';
import { sqliteSource } from '../../stores/existing/source-file.ts';
import { killAll, startServer, waitUntilListening } from '../server-process.ts';
import { connectToWorkers, listeningWorkers, type WorkerConnection } from './worker-connections.ts';

const TABLES = `
create table film (film_id integer primary key, title text not null);
insert into film values (1, 'First'), (2, 'Second'), (3, 'Third');
`;

const MODEL = `
name: shop
secret: a secret of thirty-two characters
resources:
  films: { table: film, schema: { type: object, required: [title], properties: { title: { type: string } } } }
`;
const NOTES = `  notes: { schema: { type: object, properties: { film_id: { type: string, x-references: films } } } }\n`;

/** Serves tables with two processes. */
async function serveTwice(
  context: TestContext,
  source: ExistingSource,
  { model, args }: { readonly model: string; readonly args: readonly string[] },
): Promise<readonly [WorkerConnection, WorkerConnection]> {
  const folder = temporaryDirectory(context);
  const file = path.join(folder, 'shop.yaml');
  writeFileSync(file, model);
  const server = startServer(folder, [file, '--port', '0', '--database', source.url, '--workers', '2', ...args]);
  context.after(async () => {
    await killAll([server]);
    await source.close();
  });
  const url = await waitUntilListening(server);
  await listeningWorkers(server, 2);
  const [one, other] = await connectToWorkers(server, url, 2);
  assert.ok(one !== undefined && other !== undefined);
  context.after(() => [one, other].forEach(({ close }) => close()));
  return [one, other];
}

describe('restwright serve --workers 2 with tables that exist', () => {
  const sources = [
    ['SQLite', () => sqliteSource(TABLES)],
    ['PostgreSQL', () => postgresSource(TABLES)],
  ] as const;
  for (const [database, open] of sources)
    it(`[OPS-2d] reads those of ${database}: cursors of one process continue in the other, and changes are seen`, async (context) => {
      const source = await open();
      const [one, other] = await serveTwice(context, source, { model: MODEL, args: ['--read-only'] });
      const first = JSON.parse((await one.send('GET', '/v1/films?limit=2')).body);
      const next = await other.send('GET', first.links.next.replace('/api', ''));
      assert.deepEqual(JSON.parse(next.body).data[0].id, '3', next.body);
      const { headers } = await one.send('GET', '/v1/films/1');
      await source.change(`update film set title = 'Changed' where film_id = 1`);
      for (const { send } of [one, other]) {
        const again = await send('GET', '/v1/films/1', { headers: { 'If-None-Match': headers.etag ?? '' } });
        assert.deepEqual([again.status, JSON.parse(again.body).title], [200, 'Changed']);
      }
    });

  it('[OPS-2d] writes those of PostgreSQL: what one process writes, the other reads, and a lost update is 412', async (context) => {
    const source = await postgresSource(TABLES);
    await source.change('create schema restwright');
    const [one, other] = await serveTwice(context, source, { model: MODEL + NOTES, args: [] });
    const { headers } = await other.send('GET', '/v1/films/1');
    const patch = { headers: { 'If-Match': headers.etag ?? '' }, body: { title: 'One' } };
    assert.equal((await one.send('PATCH', '/v1/films/1', patch)).status, 200);
    assert.equal((await other.send('PATCH', '/v1/films/1', patch)).status, 412);
    assert.equal(JSON.parse((await other.send('GET', '/v1/films/1')).body).title, 'One');
    assert.equal((await other.send('POST', '/v1/notes', { body: { film_id: '1' } })).status, 201);
    assert.equal((await one.send('DELETE', '/v1/films/1')).status, 409);
    const types = async ({ send }: WorkerConnection): Promise<readonly string[]> => {
      const { body } = await send('GET', '/v1/events');
      return JSON.parse(body).data.map(({ type }: { readonly type: string }) => type);
    };
    for (const worker of [one, other]) assert.deepEqual(await types(worker), ['film.updated', 'note.created']);
  });
});
