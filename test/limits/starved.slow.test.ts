import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { killAll, type ServerProcess, startServer, waitUntilListening } from '../cli/server-process.ts';

const MODEL =
  'name: shop\nresources: { products: { schema: { type: object, properties: { name: { type: string } } } } }\n';

/** Milliseconds in which the server does not run, and in which it may run, alternately. */
const [STOPPED, RUNNING] = [900, 15];
/** Each takes seconds of delay, which is measured twice a second. */
const REQUESTS = 6;

const folder = mkdtempSync(path.join(os.tmpdir(), 'starved-'));
const started: ServerProcess[] = [];
after(async () => {
  await killAll(started);
  rmSync(folder, { recursive: true });
});

/** Lets a process run for a sixtieth of the time, as on a processor that other programs use. */
async function starve(pid: number, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    process.kill(pid, 'SIGSTOP');
    await setTimeout(STOPPED);
    process.kill(pid, 'SIGCONT');
    await setTimeout(RUNNING);
  }
}

it('[LIM-3] one client of a server that other programs keep from running is never refused', async () => {
  writeFileSync(path.join(folder, 'shop.yaml'), MODEL);
  const server = startServer(folder, ['shop.yaml', '--port', '0', '--database', 'sqlite:shop.db']);
  started.push(server);
  const url = await waitUntilListening(server);
  const done = new AbortController();
  const starving = starve(server.child.pid ?? 0, done.signal);
  const statuses: number[] = [];
  while (statuses.length < REQUESTS) {
    const response = await fetch(`${url}/v1/products`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Lamp"}',
    });
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  done.abort();
  await starving;
  assert.deepEqual([...new Set(statuses)], [201]);
});
