import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { smallDisk } from '../../small-disk.ts';
import { killAll, type ServerProcess, startServer, waitForLog, waitUntilListening } from '../server-process.ts';

const MODEL = `
name: shop
resources:
  products:
    schema: { type: object, required: [name], properties: { name: { type: string, maxLength: 100000 } } }
`;
const WRITERS = 16;
const SECOND = 1_000;

const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

interface Served {
  readonly server: ServerProcess;
  readonly origin: string;
  readonly database: string;
}

async function serve(folder: string, database: string, args: readonly string[] = []): Promise<Served> {
  writeFileSync(path.join(folder, 'shop.yaml'), MODEL);
  const server = startServer(folder, ['shop.yaml', '--port', '0', '--database', `sqlite:${database}`, ...args]);
  started.push(server);
  return { server, origin: new URL(await waitUntilListening(server)).origin, database };
}

async function fetchStatus(url: string): Promise<number> {
  const response = await fetch(url, { headers: { Connection: 'close' } });
  await response.arrayBuffer();
  return response.status;
}

interface Created {
  readonly status: number;
  readonly id: string;
  readonly errorCode: string | undefined;
}

async function create(origin: string, name: string): Promise<Created> {
  const response = await fetch(`${origin}/api/v1/products`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  const { id = '', errorCode } = (await response.json()) as { id?: string; errorCode?: string };
  return { status: response.status, id, errorCode };
}

/** Creates products until one is not acknowledged. @returns the ids of the acknowledged ones */
async function write(origin: string, acknowledged: string[]): Promise<void> {
  for (;;) {
    const { status, id, errorCode } = await create(origin, 'x');
    if (status !== 201) {
      assert.deepEqual([status, errorCode], [503, 'SERVER_UNAVAILABLE']);
      return;
    }
    acknowledged.push(id);
  }
}

/** Waits until `/readyz` has a status on ten connections in a row, and so on each worker. @returns milliseconds */
async function readiness(origin: string, status: number): Promise<number> {
  const since = performance.now();
  for (let seen = 0; seen < 10; await setTimeout(5)) {
    const response = await fetch(`${origin}/readyz`, { headers: { Connection: 'close' } });
    const body = await response.text();
    seen = response.status === status ? seen + 1 : 0;
    assert.ok(performance.now() - since < 20 * SECOND, `/readyz never had ${status}: ${body}`);
  }
  return performance.now() - since;
}

describe('a server whose database file is moved while it writes', () => {
  for (const args of [[], ['--workers', '3']]) {
    it(`[OPS-7a] has every write that it acknowledged in that file, and acknowledges no other: ${args.join(' ') || 'one process'}`, async (context) => {
      const folder = temporaryDirectory(context);
      const { server, origin, database } = await serve(folder, path.join(folder, 'shop.db'), args);
      const acknowledged: string[] = [];
      const writers = Array.from({ length: WRITERS }, () => write(origin, acknowledged));
      while (acknowledged.length < 20 * WRITERS) await setTimeout(10);
      const moved = path.join(folder, 'moved.db');
      renameSync(database, moved);
      assert.ok((await readiness(origin, 503)) < SECOND, 'it is not ready within a second');
      await Promise.all(writers);
      assert.equal(await fetchStatus(`${origin}/api/v1/products`), 503);
      assert.equal(await fetchStatus(`${origin}/livez`), 200);
      await waitForLog(server, /"database_lost".*shop\.db".*restart the server/);
      // Put back, it stays lost until a restart.
      renameSync(moved, database);
      assert.equal(await fetchStatus(`${origin}/readyz`), 503);
      renameSync(database, moved);
      server.child.kill('SIGTERM');
      assert.equal(await server.exited, 0);
      // The rest of the log stays beside the old path: the file has to be complete without it.
      const file = new Database(moved);
      const stored = new Set(file.prepare('select id from products').pluck().all());
      assert.equal(file.pragma('integrity_check', { simple: true }), 'ok');
      file.close();
      assert.deepEqual(
        acknowledged.filter((id) => !stored.has(id)),
        [],
      );
      assert.ok(
        stored.size <= acknowledged.length + WRITERS,
        'what was not acknowledged is at most what was in flight',
      );
    });
  }
});

describe('a server whose disk is full', () => {
  for (const args of [[], ['--workers', '2']]) {
    it(`[OPS-7b] refuses writes, answers reads, is not ready, and recovers: ${args.join(' ') || 'one process'}`, async (context) => {
      const disk = smallDisk(context, 16);
      if (disk === null) return;
      const ballast = path.join(disk, 'ballast');
      // Room for about 5 MiB, in the log and in the database file. Freed, there is enough to copy one to the other.
      writeFileSync(ballast, Buffer.alloc(11 * 1_048_576));
      const { server, origin } = await serve(temporaryDirectory(context), path.join(disk, 'shop.db'), args);
      const acknowledged: string[] = [];
      const name = 'x'.repeat(50_000);
      let refused: Created | null = null;
      while (refused === null && acknowledged.length < 1_000) {
        const created = await create(origin, name);
        if (created.status === 201) acknowledged.push(created.id);
        else refused = created;
      }
      assert.deepEqual([refused?.status, refused?.errorCode], [503, 'SERVER_UNAVAILABLE']);
      assert.ok(acknowledged.length > 10);
      await waitForLog(server, /"database_writes","failing":true,"reason":"The disk of the database is full"/);
      if (args.length === 0) assert.equal(await fetchStatus(`${origin}/readyz`), 503);
      for (const id of acknowledged) assert.equal(await fetchStatus(`${origin}/api/v1/products/${id}`), 200);
      rmSync(ballast);
      await readiness(origin, 200);
      await waitForLog(server, /"database_writes","failing":false/);
      assert.equal((await create(origin, name)).status, 201);
      for (const id of acknowledged) assert.equal(await fetchStatus(`${origin}/api/v1/products/${id}`), 200);
    });
  }
});
