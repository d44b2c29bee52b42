import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { runs } from '../../../extent.ts';
import { SlotDatabase, type SlotTransaction } from './slot-database.ts';

const IDS = ['p', 'q', 'r'] as const;

/** The stamps of products and of their collection, after everything was answered. */
async function readStamps(database: SlotDatabase): Promise<readonly number[]> {
  await setImmediate();
  const rows = IDS.map((id) => database.stamps.rowStamp('products', id));
  const all = Promise.all([...rows, database.stamps.resourceStamps(['products']).then(([stamp = 0]) => stamp)]);
  return database.finish(all);
}

/** Writes, and compares the stamps. @returns which of p, q, r and the collection have other stamps */
async function findChanged(database: SlotDatabase, write: () => unknown): Promise<string> {
  const before = await readStamps(database);
  await write();
  const after = await readStamps(database);
  return ['p', 'q', 'r', 'all'].filter((_, index) => before[index] !== after[index]).join(' ');
}

function begin(database: SlotDatabase, slot: number, ...ids: readonly string[]): SlotTransaction {
  return database.begin(slot, ids) ?? assert.fail('the slot is locked');
}

/** A database that the stamps know. @param changes of another process to another product */
async function openKnown(changes = 1): Promise<SlotDatabase> {
  const database = new SlotDatabase();
  for (let left = changes; left > 0; left -= 1) database.write(0, ['s']);
  await readStamps(database);
  assert.equal(database.fullReads, 1);
  return database;
}

describe('the stamps of a process whose commits overlap with others', () => {
  it('[CACHE-1] change for the rows of an own commit that is answered before its state is read', async () => {
    const database = await openKnown();
    const own = begin(database, 1, 'p');
    const changed = await findChanged(database, () => {
      database.commit(own);
      database.answerCommit(own);
    });
    assert.deepEqual([changed, database.fullReads], ['p all', 1]);
  });

  it('[CACHE-1] change once for the rows of an own commit that is answered after its state is read', async () => {
    const database = await openKnown();
    const own = begin(database, 1, 'p');
    assert.equal(await findChanged(database, () => database.commit(own)), 'p all');
    assert.equal(await findChanged(database, () => database.answerCommit(own)), '');
    assert.equal(await findChanged(database, () => database.write(1, ['q'])), 'q all');
    assert.equal(database.fullReads, 1);
  });

  it('[CACHE-1] change for the rows of an own commit that is answered while the events of its state are read', async () => {
    const database = await openKnown();
    const own = begin(database, 1, 'p');
    const before = await readStamps(database);
    database.commit(own);
    const read = readStamps(database);
    await setImmediate();
    database.answerCommit(own);
    const after = await read;
    assert.deepEqual(
      before.map((stamp, index) => stamp === after[index]),
      [false, true, true, false],
    );
    assert.equal(database.fullReads, 1);
  });

  it('[OPS-5] change in the iteration of an own commit that follows others in its slot, whose state was read before', async () => {
    const database = await openKnown();
    const [before] = await readStamps(database);
    await setImmediate();
    const early = database.stamps.rowStamp('products', 'r');
    for (const session of [0, 1]) database.run(session);
    database.write(1, ['q']);
    const own = begin(database, 1, 'p');
    database.commit(own);
    database.answerCommit(own);
    assert.notEqual(await database.finish(database.stamps.rowStamp('products', 'p')), before);
    await early;
  });

  it('[CACHE-1] change for just the rows of others whose sequences are smaller than known ones', async () => {
    for (const known of [0, 1, 700]) {
      const database = await openKnown(known);
      const late = [begin(database, 1, 'p'), begin(database, 2, 'q')];
      assert.equal(await findChanged(database, () => database.write(3, ['r'])), 'r all');
      assert.equal(await findChanged(database, () => database.commit(late[1] ?? assert.fail())), 'q all');
      assert.equal(await findChanged(database, () => database.commit(late[0] ?? assert.fail())), 'p all');
      assert.equal(database.fullReads, 1, `${known} events`);
    }
  });

  it('[CACHE-1] change for just the rows of others whose sequences are smaller than all that were known first', async () => {
    const database = new SlotDatabase();
    const late = begin(database, 1, 'p');
    database.write(2, ['q']);
    await readStamps(database);
    assert.equal(await findChanged(database, () => database.commit(late)), 'p all');
    assert.equal(database.fullReads, 1);
  });

  it('[CACHE-1] all change after an import, which has no events', async () => {
    const database = await openKnown();
    assert.equal(await findChanged(database, () => database.write(1, ['p'], true)), 'p q r all');
    const own = begin(database, 2, 'q');
    const changed = await findChanged(database, () => {
      database.write(1, ['p'], true);
      database.commit(own);
      database.answerCommit(own);
    });
    assert.equal(changed, 'p q r all');
    assert.equal(await findChanged(database, () => database.write(1, ['r'])), 'r all');
  });

  for (const isReversed of [false, true]) {
    it(`[CACHE-1] change for the rows of two own commits in two slots, the ${isReversed ? 'second' : 'first'} answered first`, async () => {
      for (const isReadBetween of [false, true]) {
        const database = await openKnown();
        const own = [begin(database, 1, 'p'), begin(database, 2, 'q')];
        const changed = await findChanged(database, async () => {
          for (const each of own) database.commit(each);
          for (const each of isReversed ? own.toReversed() : own) {
            database.answerCommit(each);
            if (isReadBetween) await readStamps(database);
          }
        });
        assert.deepEqual([changed, database.fullReads], ['p q all', 1]);
        assert.equal(await findChanged(database, () => database.write(1, ['r'])), 'r all');
      }
    });
  }

  it('[CACHE-1] change for just the rows that were written, after more events than are remembered', async () => {
    const database = await openKnown();
    const late = begin(database, 5, 'p');
    for (let count = 0; count < 40; count += 1) {
      const ids = Array.from({ length: 50 }, () => 's');
      const changed = await findChanged(database, () => {
        if (count % 2 === 0) return database.write(1, ids);
        const own = begin(database, 2, ...ids);
        database.commit(own);
        database.answerCommit(own);
      });
      assert.equal(changed, 'all');
    }
    assert.equal(database.fullReads, 1);
    // Its sequence is smaller than all that are remembered: it is not known what it has changed.
    assert.equal(await findChanged(database, () => database.commit(late)), 'p q r all');
  });
});

/** A process that caches rows by their stamps, as requests read them, while it and others write. */
class CachingProcess {
  readonly database = new SlotDatabase();
  readonly #random: SeededRandom;
  readonly #isImported: boolean;
  readonly #cached = new Map<string, { readonly stamp: number; readonly version: number }>();
  readonly #own: SlotTransaction[] = [];
  readonly #others: SlotTransaction[] = [];
  readonly #unanswered: SlotTransaction[] = [];
  /** The versions that were acknowledged before the iteration, or by this process. */
  readonly #acknowledged = new Map<string, number>();
  /** Those of commits whose answers have not arrived in any process. */
  #withheld: SlotTransaction[] = [];

  constructor(random: SeededRandom, isImported: boolean) {
    this.#random = random;
    this.#isImported = isImported;
  }

  /** Commits of other processes that were answered by now count from the next iteration on. */
  beginIteration(): void {
    for (const each of this.#withheld.splice(0)) this.#acknowledge(each);
  }

  step(): void {
    const chosen = this.#random.integer(10);
    if (chosen === 0) this.#begin(this.#own, 0);
    else if (chosen === 1) this.#begin(this.#others, 1);
    else if (chosen === 2) this.#commit();
    else if (chosen === 3) this.#answerCommit();
    else if (chosen < 7) this.database.run(this.#random.integer(2));
    else this.database.answer(this.#random.integer(2));
  }

  /** @throws {AssertionError} where it lacks a change that was acknowledged before */
  async read(): Promise<void> {
    const id = this.#random.pick(IDS);
    const acknowledged = this.#acknowledged.get(id) ?? 0;
    const { stamps } = this.database;
    const asked = stamps.rowStamp('products', id);
    const ahead = stamps.rowStampAhead('products', id);
    const version = ahead === null ? null : this.database.readVersion(id);
    const stamp = await asked;
    const cached = this.#cached.get(id);
    if (cached?.stamp === stamp) return assert.ok(cached.version >= acknowledged, `a stale ${id} is served`);
    const read = version !== null && stamp === ahead ? await version : this.database.version(id);
    assert.ok(read >= acknowledged, `a stale ${id} is read`);
    this.#cached.set(id, { stamp, version: read });
  }

  /** @throws {AssertionError} where the stamp does not count a change that was acknowledged before */
  async readCollection(): Promise<void> {
    const acknowledged = [...this.#acknowledged.values()].reduce((sum, each) => sum + each, 0);
    const [stamp = 0] = await this.database.stamps.resourceStamps(['products']);
    assert.ok(stamp >= acknowledged, 'a stale collection is served');
  }

  endAll(): void {
    while (this.#own.length + this.#others.length > 0) this.#commit();
    while (this.#unanswered.length > 0) this.#answerCommit();
  }

  #begin(transactions: SlotTransaction[], first: number): void {
    const ids = Array.from({ length: 1 + this.#random.integer(2) }, () => this.#random.pick(IDS));
    const isImport = this.#isImported && this.#random.oneIn(4);
    // Both have slots in common.
    const begun = this.database.begin(first + this.#random.integer(3), ids, isImport);
    if (begun !== null) transactions.push(begun);
  }

  #commit(): void {
    const isOwn = this.#random.oneIn(2);
    const transactions = isOwn ? this.#own : this.#others;
    const [ended] = transactions.splice(this.#random.integer(transactions.length), 1);
    if (ended === undefined) return;
    this.database.commit(ended);
    if (isOwn) this.#unanswered.push(ended);
    else this.#withheld.push(ended);
  }

  #answerCommit(): void {
    const [answered] = this.#unanswered.splice(this.#random.integer(this.#unanswered.length), 1);
    if (answered === undefined) return;
    this.database.answerCommit(answered);
    this.#acknowledge(answered);
  }

  #acknowledge({ ids }: SlotTransaction): void {
    for (const id of ids) this.#acknowledged.set(id, (this.#acknowledged.get(id) ?? 0) + 1);
  }
}

/** Writes and reads at random. @returns the number of times that everything was evicted */
async function follow(seed: number, isImported: boolean): Promise<number> {
  const random = new SeededRandom(seed);
  const caching = new CachingProcess(random, isImported);
  await caching.database.finish(caching.read());
  const reads: Promise<void>[] = [];
  for (let iteration = 0; iteration < 60; iteration += 1) {
    await setImmediate();
    caching.beginIteration();
    if (random.oneIn(4)) reads.push(caching.readCollection());
    for (let left = random.integer(12); left > 0; left -= 1) {
      if (random.oneIn(6)) reads.push(caching.read());
      caching.step();
    }
  }
  caching.endAll();
  await caching.database.finish(Promise.all(reads));
  for (let last = 0; last < 9; last += 1) {
    await setImmediate();
    caching.beginIteration();
    await caching.database.finish(caching.read());
  }
  return caching.database.fullReads;
}

describe('rows that a process caches by their stamps', () => {
  it('[law] [OPS-5] [CACHE-1] are never older than what was acknowledged, and evicted one by one', async () => {
    const seeds = Array.from({ length: runs(60, 400) }, (_, seed) => seed);
    const fullReads = await Promise.all(seeds.map((seed) => follow(seed, false)));
    assert.deepEqual(new Set(fullReads), new Set([1]));
  });

  it('[law] [OPS-5] [CACHE-1] are never older than what was acknowledged, while others import', async () => {
    const seeds = Array.from({ length: runs(60, 400) }, (_, seed) => seed);
    await Promise.all(seeds.map((seed) => follow(seed, true)));
  });
});
