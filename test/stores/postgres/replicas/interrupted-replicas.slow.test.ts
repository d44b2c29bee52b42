import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startReplicated } from '../../../postgres-server.ts';
import type { Answer, Send } from '../failures/send.ts';
import { NOTES, openInstance, relayTo } from '../instance.ts';
import { leftBy, PAGE, put, readUsage, runOn, until, withInstances, withSession } from './replicated-instances.ts';

// A change that is applied ends the statements in its way immediately. None is made but those of the tests.
const { primary, replicas } = await startReplicated(
  ['autovacuum=off'],
  [['max_standby_streaming_delay=0', 'hot_standby_feedback=off']],
);
const [replica = assert.fail()] = replicas;
after(async () => {
  for (const server of [replica, primary]) await server.stop();
});

/** Reads pages by some clients, each with its last write that it has to have, while something happens. */
async function readDuring(sends: readonly Send[], happens: () => Promise<void>): Promise<void> {
  const state = { isDone: false };
  const read = async (send: Send, client: number): Promise<void> => {
    for (let at = 0; !state.isDone; at += 1) {
      const id = `client-${client}`;
      const text = `text ${at}`;
      if (at % 10 === 0) assert.equal((await send(put(id, text))).status < 300, true);
      // Each page is another one, so that none is cached.
      const { status, body } = await send({ send: `GET /api/v1/notes?limit=${20 + (at % 100)}` });
      assert.equal(status, 200, JSON.stringify(body));
      const found = body.data.find((row: { id: string }) => row.id === id);
      assert.equal(found?.text, `text ${at - (at % 10)}`);
    }
  };
  const reads = Promise.all(
    Array.from({ length: 8 }, (_, client) => read(sends[client % sends.length] ?? assert.fail(), client)),
  );
  try {
    await Promise.race([happens(), reads]);
  } finally {
    state.isDone = true;
    await reads;
  }
}

/** A change that a replica applies while a page is read from it. */
interface Conflict {
  readonly what: string;
  readonly reason: 'lock' | 'snapshot';
  /** The part of the statements of the page at which they no longer arrive, and what the replica shows then. */
  readonly heldAt: string;
  readonly isHeld: string;
  readonly change: readonly string[];
}

const lockNotes = (schema: string) => `do $$ begin lock table ${schema}.notes in access exclusive mode; end $$`;

/** The number of statements and sessions that the replica has ended in favour of changes, for a reason. */
async function countConflicts(reason: Conflict['reason']): Promise<number> {
  return Number(await runOn(replica, `select sum(confl_${reason})::int from pg_stat_database_conflicts`));
}

/** Requests pages until one is held. @returns that one */
async function sendUntil(held: Promise<void>, send: Send): Promise<{ readonly page: Promise<Answer> }> {
  for (let limit = 10; ; limit += 1) {
    const page = send({ send: `GET /api/v1/notes?text=the%20text&limit=${limit}` });
    if ((await Promise.race([held, page])) === undefined) return { page };
  }
}

describe('a replica that ends reads in favour of the changes that it applies', () => {
  it('[OPS-5] shows no client an error where tables that are read are locked again and again', async () => {
    const place = { schema: 'locks', server: primary, followers: [replica] };
    const before = await countConflicts('lock');
    await withInstances(place, 2, async (instances, sends) => {
      await readDuring(sends, async () => {
        while ((await countConflicts('lock')) === before) await runOn(primary, lockNotes('locks'));
      });
      assert.ok(instances.every((each) => readUsage(each).onReplicas > 0));
    });
  });

  const conflicts: readonly Conflict[] = [
    {
      what: 'rows are removed',
      reason: 'snapshot',
      // The statement that reads the page does not arrive.
      heldAt: 'the text',
      isHeld: `select exists (select from pg_stat_activity
where query ~ 'notes' and backend_xmin is not null and pid <> pg_backend_pid())`,
      change: ["delete from ended.notes where id = 'b'", 'vacuum ended.notes'],
    },
    {
      what: 'a table is locked',
      reason: 'lock',
      heldAt: 'commit\0',
      isHeld: "select exists (select from pg_locks where relation = 'ended.notes'::regclass)",
      change: [lockNotes('ended')],
    },
  ];
  for (const { what, reason, heldAt, isHeld, change } of conflicts)
    it(`[OPS-5] shows no client an error where ${what} that the transaction of a page sees`, async (context) => {
      const { relay, url } = await relayTo(replica);
      context.after(() => relay.close());
      const place = { schema: 'ended', server: primary, followers: [{ url }] };
      const before = await countConflicts(reason);
      await withInstances(place, 1, async ([instance = assert.fail()], [send = assert.fail()]) => {
        for (const id of ['a', 'b']) await send(put(id, 'the text'));
        const held = relay.holdAt('request', heldAt);
        const { page } = await sendUntil(held, send);
        const { onPrimary } = readUsage(instance);
        await until(async () => (await runOn(replica, isHeld)) === true);
        for (const text of change) await runOn(primary, text);
        const { status, body } = await page;
        assert.equal(status, 200);
        assert.equal(body.data[0].id, 'a');
        assert.equal(readUsage(instance).onPrimary, onPrimary + 1);
      });
      await until(async () => (await countConflicts(reason)) > before);
    });

  it('[OPS-5] shows no client an error where a table is locked for longer than on the primary', async () => {
    const place = { schema: 'kept', server: primary, followers: [replica] };
    await withInstances(place, 1, async ([instance = assert.fail()], [send = assert.fail()]) => {
      await send(put('a', 'the text'));
      await withSession(primary, async (session) => {
        await session.query('begin; lock table kept.notes in access exclusive mode');
        // A commit sends what was logged before it.
        await runOn(primary, 'create table kept.sent ()');
        const isLocked = "select exists (select from pg_locks where mode = 'AccessExclusiveLock')";
        await until(async () => (await runOn(replica, isLocked)) === true);
        await runOn(replica, 'select pg_wal_replay_pause()');
        await session.query('commit');
      });
      const { status, body } = await send(PAGE);
      await runOn(replica, 'select pg_wal_replay_resume()');
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.data[0].text, 'the text');
      assert.equal(readUsage(instance).onPrimary, 1);
    });
  });
});

describe('a replica that is restarted while pages are read', () => {
  for (const [how, schema, end] of [
    ['crashes', 'crash', replica.crash],
    ['is shut down', 'shut_down', replica.shutDown],
  ] as const)
    it(`[OPS-5] shows no client an error where it ${how}, and is read again after a probe`, async () => {
      const place = { schema, server: primary, followers: [replica] };
      await withInstances(place, 2, async (instances, sends) => {
        await readDuring(sends, async () => {
          await end();
          for (const each of instances) await until(() => leftBy(each).includes('away'));
          const before = instances.map((each) => readUsage(each).onPrimary);
          for (const [at, each] of instances.entries())
            await until(() => readUsage(each).onPrimary > (before[at] ?? 0));
          await replica.restart();
          for (const each of instances) await until(() => readUsage(each).replicas[0]?.isRead === true);
          const read = instances.map((each) => readUsage(each).onReplicas);
          for (const [at, each] of instances.entries()) await until(() => readUsage(each).onReplicas > (read[at] ?? 0));
        });
      });
    });
});

describe('a replica on which the schema was not created yet', () => {
  it('[OPS-5] is left out by the start, and read once it has it', async () => {
    await runOn(replica, 'select pg_wal_replay_pause()');
    const instance = await openInstance(primary.url('new'), NOTES, [replica.url('new')]);
    assert.deepEqual(leftBy(instance), ['without the schema']);
    await runOn(replica, 'select pg_wal_replay_resume()');
    await until(() => readUsage(instance).replicas[0]?.isRead === true);
    await instance.close();
  });
});
