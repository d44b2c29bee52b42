import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { killAll, type ServerProcess, startProgram, waitForLog, waitUntilListening } from '../server-process.ts';
import { connectToWorkers, isAlive, listeningWorkers, type WorkerConnection } from './worker-connections.ts';

const SERVE = path.join(import.meta.dirname, 'serve-with-fast-pings.ts');
const INDEX = pathToFileURL(path.join(import.meta.dirname, '../../../src/index.ts')).href;
const folder = mkdtempSync(path.join(os.tmpdir(), 'stuck-'));
after(() => rmSync(folder, { recursive: true }));

/** A note with the text `spin` blocks the worker that writes it forever. */
writeFileSync(
  path.join(folder, 'desk.ts'),
  `import { defineModel, resource } from ${JSON.stringify(INDEX)};
export default defineModel({
  name: 'desk',
  limits: { shutdown_timeout: '500ms' },
  resources: {
    notes: resource({
      schema: { type: 'object', properties: { text: { type: 'string' } } },
      before: {
        create: (draft) => {
          if (draft.text !== 'spin') return undefined;
          process.stderr.write('{"event":"spinning"}\\n');
          for (;;);
        },
      },
    }),
  },
});
`,
);

const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

interface Serving {
  readonly server: ServerProcess;
  readonly url: string;
  readonly connections: readonly WorkerConnection[];
}

async function start(): Promise<Serving> {
  const server = startProgram(folder, [SERVE, 'desk.ts', `sqlite:${started.length}-${Date.now()}.db`]);
  started.push(server);
  const url = await waitUntilListening(server);
  return { server, url, connections: await connectToWorkers(server, url, 2) };
}

describe('a worker whose event loop is blocked', () => {
  it('[LIM-3] is killed and replaced, while the other serves and keeps what was acknowledged', async () => {
    const { server, url, connections } = await start();
    const [stuck, other] = connections;
    if (stuck === undefined || other === undefined) assert.fail('two workers were expected');
    const created = await stuck.send('POST', '/v1/notes', { body: { text: 'kept' } });
    assert.equal(created.status, 201);
    const lost = stuck.send('POST', '/v1/notes', { body: { text: 'spin' } }).then(
      ({ status }) => status,
      () => 'closed',
    );
    assert.equal((await other.send('GET', String(created.headers.location).replace(/^.*\/api/, ''))).status, 200);
    assert.equal(await lost, 'closed', 'nothing was acknowledged');
    await waitForLog(server, /spinning/);
    await waitForLog(server, new RegExp(`"event":"worker_unresponsive","worker":${stuck.pid},"duration_ms":1800`));
    await waitForLog(
      server,
      new RegExp(`"event":"worker_exited","worker":${stuck.pid},"code":null,"signal":"SIGKILL"`),
    );
    await listeningWorkers(server, 3);
    assert.equal((await other.send('GET', '/v1/notes')).status, 200);
    const replaced = await connectToWorkers(server, url, 2);
    for (const connection of replaced) {
      const list = await connection.send('GET', '/v1/notes');
      assert.match(list.body, /"kept"/);
      connection.close();
    }
    server.child.kill('SIGTERM');
    assert.equal(await server.exited, 0);
  });

  it('[LIM-3] does not delay a shutdown by more than its grace', async () => {
    const { server, connections } = await start();
    const [stuck] = connections;
    void stuck?.send('POST', '/v1/notes', { body: { text: 'spin' } }).catch(() => undefined);
    await waitForLog(server, /spinning/);
    const since = performance.now();
    server.child.kill('SIGTERM');
    assert.equal(await server.exited, 0);
    assert.doesNotMatch(server.stderr(), /worker_unresponsive/);
    assert.match(server.stderr(), new RegExp(`"event":"worker_killed","worker":${stuck?.pid}`));
    // The shutdown timeout of the model, and three seconds for closing.
    assert.ok(performance.now() - since < 8_000, `${performance.now() - since} ms`);
    assert.deepEqual(
      connections.filter(({ pid }) => isAlive(pid)),
      [],
    );
  });
});
