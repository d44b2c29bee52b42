import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { commit, createProduct, readRow } from '../../../../store-suite/sample-writes.ts';
import { FAULTS, NO_FAULT } from './faults.ts';
import {
  assertFound,
  logged,
  type RelayedStore,
  type Rig,
  storeAt,
  storeShapes,
  withoutSchema,
  withRig,
} from './rig.ts';
import type { Rewrite } from './statement-relay.ts';

/** A session of another program, whose transaction stays open. */
async function openStranger(url: string, database: string | null): Promise<pg.Client> {
  const target = new URL(withoutSchema(url));
  if (database !== null) target.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: target.href });
  await client.connect();
  await client.query('begin');
  await client.query('select pg_current_xact_id(), pg_advisory_xact_lock_shared(1)');
  return client;
}

/** Runs something while other programs have transactions open, in this database and in another one of the cluster. */
async function withStrangers({ url, sql }: Rig, run: () => Promise<void>): Promise<void> {
  const name = `other_${new URL(url).searchParams.get('schema')}`;
  await sql(`create database "${name}" template template0`);
  const strangers = [await openStranger(url, null), await openStranger(url, name)];
  try {
    await run();
  } finally {
    for (const each of strangers) await each.end();
    await sql(`drop database "${name}"`);
  }
}

async function readIds({ store }: RelayedStore): Promise<readonly string[]> {
  return (await store.events.list({ after: 0, limit: 100 })).map(({ event }) => event.payload.resource.id);
}

/** An acknowledged write is in the log at the first read after it. */
function isReadBySoon(fault: Rewrite): Promise<void> {
  return withRig({ count: 2, faults: [NO_FAULT, fault] }, (rig) =>
    withStrangers(rig, async () => {
      const [writer, reader] = [storeAt(rig, 0), storeAt(rig, 1)];
      for (const id of ['p', 'q', 'r']) {
        await commit(writer.store, logged(createProduct(id)));
        assert.equal((await readRow(reader.store, 'products', id)).id, id);
        assert.ok((await readIds(reader)).includes(id), `${id} is not read`);
      }
    }),
  );
}

/** Somebody always writes: each transaction begins before the one before it ends. */
function isReadWhileOthersWrite(fault: Rewrite): Promise<void> {
  return withRig({ count: 3, faults: [NO_FAULT, NO_FAULT, fault] }, async (rig) => {
    const [one, other, reader] = [storeAt(rig, 0), storeAt(rig, 1), storeAt(rig, 2)];
    await storeShapes(one.store, createProduct('other'));
    const before = (await readIds(reader)).length;
    let last: { readonly release: () => void; readonly done: Promise<unknown> } | null = null;
    for (let at = 0; at < 6; at += 1) {
      const { store, relay } = at % 2 === 0 ? one : other;
      const held = relay.hold('update restwright_slots');
      const done = commit(store, logged(createProduct(`p${at}`)));
      await held.reached;
      last?.release();
      await last?.done;
      // It is open all the time: the next one begins before it ends.
      const read = (await readIds(reader)).length - before;
      // The horizon can lag by the transactions that were open when it was looked at first.
      assert.ok(read >= at - 1, `${read} events after ${at} commits`);
      last = { release: held.release, done };
    }
    last?.release();
    await last?.done;
    assert.equal((await readIds(reader)).length - before, 6);
  });
}

describe('an acknowledged event', () => {
  it('[EVT-3a] is read immediately, while transactions of other programs are open', () => isReadBySoon(NO_FAULT));

  it('[EVT-3a] would not be read if readers waited for every transaction', () =>
    assertFound(isReadBySoon(FAULTS.allHolders)));

  it('[EVT-3a] is read once the transactions before it have ended, while others write all the time', () =>
    isReadWhileOthersWrite(NO_FAULT));

  it('[EVT-3a] would not be read if readers waited until nobody writes', () =>
    assertFound(isReadWhileOthersWrite(FAULTS.oneHolder)));
});
