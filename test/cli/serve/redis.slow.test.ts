import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { skipWithout } from '../../installed-programs.ts';
import { PostgresSchemas } from '../../postgres-schemas.ts';
import { startPostgres } from '../../postgres-server.ts';
import { startRedis } from '../../redis-server.ts';
import { killAll, type ServerProcess, startServer, waitForLog, waitUntilListening } from '../server-process.ts';

const postgres = await startPostgres();
const schemas = new PostgresSchemas();
const schema = postgres.url(schemas.name('redis'));
after(async () => {
  await schemas.drop(schema);
  await postgres.stop();
});

const REQUESTS = 300;
const MODEL = `
name: shop
limits: { rate: { requests: ${REQUESTS}, per: 1d, instances: 3 } }
resources: { products: { schema: { type: object, properties: { name: { type: string } } } } }
`;

describe('restwright serve --redis', { skip: skipWithout('redis-server') }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'redis-'));
  after(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'shop.yaml'), MODEL);
  const started: ServerProcess[] = [];
  after(() => killAll(started));

  const serve = (database: string, url: string, ...options: string[]): ServerProcess => {
    const args = ['shop.yaml', '--port', '0', '--database', database, '--log', 'json', ...options];
    const server = startServer(folder, args, { RESTWRIGHT_REDIS: url });
    started.push(server);
    return server;
  };
  const statusOf = async (url: string): Promise<number> => {
    const response = await fetch(`${url}/v1/products`);
    await response.bytes();
    return response.status;
  };
  const admittedBy = async (urls: readonly string[], each: number): Promise<number> => {
    let admitted = 0;
    for (const url of urls.flatMap((at, index) => Array<string>(each * (index + 1)).fill(at))) {
      if ((await statusOf(url)) === 200) admitted += 1;
    }
    return admitted;
  };

  const stores: readonly (readonly [store: string, databases: readonly [string, string, string]])[] = [
    ['each on a file of its own', ['a.db', 'b.db', 'c.db']],
    ['on one schema of PostgreSQL', [schema, schema, schema]],
  ];
  for (const [store, [first, second, third]] of stores) {
    it(`[LIM-2d] shares one quota within 10 % between three servers, one of them with workers; without Redis each admits its share: ${store}`, () =>
      sharesQuota([first, second, third]));
  }

  async function sharesQuota([first, second, third]: readonly [string, string, string]): Promise<void> {
    const redis = await startRedis();
    const servers = [serve(first, redis.url), serve(second, redis.url), serve(third, redis.url, '--workers', '2')];
    const urls = await Promise.all(servers.map(waitUntilListening));
    await Promise.all(servers.map((server) => waitForLog(server, /"event":"rate_limits_shared"/)));
    const admitted = await admittedBy(urls, REQUESTS / 2);
    assert.ok(admitted >= REQUESTS * 0.9 && admitted <= REQUESTS * 1.1, String(admitted));
    await redis.kill();
    await Promise.all(servers.map((server) => waitForLog(server, /"event":"rate_limits_not_shared"/)));
    const share = await admittedBy(urls.slice(0, 1), REQUESTS);
    assert.ok(share >= (REQUESTS / 3) * 0.9 && share <= (REQUESTS / 3) * 1.1, String(share));
    const again = await startRedis(Number(new URL(redis.url).port));
    await Promise.all(
      servers.map((server) => waitForLog(server, /rate_limits_not_shared[^]*"event":"rate_limits_shared"/)),
    );
    await again.kill();
    await killAll(started.splice(0));
  }

  it('[LIM-2d] exits with 2 for another URL, without repeating it', async () => {
    const server = serve('d.db', 'postgres://user:secret@host');
    assert.equal(await server.exited, 2);
    assert.equal(server.stderr(), 'error: RESTWRIGHT_REDIS is not a URL of Redis, such as redis://127.0.0.1:6379.\n');
  });
});
