import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommandError } from '../../../src/cli/command-error.ts';
import type { ServedModel } from '../../../src/cli/serve/serve-model.ts';
import { type WorkerExit, supervise, type WorkerHandle } from '../../../src/cli/workers/supervise.ts';
import type { Observation } from '../../../src/observe/observation.ts';

const SERVED: ServedModel = {
  url: 'http://127.0.0.1:3000/api',
  port: 3000,
  fingerprint: 'one',
  shutdownTimeout: 25_000,
};
const ELSEWHERE: ServedModel = { ...SERVED, url: 'http://127.0.0.1:3001/api', port: 3001 };
const DONE: WorkerExit = { code: 0, signal: null, failure: null };
const KILLED: WorkerExit = { code: null, signal: 'SIGKILL', failure: null };
const REFUSED: WorkerExit = { code: 1, signal: null, failure: { exitCode: 1, message: 'the port is taken' } };

/** A worker that does what a test says. */
interface Acting extends WorkerHandle {
  readonly place: number;
  readonly joins: ServedModel | null;
  /** The signals for which it was told to stop. */
  readonly told: readonly string[];
  readonly held: boolean;
  readonly killed: () => boolean;
  listens(served?: ServedModel): Promise<void>;
  ends(ending: WorkerExit): Promise<void>;
}

/** Lets everything that can go on go on. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function acting(place: number, joins: ServedModel | null, held: boolean, pid: number): Acting {
  const [listening, ended] = [Promise.withResolvers<ServedModel>(), Promise.withResolvers<WorkerExit>()];
  const told: string[] = [];
  let killed = false;
  return {
    pid,
    place,
    joins,
    held,
    told,
    listening: listening.promise,
    exited: ended.promise,
    stop: (signal) => void told.push(signal),
    kill: () => void (killed = true),
    killed: () => killed,
    listens(served = SERVED) {
      listening.resolve(served);
      return settled();
    },
    ends(ending) {
      ended.resolve(ending);
      return settled();
    },
  };
}

function scene(count = 3) {
  const workers: Acting[] = [];
  const announced: string[] = [];
  const observations: Observation[] = [];
  const stop = new AbortController();
  const time = { now: 0 };
  const late = Promise.withResolvers<void>();
  const result = supervise({
    count,
    start(place, joins, held) {
      const worker = acting(place, joins, held, 100 + workers.length);
      workers.push(worker);
      return worker;
    },
    signal: stop.signal,
    observe: (seen) => void observations.push(seen),
    onListening: (url) => void announced.push(url),
    now: () => time.now,
    // All pauses are over at once, but for the time to stop, which is 28 seconds, and the time in which a signal comes, which is 250 ms.
    sleep: async (milliseconds) => {
      if (milliseconds === 28_000) await late.promise;
      if (milliseconds === 250) await settled();
    },
  });
  // It may be over before a test asks.
  void Promise.allSettled([result]);
  const latest = (): Acting => workers.at(-1) ?? assert.fail('none was started');
  const pauses = (): readonly number[] =>
    observations.map((seen) => (seen.kind === 'worker-exited' ? seen.restartDelay : -1));
  const isLate = (): Promise<void> => {
    late.resolve();
    return settled();
  };
  return { workers, announced, observations, stop, time, result, latest, pauses, isLate };
}

/** All workers serve. */
async function serving(count = 3): Promise<ReturnType<typeof scene>> {
  const at = scene(count);
  await at.workers[0]?.listens();
  for (const worker of at.workers) await worker.listens();
  return at;
}

async function stopped(at: ReturnType<typeof scene>, ending: WorkerExit = DONE): Promise<number> {
  at.stop.abort('SIGTERM');
  for (const worker of at.workers) await worker.ends(ending);
  return at.result;
}

describe('workers under supervision', () => {
  it('[OPS-4d] start with one alone, which brings the database to the model; the others join what it serves', async () => {
    const at = scene();
    await settled();
    assert.deepEqual(
      at.workers.map(({ place, joins }) => [place, joins]),
      [[0, null]],
    );
    await at.workers[0]?.listens();
    assert.deepEqual(
      at.workers.map(({ place, joins }) => [place, joins]),
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
    await at.workers[0]?.listens();
    await at.workers[2]?.listens();
    assert.deepEqual(at.announced, []);
    await at.workers[1]?.listens();
    assert.deepEqual(at.announced, [SERVED.url]);
    await at.workers[1]?.ends(KILLED);
    await at.latest().listens();
    assert.deepEqual(at.announced, [SERVED.url]);
    assert.equal(await stopped(at), 0);
  });

  it('fail as the first one does, in its words, and no other is started', async () => {
    const at = scene();
    await at.workers[0]?.ends(REFUSED);
    await assert.rejects(at.result, new CommandError(1, 'the port is taken'));
    assert.equal(at.workers.length, 1);
    const dead = scene();
    await dead.workers[0]?.ends(KILLED);
    await assert.rejects(dead.result, new CommandError(1, 'A worker process ended before it listened (SIGKILL).'));
  });

  it('are started again in their places, which the log tells', async () => {
    const at = await serving();
    at.time.now += 10_000;
    await at.workers[0]?.ends(KILLED);
    assert.deepEqual([at.workers.length, at.latest().place, at.latest().joins], [4, 0, SERVED]);
    assert.deepEqual(at.observations, [
      { kind: 'worker-exited', pid: 100, code: null, signal: 'SIGKILL', reason: null, again: 0 },
    ]);
    assert.equal(await stopped(at), 0);
  });

  it('are started again after pauses that grow while they end early, up to a bound', async () => {
    const at = await serving();
    for (let index = 0; index < 9; index++) {
      await at.latest().listens();
      at.time.now += 9_999;
      await at.latest().ends(KILLED);
    }
    assert.deepEqual(at.pauses(), [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
    await at.latest().listens();
    at.time.now += 10_000;
    await at.latest().ends(KILLED);
    await at.latest().listens();
    await at.latest().ends(KILLED);
    assert.deepEqual(at.pauses().slice(-2), [0, 100], 'one that served for a while was well');
    assert.equal(await stopped(at), 0);
  });

  it('are told whether any holds the address, and one that came to another starts again', async () => {
    const at = await serving(2);
    const [first, second] = at.workers;
    await first?.ends(KILLED);
    assert.equal(at.latest().held, true);
    await second?.ends(KILLED);
    assert.equal(at.latest().held, false);
    const [third, fourth] = at.workers.slice(2);
    await fourth?.listens();
    await third?.listens(ELSEWHERE);
    assert.deepEqual([third?.told, fourth?.told], [['SIGTERM'], []]);
    await third?.ends(DONE);
    assert.deepEqual([at.latest().place, at.latest().held], [0, true]);
    assert.deepEqual(at.announced, [SERVED.url]);
    assert.equal(await stopped(at), 0);
  });

  it('end the command where one does not come up six times in a row', async () => {
    const at = await serving();
    await at.latest().ends(KILLED);
    for (let index = 0; index < 5; index++) await at.latest().ends(REFUSED);
    await at.latest().listens();
    await at.latest().ends(KILLED);
    for (let index = 0; index < 6; index++) await at.latest().ends(REFUSED);
    const others = at.workers.slice(0, 2);
    assert.deepEqual(
      others.map(({ told }) => told),
      [['SIGTERM'], ['SIGTERM']],
      'the others finish what they do',
    );
    for (const worker of others) await worker.ends(DONE);
    await assert.rejects(at.result, new CommandError(1, 'the port is taken'));
  });

  it('[LIM-3] are all told to stop by the signal that came, and none is started again', async () => {
    const at = await serving();
    at.stop.abort('SIGINT');
    assert.deepEqual(
      at.workers.map(({ told }) => told),
      [['SIGINT'], ['SIGINT'], ['SIGINT']],
    );
    for (const worker of at.workers) await worker.ends(DONE);
    assert.equal(await at.result, 0);
    assert.deepEqual([at.workers.length, at.observations], [3, []]);
  });

  it('[LIM-3] are killed where they have not ended a little after the time to stop, which the log tells and is no crash', async () => {
    const at = await serving();
    at.stop.abort('SIGTERM');
    await at.workers[0]?.ends(DONE);
    await at.isLate();
    assert.deepEqual(
      at.workers.map(({ killed }) => killed()),
      [false, true, true],
    );
    assert.deepEqual(at.observations, [
      { kind: 'worker-killed', pid: 101 },
      { kind: 'worker-killed', pid: 102 },
    ]);
    for (const worker of at.workers.slice(1)) await worker.ends(KILLED);
    assert.equal(await at.result, 0);
  });

  it('[LIM-3] are killed also where the first of them does not come up', async () => {
    const at = scene();
    at.stop.abort('SIGTERM');
    await at.isLate();
    assert.equal(at.workers[0]?.killed(), true);
    await at.workers[0]?.ends(KILLED);
    assert.equal(await at.result, 0);
  });

  it('[LIM-3] end with 0 where the signal goes to the whole group, and one dies of it that does not listen to it yet', async () => {
    const interrupted: WorkerExit = { code: null, signal: 'SIGINT', failure: null };
    const before = scene();
    before.stop.abort('SIGINT');
    await before.workers[0]?.ends(interrupted);
    assert.equal(await before.result, 0);

    const after = scene();
    await after.workers[0]?.ends(interrupted);
    after.stop.abort('SIGINT');
    assert.deepEqual([await after.result, after.workers.length, after.observations], [0, 1, []]);
  });

  it('[LIM-3] end with 1 where one crashes while it stops', async () => {
    assert.equal(await stopped(await serving(), KILLED), 1);
  });

  it('[LIM-3] stop before they listen, and are not announced then', async () => {
    const at = scene();
    at.stop.abort('SIGTERM');
    await at.workers[0]?.listens();
    await at.workers[0]?.ends(DONE);
    assert.deepEqual([await at.result, at.workers.length, at.announced], [0, 1, []]);
  });
});
