import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommandError } from '../../../src/cli/command-error.ts';
import type { ServedModel } from '../../../src/cli/serve/serve-model.ts';
import { MAX_UNANSWERED, type WorkerExit, supervise, type WorkerHandle } from '../../../src/cli/workers/supervise.ts';
import type { Observation } from '../../../src/observe/observation.ts';

const SERVED: ServedModel = {
  url: 'http://127.0.0.1:3000/api',
  port: 3000,
  identity: 'one',
  shutdownTimeout: 25_000,
  summary: {
    name: 'shop',
    title: 'Shop',
    version: '1.0.0',
    database: '/data/shop.db',
    hasConsole: false,
    collections: [],
    further: 0,
    example: null,
  },
};
const OTHER_PORT: ServedModel = { ...SERVED, url: 'http://127.0.0.1:3001/api', port: 3001 };
const EXITED: WorkerExit = { code: 0, signal: null, failure: null };
const KILLED: WorkerExit = { code: null, signal: 'SIGKILL', failure: null };
const FAILED: WorkerExit = { code: 1, signal: null, failure: { exitCode: 1, message: 'the port is in use' } };

/** A worker that a test controls. */
interface FakeWorker extends WorkerHandle {
  readonly slot: number;
  readonly peers: ServedModel | null;
  /** The signals that it was stopped with. */
  readonly stopSignals: readonly string[];
  readonly isPortShared: boolean;
  readonly killed: () => boolean;
  /** The number of pings so far. */
  readonly pings: () => number;
  /** True if it answers pings. */
  responsive: boolean;
  startsListening(served?: ServedModel): Promise<void>;
  exits(exit: WorkerExit): Promise<void>;
}

/** Runs pending callbacks. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function fakeWorker(slot: number, peers: ServedModel | null, isPortShared: boolean, pid: number): FakeWorker {
  const [listening, exited] = [Promise.withResolvers<ServedModel>(), Promise.withResolvers<WorkerExit>()];
  const stopSignals: string[] = [];
  let killed = false;
  let pings = 0;
  return {
    pid,
    responsive: true,
    pings: () => pings,
    ping(answered) {
      pings += 1;
      if (this.responsive) queueMicrotask(answered);
    },
    slot,
    peers,
    isPortShared,
    stopSignals,
    listening: listening.promise,
    exited: exited.promise,
    stop: (signal) => void stopSignals.push(signal),
    kill: () => void (killed = true),
    killed: () => killed,
    startsListening(served = SERVED) {
      listening.resolve(served);
      return settled();
    },
    exits(exit) {
      exited.resolve(exit);
      return settled();
    },
  };
}

function scene(count = 3) {
  const workers: FakeWorker[] = [];
  const announced: string[] = [];
  const observations: Observation[] = [];
  const stop = new AbortController();
  const time = { now: 0 };
  const timedOut = Promise.withResolvers<void>();
  let pauses: (() => void)[] = [];
  const result = supervise({
    count,
    start(slot, peers, isPortShared) {
      const worker = fakeWorker(slot, peers, isPortShared, 100 + workers.length);
      workers.push(worker);
      return worker;
    },
    signal: stop.signal,
    observe: (seen) => void observations.push(seen),
    pingInterval: 5_000,
    onListening: ({ url }) => void announced.push(url),
    now: () => time.now,
    // Every wait ends immediately but for three. These are the intervals of pings, the shutdown timeout of 28 s, and
    // the 250 ms in which a group's signal arrives.
    sleep: async (milliseconds, until) => {
      if (milliseconds === 5_000) {
        await new Promise<void>((resolve) => {
          pauses.push(resolve);
          until.addEventListener('abort', () => resolve());
        });
      }
      if (milliseconds === 28_000) await timedOut.promise;
      if (milliseconds === 250) await settled();
    },
  });
  // It may be rejected before a test awaits it.
  void Promise.allSettled([result]);
  const latest = (): FakeWorker => workers.at(-1) ?? assert.fail('no worker was started');
  const restartDelays = (): readonly number[] =>
    observations.map((seen) => (seen.kind === 'worker-exited' ? seen.restartDelay : -1));
  const timeOut = (): Promise<void> => {
    timedOut.resolve();
    return settled();
  };
  /** Lets a number of ping intervals pass. */
  const pass = async (intervals: number): Promise<void> => {
    for (let interval = 0; interval < intervals; interval += 1) {
      const ending = pauses;
      pauses = [];
      for (const end of ending) end();
      await settled();
    }
  };
  return { pass, workers, announced, observations, stop, time, result, latest, restartDelays, timeOut };
}

/** A scene in which all workers listen. */
async function serving(count = 3): Promise<ReturnType<typeof scene>> {
  const at = scene(count);
  await at.workers[0]?.startsListening();
  for (const worker of at.workers) await worker.startsListening();
  return at;
}

async function stopped(at: ReturnType<typeof scene>, exit: WorkerExit = EXITED): Promise<number> {
  at.stop.abort('SIGTERM');
  for (const worker of at.workers) await worker.exits(exit);
  return at.result;
}

describe('workers under supervision', () => {
  it('[OPS-4d] start with one that migrates the database; the others serve the same model', async () => {
    const at = scene();
    await settled();
    assert.deepEqual(
      at.workers.map(({ slot, peers }) => [slot, peers]),
      [[0, null]],
    );
    await at.workers[0]?.startsListening();
    assert.deepEqual(
      at.workers.map(({ slot, peers }) => [slot, peers]),
      [
        [0, null],
        [1, SERVED],
        [2, SERVED],
      ],
    );
    assert.equal(await stopped(at), 0);
  });

  it('are announced once, when all of them listen', async () => {
    const at = scene();
    await at.workers[0]?.startsListening();
    await at.workers[2]?.startsListening();
    assert.deepEqual(at.announced, []);
    await at.workers[1]?.startsListening();
    assert.deepEqual(at.announced, [SERVED.url]);
    await at.workers[1]?.exits(KILLED);
    await at.latest().startsListening();
    assert.deepEqual(at.announced, [SERVED.url]);
    assert.equal(await stopped(at), 0);
  });

  it('fail with the error of the first one, and no other is started', async () => {
    const at = scene();
    await at.workers[0]?.exits(FAILED);
    await assert.rejects(at.result, new CommandError(1, 'the port is in use'));
    assert.equal(at.workers.length, 1);
    const dead = scene();
    await dead.workers[0]?.exits(KILLED);
    await assert.rejects(dead.result, new CommandError(1, 'a worker process exited before it listened (SIGKILL).'));
  });

  it('are restarted in their slots, which is logged', async () => {
    const at = await serving();
    at.time.now += 10_000;
    await at.workers[0]?.exits(KILLED);
    assert.deepEqual([at.workers.length, at.latest().slot, at.latest().peers], [4, 0, SERVED]);
    assert.deepEqual(at.observations, [
      { kind: 'worker-exited', pid: 100, code: null, signal: 'SIGKILL', reason: null, restartDelay: 0 },
    ]);
    assert.equal(await stopped(at), 0);
  });

  it('are restarted with exponential backoff, up to a maximum, while they exit early', async () => {
    const at = await serving();
    for (let index = 0; index < 9; index++) {
      await at.latest().startsListening();
      at.time.now += 9_999;
      await at.latest().exits(KILLED);
    }
    assert.deepEqual(at.restartDelays(), [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
    await at.latest().startsListening();
    at.time.now += 10_000;
    await at.latest().exits(KILLED);
    await at.latest().startsListening();
    await at.latest().exits(KILLED);
    assert.deepEqual(at.restartDelays().slice(-2), [0, 100], 'a healthy worker resets the backoff');
    assert.equal(await stopped(at), 0);
  });

  it('know whether the port is shared, and one that listens on another port is restarted', async () => {
    const at = await serving(2);
    const [first, second] = at.workers;
    await first?.exits(KILLED);
    assert.equal(at.latest().isPortShared, true);
    await second?.exits(KILLED);
    assert.equal(at.latest().isPortShared, false);
    const [third, fourth] = at.workers.slice(2);
    await fourth?.startsListening();
    await third?.startsListening(OTHER_PORT);
    assert.deepEqual([third?.stopSignals, fourth?.stopSignals], [['SIGTERM'], []]);
    await third?.exits(EXITED);
    assert.deepEqual([at.latest().slot, at.latest().isPortShared], [0, true]);
    assert.deepEqual(at.announced, [SERVED.url]);
    assert.equal(await stopped(at), 0);
  });

  it('end the command where one fails to start six times in a row', async () => {
    const at = await serving();
    await at.latest().exits(KILLED);
    for (let index = 0; index < 5; index++) await at.latest().exits(FAILED);
    await at.latest().startsListening();
    await at.latest().exits(KILLED);
    for (let index = 0; index < 6; index++) await at.latest().exits(FAILED);
    const others = at.workers.slice(0, 2);
    assert.deepEqual(
      others.map(({ stopSignals }) => stopSignals),
      [['SIGTERM'], ['SIGTERM']],
      'the others shut down gracefully',
    );
    for (const worker of others) await worker.exits(EXITED);
    await assert.rejects(at.result, new CommandError(1, 'the port is in use'));
  });

  it('[LIM-3] are all stopped with the received signal, and none is restarted', async () => {
    const at = await serving();
    at.stop.abort('SIGINT');
    assert.deepEqual(
      at.workers.map(({ stopSignals }) => stopSignals),
      [['SIGINT'], ['SIGINT'], ['SIGINT']],
    );
    for (const worker of at.workers) await worker.exits(EXITED);
    assert.equal(await at.result, 0);
    assert.deepEqual([at.workers.length, at.observations], [3, []]);
  });

  it('[LIM-3] are killed shortly after the shutdown timeout, which is logged and does not count as a crash', async () => {
    const at = await serving();
    at.stop.abort('SIGTERM');
    await at.workers[0]?.exits(EXITED);
    await at.timeOut();
    assert.deepEqual(
      at.workers.map(({ killed }) => killed()),
      [false, true, true],
    );
    assert.deepEqual(at.observations, [
      { kind: 'worker-killed', pid: 101 },
      { kind: 'worker-killed', pid: 102 },
    ]);
    for (const worker of at.workers.slice(1)) await worker.exits(KILLED);
    assert.equal(await at.result, 0);
  });

  it('[LIM-3] are killed also where the first of them does not start', async () => {
    const at = scene();
    at.stop.abort('SIGTERM');
    await at.timeOut();
    assert.equal(at.workers[0]?.killed(), true);
    await at.workers[0]?.exits(KILLED);
    assert.equal(await at.result, 0);
  });

  it('[LIM-3] exit with 0 where the signal goes to the whole group and ends a worker that is still starting', async () => {
    const interrupted: WorkerExit = { code: null, signal: 'SIGINT', failure: null };
    const before = scene();
    before.stop.abort('SIGINT');
    await before.workers[0]?.exits(interrupted);
    assert.equal(await before.result, 0);

    const after = scene();
    await after.workers[0]?.exits(interrupted);
    after.stop.abort('SIGINT');
    assert.deepEqual([await after.result, after.workers.length, after.observations], [0, 1, []]);
  });

  it('[LIM-3] exit with 1 where one crashes during the shutdown', async () => {
    assert.equal(await stopped(await serving(), KILLED), 1);
  });

  it('[LIM-3] stop before they listen, and are then not announced', async () => {
    const at = scene();
    at.stop.abort('SIGTERM');
    await at.workers[0]?.startsListening();
    await at.workers[0]?.exits(EXITED);
    assert.deepEqual([await at.result, at.workers.length, at.announced], [0, 1, []]);
  });

  it('[LIM-3] are pinged while they listen, and not killed as long as they answer now and then', async () => {
    const at = scene();
    await at.pass(2);
    assert.equal(at.workers[0]?.pings(), 0);
    for (const worker of [at.workers[0], ...at.workers.slice(1)]) await worker?.startsListening();
    for (let round = 0; round < 5; round += 1) {
      for (const worker of at.workers) worker.responsive = false;
      await at.pass(MAX_UNANSWERED - 1);
      for (const worker of at.workers) worker.responsive = true;
      await at.pass(1);
    }
    assert.deepEqual([at.workers[0]?.killed(), at.observations], [false, []]);
    assert.equal(await stopped(at), 0);
  });

  it('[LIM-3] are killed and replaced when they do not answer, which is logged', async () => {
    const at = await serving();
    const [first, stuck] = at.workers;
    if (stuck === undefined) assert.fail('no second worker');
    at.time.now += 60_000;
    stuck.responsive = false;
    // It has answered the first ping.
    await at.pass(MAX_UNANSWERED);
    assert.equal(stuck.killed(), false);
    await at.pass(1);
    assert.deepEqual([first?.killed(), stuck.killed()], [false, true]);
    await stuck.exits(KILLED);
    assert.deepEqual(at.observations, [
      { kind: 'worker-unresponsive', pid: 101, duration: 30_000 },
      { kind: 'worker-exited', pid: 101, code: null, signal: 'SIGKILL', reason: null, restartDelay: 0 },
    ]);
    assert.deepEqual([at.workers.length, at.latest().slot], [4, 1]);
    assert.equal(await stopped(at), 0);
  });

  it('[LIM-3] that do not answer during the shutdown are killed at its end, and the exit code is 0', async () => {
    const at = await serving();
    for (const worker of at.workers) worker.responsive = false;
    await at.pass(MAX_UNANSWERED - 1);
    at.stop.abort('SIGTERM');
    await at.pass(3);
    assert.equal(at.workers[0]?.killed(), false, 'requests in flight may still finish');
    await at.timeOut();
    assert.deepEqual(
      at.workers.map(({ killed }) => killed()),
      [true, true, true],
    );
    for (const worker of at.workers) await worker.exits(KILLED);
    assert.equal(await at.result, 0);
  });
});
