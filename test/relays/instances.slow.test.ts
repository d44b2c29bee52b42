import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { killAll, type ServerProcess, startServer, waitUntilListening } from '../cli/server-process.ts';
import { freePort } from '../free-port.ts';
import { skipWithout } from '../installed-programs.ts';
import { type RedisServer, startRedis } from '../redis-server.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

/** Milliseconds in which the relay catches up after everything is up again. */
const CATCH_UP = 30_000;
const WRITES = 400;

/** The processes that serve one database, and the broker to which they relay. */
class Instances {
  readonly #folder: string;
  readonly #servers: ServerProcess[] = [];
  readonly urls: string[] = [];

  constructor(folder: string, model: string) {
    this.#folder = folder;
    writeFileSync(path.join(folder, 'shop.yaml'), model);
  }

  async start(): Promise<void> {
    const server = startServer(this.#folder, ['shop.yaml', '--port', '0', '--database', 'shop.db']);
    this.#servers.push(server);
    this.urls.push(await waitUntilListening(server));
  }

  /** Kills the process that was started first. */
  async killFirst(): Promise<void> {
    const [server] = this.#servers.splice(0, 1);
    this.urls.splice(0, 1);
    if (server !== undefined) await killAll([server]);
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

describe('two instances that relay to Redis', { skip: skipWithout('redis-server') }, () => {
  it('[EVT-9d] [EVT-9e] lose and reorder no event while instances and the broker are killed', async (context) => {
    const port = await freePort();
    const folder = temporaryDirectory(context);
    // On disk: what it has acknowledged is there when it starts again.
    const settings = ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder];
    let redis: RedisServer = await startRedis(port, settings);
    context.after(() => redis.kill());
    const instances = new Instances(
      folder,
      `
name: shop
events:
  relays: [{ redis: 'redis://127.0.0.1:${port}', stream: shop, create: true }]
limits: { rate: false }
resources:
  products: { events: full, schema: { type: object, properties: { name: { type: string } } } }
`,
    );
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
    const operator = createClient({ url: redis.url });
    await operator.connect();
    const deadline = performance.now() + CATCH_UP;
    while ((await operator.xLen('shop')) < log.length && performance.now() < deadline) await setTimeout(100);
    const entries = (await operator.xRange('shop', '-', '+')) ?? [];
    operator.destroy();
    assert.deepEqual(
      entries.map(({ message }) => message['id']),
      log,
    );
  });
});
