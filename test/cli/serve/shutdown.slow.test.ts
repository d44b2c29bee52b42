import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
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
const begun = path.join(folder, 'begun');

/** A model whose code does not let go: of what it left behind where it was loaded, or in a hook. */
function modelOf(left: string, hooks: string): string {
  return `import { writeFileSync } from 'node:fs';
import { defineModel, resource } from ${JSON.stringify(index)};
const begin = () => writeFileSync(${JSON.stringify(begun)}, '');
${left}
export default defineModel({
  name: 'desk',
  limits: { shutdown_timeout: '1s' },
  resources: { notes: resource({ schema: { type: 'object', properties: {} }, ${hooks} }) },
});
`;
}

const TIMER = modelOf('begin(); setInterval(() => {}, 1_000);', '');
const ENDLESS_AFTER = modelOf(
  '',
  'after: { created: () => (begin(), new Promise(() => setInterval(() => {}, 1_000))) }',
);
const SPINNING = modelOf('', 'before: { create: () => { begin(); for (;;); } }');

let databases = 0;
function launch(model: string, args: readonly string[]): ServerProcess {
  databases += 1;
  const file = `${databases}.ts`;
  writeFileSync(path.join(folder, file), model);
  rmSync(begun, { force: true });
  const server = startServer(folder, [file, '--port', '0', '--database', `sqlite:${databases}.db`, ...args]);
  started.push(server);
  return server;
}

async function start(model: string, args: readonly string[]): Promise<{ server: ServerProcess; url: string }> {
  const server = launch(model, args);
  return { server, url: await waitUntilListening(server) };
}

/** Creates a note, of which nobody says that it is answered. */
async function create(url: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  fetch(`${url}/v1/notes`, { method: 'POST', headers, body: '{}' }).catch(() => undefined);
  await waitUntil(() => existsSync(begun), 'the hook has begun');
}

async function stop({ child, exited }: ServerProcess): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await Promise.race([exited, waitUntil(() => false, 'it ended').catch(() => 'it runs')]), 0);
}

for (const [title, args] of [
  ['one process', []],
  ['two workers', ['--workers', '2']],
] as const) {
  describe(`the signal to stop, to ${title}`, () => {
    it('[LIM-3] ends what a model keeps running beside requests', async () => {
      const { server } = await start(TIMER, args);
      await stop(server);
      assert.match(server.stderr(), /"event":"stopped","unfinished":0/);
    });

    it('[LIM-3] ends a start that waits for another process to let go of the database, which the log tells', async () => {
      const file = path.join(folder, 'held.db');
      const other = new Database(file);
      other.exec('begin exclusive');
      const server = launch(TIMER, [...args, '--database', 'sqlite:held.db']);
      await waitUntil(() => server.stderr().includes(`"event":"database_locked","database":"${file}"`), 'it says so');
      await stop(server);
      assert.deepEqual([server.stdout(), server.stderr().includes('error')], ['', false]);
      other.close();
    });

    it('[LIM-3] waits for an after hook no longer than for requests, and says that it will be tried again', async () => {
      const { server, url } = await start(ENDLESS_AFTER, args);
      await create(url);
      await stop(server);
      assert.match(server.stderr(), /"event":"deliveries_pending","count":1/);
    });
  });
}

describe('workers whose code does not let go', () => {
  it('[LIM-3] are ended by their process ids a little after their time, and the command with 0', async () => {
    const { server, url } = await start(SPINNING, ['--workers', '2']);
    const workers = await listeningWorkers(server, 2);
    await create(url);
    await stop(server);
    assert.match(server.stderr(), new RegExp(`"event":"worker_killed","worker":(?:${workers.join('|')})\\}`));
    assert.deepEqual(workers.filter(isAlive), []);
  });

  it('[LIM-3] end where the process over them is killed', async () => {
    const { server } = await start(TIMER, ['--workers', '2']);
    const workers = await listeningWorkers(server, 2);
    server.child.kill('SIGKILL');
    await waitUntil(() => !workers.some(isAlive), 'the workers are gone');
  });
});
