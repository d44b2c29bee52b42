import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { killAll, type ServerProcess, startServer, waitUntilListening } from '../cli/server-process.ts';
import { freePort } from '../free-port.ts';
import { freeze, unfreeze } from '../frozen-process.ts';
import { skipWithout } from '../installed-programs.ts';
import { startPostgres } from '../postgres-server.ts';
import { PostgresSchemas } from '../postgres-schemas.ts';
import { type RedisServer, startRedis } from '../redis-server.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

/** Milliseconds in which the relay catches up after everything is up again. */
const CATCH_UP = 30_000;
const WRITES = 400;
/** Milliseconds in which another instance takes over: a lease lasts for 15 s. */
const TAKEOVER = 30_000;

const postgres = await startPostgres();
const schemas = new PostgresSchemas();
const database = postgres.url(schemas.name('relays'));
after(async () => {
  await schemas.drop(database);
  await postgres.stop();
});

/** The processes that serve one database, and the broker to which they relay. */
class Instances {
  readonly #folder: string;
  readonly #database: string;
  readonly #servers: ServerProcess[] = [];
  readonly urls: string[] = [];

  constructor(folder: string, model: string, used = 'shop.db') {
    this.#folder = folder;
    this.#database = used;
    writeFileSync(path.join(folder, 'shop.yaml'), model);
  }

  async start(): Promise<void> {
    const server = startServer(this.#folder, ['shop.yaml', '--port', '0', '--database', this.#database]);
    this.#servers.push(server);
    this.urls.push(await waitUntilListening(server));
  }

  /** Kills the process that was started first. */
  async killFirst(): Promise<void> {
    const [server] = this.#servers.splice(0, 1);
    this.urls.splice(0, 1);
    if (server !== undefined) await killAll([server]);
  }

  /** The id of the process that was started first. */
  get first(): number {
    return this.#servers[0]?.child.pid ?? assert.fail('There is no instance');
  }

  end(): Promise<void> {
    return killAll(this.#servers);
  }
}

/** Creates a row by the instance that was started last. @returns false where no one has acknowledged it */
async function create(url: string, name: string): Promise<boolean> {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/v1/products`, { method: 'POST', headers, body: JSON.stringify({ name }) });
    await response.arrayBuffer();
    return response.status === 201;
  } catch {
    return false;
  }
}

interface Page {
  readonly data: readonly { readonly id: string; readonly metadata: { readonly sequence: string } }[];
  readonly links: { readonly next?: string };
}

/** Reads the whole log of events. */
async function readLog(base: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let next: string | undefined = '/api/v1/events?limit=100'; next !== undefined; ) {
    const response: Response = await fetch(new URL(next, base));
    const { data, links }: Page = JSON.parse(await response.text());
    ids.push(...data.map(({ id }) => id));
    next = links.next;
  }
  return ids;
}

function modelText(port: number): string {
  return `
name: shop
events:
  relays: [{ redis: 'redis://127.0.0.1:${port}', stream: shop, create: true }]
limits: { rate: false }
resources:
  products: { events: full, schema: { type: object, properties: { name: { type: string } } } }
`;
}

/** Reads the ids of the events in the stream, once there are so many, for a limited time. */
async function readStream(url: string, atLeast: number, within: number): Promise<readonly string[]> {
  const operator = createClient({ url });
  await operator.connect();
  try {
    const deadline = performance.now() + within;
    while ((await operator.xLen('shop')) < atLeast && performance.now() < deadline) await setTimeout(100);
    const entries = (await operator.xRange('shop', '-', '+')) ?? [];
    return entries.map(({ message }) => message['id'] ?? '');
  } finally {
    operator.destroy();
  }
}

describe('two instances that relay to Redis', { skip: skipWithout('redis-server') }, () => {
  it('[EVT-9d] [EVT-9e] lose and reorder no event while instances and the broker are killed', async (context) => {
    const port = await freePort();
    const folder = temporaryDirectory(context);
    // On disk: what it has acknowledged is there when it starts again.
    const settings = ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder];
    let redis: RedisServer = await startRedis(port, settings);
    context.after(() => redis.kill());
    const instances = new Instances(folder, modelText(port));
    context.after(() => instances.end());
    await instances.start();
    await instances.start();
    let acknowledged = 0;
    for (let write = 0; write < WRITES; write += 1) {
      if (write % 150 === 100) await instances.killFirst();
      if (write % 150 === 120) await instances.start();
      if (write % 200 === 40) await redis.kill();
      if (write % 200 === 80) redis = await startRedis(port, settings);
      if (await create(instances.urls.at(-1) ?? '', `product ${write}`)) acknowledged += 1;
    }
    assert.ok(acknowledged >= WRITES - 8, `${acknowledged} of ${WRITES} were acknowledged`);
    const log = await readLog(instances.urls.at(-1) ?? '');
    assert.deepEqual(await readStream(redis.url, log.length, CATCH_UP), log);
  });

  it('[EVT-9e] send each event once while the one with the lease is frozen past it, with a block on its way', async (context) => {
    const redis = await startRedis();
    context.after(() => redis.kill());
    const instances = new Instances(temporaryDirectory(context), modelText(Number(new URL(redis.url).port)), database);
    context.after(() => instances.end());
    await instances.start();
    const [holder = ''] = instances.urls;
    assert.ok(await create(holder, 'it takes the lease'));
    assert.equal((await readStream(redis.url, 1, CATCH_UP)).length, 1);
    await instances.start();
    const other = instances.urls.at(-1) ?? '';
    // The blocks of the holder wait in Redis, which answers once the holder is frozen.
    await freeze(redis.pid);
    for (let write = 0; write < 20; write += 1) assert.ok(await create(holder, `on its way ${write}`));
    await setTimeout(200);
    await freeze(instances.first);
    unfreeze(redis.pid);
    for (let write = 0; write < 20; write += 1) assert.ok(await create(other, `while it is frozen ${write}`));
    const log = await readLog(other);
    assert.equal(log.length, 41);
    assert.deepEqual(await readStream(redis.url, log.length, TAKEOVER), log);
    unfreeze(instances.first);
    for (let write = 0; write < 20; write += 1) assert.ok(await create(holder, `after it ${write}`));
    const all = await readLog(other);
    assert.equal(all.length, 61);
    assert.deepEqual(await readStream(redis.url, all.length, CATCH_UP), all);
  });
});
