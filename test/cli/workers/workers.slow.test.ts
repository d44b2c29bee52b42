import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { killAll, waitUntilListening, type ServerProcess, startServer, waitForLog } from '../server-process.ts';
import {
  type WorkerConnection,
  connectToWorkers,
  isAlive,
  logLines,
  assertSameProcesses,
  waitUntil,
  listeningWorkers,
} from './worker-connections.ts';

const MODEL = `
name: shop
version: 1.0.0
cors: { origins: ["null"] }
resources:
  products:
    schema: { type: object, required: [name], properties: { name: { type: string } } }
`;

const folder = mkdtempSync(path.join(os.tmpdir(), 'workers-'));
const model = path.join(folder, 'shop.yaml');
beforeEach(() => writeFileSync(model, MODEL));
after(() => rmSync(folder, { recursive: true }));

const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

let databases = 0;
function startIn(env: Env, args: readonly string[] = ['--workers', '3']): ServerProcess {
  databases += 1;
  const one = startServer(folder, [model, '--port', '0', '--database', `sqlite:${databases}.db`, ...args], env);
  started.push(one);
  return one;
}

type Env = Readonly<Record<string, string>>;
const start = (args?: readonly string[]): ServerProcess => startIn({}, args);

const ALONE: Env = {
  NODE_OPTIONS: `--import ${pathToFileURL(path.join(import.meta.dirname, 'no-shared-port.ts')).href}`,
};
const systems: readonly (readonly [title: string, env: Env])[] = [
  ['', {}],
  [', where the system cannot share a port', ALONE],
];

const pidsOf = (all: readonly WorkerConnection[]): readonly number[] => all.map(({ pid }) => pid);

/** Sends a request without its body, which keeps it in flight. */
async function inFlight(url: string): Promise<Socket> {
  const { host, hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.write(
    `POST /api/v1/products HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
      'Content-Length: 15\r\nExpect: 100-continue\r\n\r\n',
  );
  await once(socket, 'data');
  return socket;
}

async function responseOn(socket: Socket): Promise<string> {
  const response = once(socket, 'data');
  socket.write('{"name":"Lamp"}');
  return String(await response);
}

for (const [title, env] of systems) {
  describe(`restwright serve --workers${title}`, () => {
    const startHere = (args?: readonly string[]): ServerProcess => startIn(env, args);

    it('[OPS-2d] prints one line when all listen; all of them serve requests and write complete log lines', async () => {
      const server = startIn({ ...env, RESTWRIGHT_WORKERS: '3' }, []);
      const url = await waitUntilListening(server);
      const workers = await listeningWorkers(server, 3);
      const all = await connectToWorkers(server, url, 3);
      assertSameProcesses(pidsOf(all), workers);
      await Promise.all(
        all.flatMap(({ send }) => Array.from({ length: 500 }, () => send('GET', '/v1/products?limit=1'))),
      );
      for (const { close } of all) close();
      server.child.kill('SIGTERM');
      assert.equal(await server.exited, 0);
      assert.equal(server.stdout(), `listening on ${url}\n`);
      const lines = logLines(server);
      assert.equal(lines.filter((line) => line.path === '/api/v1/products').length, 1_500);
      assert.equal(
        lines.filter(({ event }) => event === 'unsupported').length,
        1,
        'a warning about the model is logged once',
      );
      assert.equal(server.stderr().split('no authentication is configured').length, 2);
      assert.deepEqual(workers.filter(isAlive), []);
    });

    it('is one process by default', async () => {
      const server = startHere([]);
      await waitUntilListening(server);
      assert.deepEqual(await listeningWorkers(server, 1), [undefined], 'log lines have no process id');
    });

    it('[LIM-3] finishes all requests in flight after the signal, and exits with 0', async () => {
      const server = startHere();
      const url = await waitUntilListening(server);
      const sockets = await Promise.all([1, 2, 3].map(() => inFlight(url)));
      server.child.kill('SIGTERM');
      await waitUntil(() => logLines(server).filter(({ event }) => event === 'stopping').length === 3, 'all stop');
      await assert.rejects(fetch(`${url}/v1`), TypeError, 'no worker accepts connections any more');
      for (const socket of sockets) assert.match(await responseOn(socket), /^HTTP\/1\.1 201 /);
      assert.equal(await server.exited, 0);
    });

    it('[LIM-3] treats a signal to the whole group as one signal', async () => {
      const server = startHere();
      const socket = await inFlight(await waitUntilListening(server));
      for (const pid of await listeningWorkers(server, 3)) process.kill(pid, 'SIGINT');
      server.child.kill('SIGINT');
      await waitUntil(() => logLines(server).filter(({ event }) => event === 'stopping').length === 3, 'all stop');
      assert.match(await responseOn(socket), /^HTTP\/1\.1 201 /);
      assert.equal(await server.exited, 0);
    });

    it('[LIM-3] exits immediately on the second signal, and leaves no process behind', async () => {
      const server = startHere();
      const url = await waitUntilListening(server);
      const workers = await listeningWorkers(server, 3);
      await inFlight(url);
      server.child.kill('SIGTERM');
      await waitForLog(server, /"event":"stopping"/);
      server.child.kill('SIGINT');
      assert.equal(await server.exited, 130);
      await waitUntil(() => !workers.some(isAlive), 'the workers are gone');
    });

    it('[LIM-3] finishes requests in flight where the supervisor is killed, and leaves no process behind', async () => {
      const server = startHere();
      const url = await waitUntilListening(server);
      const workers = await listeningWorkers(server, 3);
      const socket = await inFlight(url);
      server.child.kill('SIGKILL');
      await waitUntil(() => workers.filter(isAlive).length === 1, 'idle workers have exited');
      await assert.rejects(fetch(`${url}/v1`), TypeError);
      assert.match(await responseOn(socket), /^HTTP\/1\.1 201 /);
      await waitUntil(() => !workers.some(isAlive), 'the workers are gone');
    });

    it('restarts a worker that dies on the same address, while the others serve', async () => {
      const server = startHere();
      const url = await waitUntilListening(server);
      const [first = 0] = await listeningWorkers(server, 3);
      process.kill(first, 'SIGKILL');
      await waitForLog(server, new RegExp(`"event":"worker_exited","worker":${first},"code":null,"signal":"SIGKILL"`));
      assert.equal((await fetch(`${url}/v1`)).status, 200);
      const left = (await listeningWorkers(server, 4)).slice(1);
      const all = await connectToWorkers(server, url, 3);
      assertSameProcesses(pidsOf(all), left);
      for (const { close } of all) close();
      server.child.kill('SIGTERM');
      assert.equal(await server.exited, 0);
      assert.equal(server.stdout(), `listening on ${url}\n`);
    });

    it('continues to serve after all workers died at the same time', async () => {
      const server = startHere();
      const url = await waitUntilListening(server);
      const before = await listeningWorkers(server, 3);
      for (const pid of before) process.kill(pid, 'SIGKILL');
      await waitUntil(() => !before.some(isAlive), 'they have exited');
      // A worker that starts while no other runs may get another port first, and is then restarted.
      await listeningWorkers(server, 6);
      for (const { send, close } of await connectToWorkers(server, url, 3)) {
        assert.equal((await send('GET', '/v1/products')).status, 200);
        close();
      }
    });

    it('[OPS-4d] does not migrate a database that another program has changed: the new worker reports the difference', async () => {
      const server = startHere();
      await waitUntilListening(server);
      const file = path.join(folder, `${databases}.db`);
      new Database(file).exec('create unique index other on products (name)').close();
      process.kill((await listeningWorkers(server, 3))[0] ?? 0, 'SIGKILL');
      await waitUntil(
        () => /worker_exited.*Another program has changed it.*drop index/.test(server.stderr()),
        'it is logged',
      );
      const database = new Database(file, { readonly: true });
      assert.deepEqual(database.prepare("select name from sqlite_schema where name = 'other'").pluck().all(), [
        'other',
      ]);
      database.close();
    });

    it('[OPS-4d] creates no new database where the file was deleted', async () => {
      const server = startHere();
      await waitUntilListening(server);
      const file = path.join(folder, `${databases}.db`);
      rmSync(file);
      process.kill((await listeningWorkers(server, 3))[0] ?? 0, 'SIGKILL');
      await waitUntil(() => /worker_exited.*It does not exist any more/.test(server.stderr()), 'it is logged');
      assert.equal(existsSync(file), false);
    });

    it('exits with 1 where a worker cannot be restarted, for example because the model has changed', async () => {
      const server = startHere();
      await waitUntilListening(server);
      writeFileSync(model, MODEL.replace('name: { type: string }', 'name: { type: string }, sku: { type: string }'));
      process.kill((await listeningWorkers(server, 3))[1] ?? 0, 'SIGKILL');
      assert.equal(await server.exited, 1);
      assert.match(
        server.stderr(),
        /error: .*shop\.yaml has changed since the server started; restart the server to serve the new model\.\n$/,
      );
      assert.equal(
        logLines(server).filter(({ event }) => event === 'stopped').length,
        2,
        'the others shut down gracefully',
      );
    });
  });
}

describe('restwright serve --workers that cannot serve', () => {
  const failing: readonly (readonly [title: string, prepare: () => Promise<readonly string[]>])[] = [
    [
      'an invalid model',
      async () => {
        writeFileSync(model, MODEL.replace('type: string', 'type: text'));
        return [];
      },
    ],
    ['a missing model', async () => (rmSync(model), [])],
    ['a port that is in use', async () => ['--port', new URL(await waitUntilListening(start([]))).port]],
    ['a port that other workers share', async () => ['--port', new URL(await waitUntilListening(start())).port]],
    [
      'a port that another supervisor holds',
      async () => ['--port', new URL(await waitUntilListening(startIn(ALONE))).port],
    ],
    ['an address of another machine', async () => ['--host', '192.0.2.1', '--insecure-public']],
    [
      'a file that is not a database',
      async () => {
        writeFileSync(path.join(folder, 'none.db'), 'this is not a database but some text\n'.repeat(99));
        return ['--database', 'sqlite:none.db'];
      },
    ],
  ];
  for (const [title, prepare] of failing) {
    it(`exits like a single process, with the same message, for ${title}`, async () => {
      const args = await prepare();
      const [one, three] = [start(args), start([...args, '--workers', '3'])];
      const codes = await Promise.all([one.exited, three.exited]);
      assert.ok(codes[0] === 1 || codes[0] === 2);
      assert.equal(codes[1], codes[0]);
      assert.deepEqual([three.stdout(), cutError(three.stderr())], [one.stdout(), cutError(one.stderr())]);
    });
  }
});

describe('restwright serve --workers that is stopped while it starts', () => {
  it('[LIM-3] exits with 0 for a signal to the whole group that ends a worker which is still starting', async (test) => {
    if (process.platform !== 'linux') {
      test.skip('this system does not list child processes');
      return;
    }
    const server = start();
    const { pid = 0 } = server.child;
    const children = (): string => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    await waitUntil(() => children() !== '', 'a worker is started');
    process.kill(Number.parseInt(children(), 10), 'SIGTERM');
    server.child.kill('SIGTERM');
    assert.equal(await server.exited, 0);
  });
});

describe('restwright serve --workers on a reserved port', () => {
  const serveOn = (port: string): ServerProcess => start(['--workers', '2', '--port', port]);
  /** The URL, or the exit code. */
  const outcome = (one: ServerProcess) => Promise.race([one.exited, waitUntilListening(one).catch(() => one.exited)]);

  it('keeps the port reserved while none of its workers listens', async () => {
    const first = start(['--workers', '2']);
    const { port } = new URL(await waitUntilListening(first));
    const workers = await listeningWorkers(first, 2);
    writeFileSync(model, 'name: [');
    for (const pid of workers) process.kill(pid, 'SIGKILL');
    await waitUntil(() => first.stderr().split('"event":"worker_exited"').length > 4, 'workers fail to start');
    const other = path.join(folder, 'other.yaml');
    writeFileSync(other, MODEL);
    const second = startServer(folder, [other, '--workers', '2', '--port', port, '--database', 'sqlite:other.db']);
    started.push(second);
    assert.equal(await outcome(second), 1);
    assert.match(second.stderr(), new RegExp(`error: Port ${port} .* is in use`));
  });

  it('is refused to one of two that start at the same time', async () => {
    const before = start(['--workers', '2']);
    const { port } = new URL(await waitUntilListening(before));
    before.child.kill('SIGTERM');
    await before.exited;
    const both = [serveOn(port), serveOn(port)];
    const outcomes = await Promise.all(both.map(outcome));
    assert.equal(outcomes.filter((each) => each === 1).length, 1);
  });

  it('releases the port on the signal, as a single process does', async () => {
    const first = start(['--workers', '2']);
    const url = await waitUntilListening(first);
    const socket = await inFlight(url);
    first.child.kill('SIGTERM');
    await waitUntil(() => logLines(first).filter(({ event }) => event === 'stopping').length === 2, 'both stop');
    assert.match(await waitUntilListening(serveOn(new URL(url).port)), /^http:/);
    assert.match(await responseOn(socket), /^HTTP\/1\.1 201 /);
    assert.equal(await first.exited, 0);
  });
});

/** The final error message of a command. */
function cutError(text: string): string {
  return text.slice(text.indexOf('error:')).replaceAll(/^\{.*\n/gm, '');
}
