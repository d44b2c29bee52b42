import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, afterEach, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { killAll, waitUntilListening, type ServerProcess, startServer } from '../server-process.ts';
import { isAlive, waitUntil, listeningWorkers } from '../workers/worker-connections.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'stopping-'));
after(() => rmSync(folder, { recursive: true }));
const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

const index = pathToFileURL(path.join(import.meta.dirname, '../../../src/index.ts')).href;
const marker = path.join(folder, 'started');

/** A model whose code keeps the process alive: with a timer that it starts when it is loaded, or in a hook. */
function renderModel(code: string, hooks: string): string {
  return `import { writeFileSync } from 'node:fs';
import { defineModel, resource } from ${JSON.stringify(index)};
const start = () => writeFileSync(${JSON.stringify(marker)}, '');
${code}
export default defineModel({
  name: 'desk',
  limits: { shutdown_timeout: '1s' },
  resources: { notes: resource({ schema: { type: 'object', properties: {} }, ${hooks} }) },
});
`;
}

const TIMER = renderModel('start(); setInterval(() => {}, 1_000);', '');
const PENDING_AFTER = renderModel(
  '',
  'after: { created: () => (start(), new Promise(() => setInterval(() => {}, 1_000))) }',
);
const SPINNING = renderModel('', 'before: { create: () => { start(); for (;;); } }');

let databases = 0;
function launch(model: string, args: readonly string[]): ServerProcess {
  databases += 1;
  const file = `${databases}.ts`;
  writeFileSync(path.join(folder, file), model);
  rmSync(marker, { force: true });
  const server = startServer(folder, [file, '--port', '0', '--database', `sqlite:${databases}.db`, ...args]);
  started.push(server);
  return server;
}

async function start(model: string, args: readonly string[]): Promise<{ server: ServerProcess; url: string }> {
  const server = launch(model, args);
  return { server, url: await waitUntilListening(server) };
}

/** Creates a note without waiting for the response. */
async function create(url: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  fetch(`${url}/v1/notes`, { method: 'POST', headers, body: '{}' }).catch(() => undefined);
  await waitUntil(() => existsSync(marker), 'the hook has started');
}

async function stop({ child, exited }: ServerProcess): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await Promise.race([exited, waitUntil(() => false, 'it exited').catch(() => 'it runs')]), 0);
}

for (const [title, args] of [
  ['one process', []],
  ['two workers', ['--workers', '2']],
] as const) {
  describe(`a stop signal to ${title}`, () => {
    it('[LIM-3] ends timers of the model', async () => {
      const { server } = await start(TIMER, args);
      await stop(server);
      assert.match(server.stderr(), /"event":"stopped","unfinished":0/);
    });

    it('[LIM-3] resets no connection that the system had accepted, and responds to every request on it', async () => {
      const { server, url } = await start(TIMER, args);
      const { host, port } = new URL(url);
      const requests = Array.from({ length: 200 }, () => {
        const socket = net.connect(Number(port), '127.0.0.1');
        socket.write(`GET /api/v1/notes HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        return { connected: once(socket, 'connect'), response: text(socket).then((all) => all.slice(0, 12), String) };
      });
      await Promise.all(requests.map(({ connected }) => connected));
      await stop(server);
      const responses = await Promise.all(requests.map(({ response }) => response));
      assert.deepEqual(new Set(responses), new Set(['HTTP/1.1 200']));
    });

    it('[LIM-3] goes on serving for the time to drain, and is not ready', async () => {
      const { server, url } = await start(TIMER, [...args, '--drain', '3s']);
      server.child.kill('SIGTERM');
      const { origin } = new URL(url);
      await waitUntil(() => server.stderr().includes('"event":"stopping"'), 'it is stopping');
      // Each on a new connection, as the worker that has not got the signal yet is still ready.
      const headers = { Connection: 'close' };
      const ready = async (): Promise<Response> => fetch(`${origin}/readyz`, { headers });
      let response = await ready();
      while (response.status !== 503) response = await ready();
      assert.match(await response.text(), /"The server is not ready: it is about to stop\."/);
      assert.equal((await fetch(`${url}/v1/notes`, { headers })).status, 200);
      assert.equal((await fetch(`${origin}/livez`, { headers })).status, 200);
      assert.equal(await server.exited, 0);
      assert.match(server.stderr(), /"event":"stopped","unfinished":0/);
    });

    it('[LIM-3] ends a start that waits for a locked database, which is logged', async () => {
      const file = path.join(folder, 'held.db');
      const other = new Database(file);
      other.exec('begin exclusive');
      const server = launch(TIMER, [...args, '--database', 'sqlite:held.db']);
      await waitUntil(() => server.stderr().includes(`"event":"database_locked","database":"${file}"`), 'it is logged');
      await stop(server);
      assert.deepEqual([server.stdout(), server.stderr().includes('error')], ['', false]);
      other.close();
    });

    it('[LIM-3] waits for an after hook as long as for requests, and logs that it will be retried', async () => {
      const { server, url } = await start(PENDING_AFTER, args);
      await create(url);
      await stop(server);
      assert.match(server.stderr(), /"event":"deliveries_pending","count":1/);
    });
  });
}

describe('workers whose code blocks the event loop', () => {
  it('[LIM-3] are killed shortly after the shutdown timeout, and the command exits with 0', async () => {
    const { server, url } = await start(SPINNING, ['--workers', '2']);
    const workers = await listeningWorkers(server, 2);
    await create(url);
    await stop(server);
    assert.match(server.stderr(), new RegExp(`"event":"worker_killed","worker":(?:${workers.join('|')})\\}`));
    assert.deepEqual(workers.filter(isAlive), []);
  });

  it('[LIM-3] exit where the supervisor is killed', async () => {
    const { server } = await start(TIMER, ['--workers', '2']);
    const workers = await listeningWorkers(server, 2);
    server.child.kill('SIGKILL');
    await waitUntil(() => !workers.some(isAlive), 'the workers have exited');
  });
});
