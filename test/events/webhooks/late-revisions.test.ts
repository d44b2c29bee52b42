import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ChangedRows } from '../../../src/events/webhooks/changed-rows.ts';
import { VisibleRows } from '../../../src/operations/visible-rows.ts';
import type { ListPlan, Page, Row } from '../../../src/plan/plan.ts';
import { AT } from '../../../store-suite/sample-writes.ts';
import { runs } from '../../extent.ts';

/** A transaction whose revisions were allocated, and which has not ended. */
interface OpenWrites {
  readonly revisions: ReadonlyMap<string, number>;
  readonly deleted: readonly string[];
}

/** Rows whose revisions become visible in another order than they were allocated in. */
class LateRows {
  readonly #rows = new Map<string, number>();
  readonly #open: OpenWrites[] = [];
  readonly #changed: ChangedRows;
  /** Happens before each read. */
  #meanwhile: (() => void)[] = [];
  #last = 0;
  #commits = 0;
  /** The rows as a follower knows them, and the revisions that it has seen. */
  readonly followed = new Map<string, number>();
  readonly reported: string[] = [];

  constructor() {
    const fail = (): never => assert.fail('reads something else');
    this.#changed = new ChangedRows(
      VisibleRows.unrestricted({
        rows: {
          item: fail,
          wasVisible: fail,
          list: (plan) => this.#list(plan),
          lookup: fail,
          related: fail,
          missingAncestor: fail,
          missingReferences: fail,
        },
        stamps: {
          rowStamp: fail,
          knownRowStamp: fail,
          rowStampAhead: fail,
          resourceStamps: () => [this.#commits],
          partitionStamp: fail,
          settledRevision: () => this.#settled(),
        },
      }),
      'webhooks',
    );
  }

  get openCount(): number {
    return this.#open.length;
  }

  get rows(): ReadonlyMap<string, number> {
    return this.#rows;
  }

  /** Begins a transaction that writes rows, and deletes others. It waits for none that writes one of them. */
  begin(written: readonly string[], deleted: readonly string[] = []): void {
    const locked = new Set(this.#open.flatMap(({ revisions, deleted: gone }) => [...revisions.keys(), ...gone]));
    const revisions = new Map<string, number>();
    for (const id of written) if (!locked.has(id)) revisions.set(id, (this.#last += 1));
    this.#open.push({ revisions, deleted: deleted.filter((id) => !locked.has(id) && !revisions.has(id)) });
  }

  /** Ends one of the open transactions. */
  commit(place = 0): void {
    const [ended] = this.#open.splice(place % Math.max(1, this.#open.length), 1);
    if (ended === undefined) return;
    for (const [id, revision] of ended.revisions) this.#rows.set(id, revision);
    for (const id of ended.deleted) this.#rows.delete(id);
    this.#commits += 1;
  }

  /** Reads the changes. @param meanwhile what happens before each of its reads */
  async follow(...meanwhile: readonly (() => void)[]): Promise<readonly string[]> {
    this.#meanwhile = [...meanwhile];
    const { changed, deleted } = await this.#changed.read();
    this.#meanwhile = [];
    for (const { id, revision } of changed) {
      this.followed.set(id, revision);
      this.reported.push(`${id} ${revision}`);
    }
    for (const id of deleted) this.followed.delete(id);
    return changed.map(({ id }) => id);
  }

  /** The last revision below which none appears any more. */
  #settled(): number {
    this.#meanwhile.shift()?.();
    const open = this.#open.flatMap(({ revisions }) => [...revisions.values()]);
    return Math.min(this.#last, ...open.map((each) => each - 1));
  }

  /** A page of the rows with greater revisions than one, or of all rows by id. */
  #list({ filter, order, window, count }: ListPlan): Page {
    this.#meanwhile.shift()?.();
    const all = [...this.#rows].map(([id, revision]): Row => ({ id, revision, created_at: AT, updated_at: AT }));
    const [condition] = filter;
    const least = condition !== undefined && 'value' in condition ? Number(condition.value) : 0;
    const found = all.filter(({ revision }) => revision > least);
    const byRevision = order[0]?.path === 'revision';
    found.sort((one, other) => (byRevision ? one.revision - other.revision : one.id < other.id ? -1 : 1));
    const [last] = (window.kind === 'seek' ? window.after : null) ?? [byRevision ? 0 : ''];
    const rest = found.filter(({ id, revision }) =>
      typeof last === 'string' ? id > last : revision > Number(last ?? 0),
    );
    const total = count.kind === 'exact' ? { count: all.length, exact: true } : null;
    return { rows: rest.slice(0, window.limit), more: rest.length > window.limit, total, size: 0 };
  }
}

describe('rows whose revisions appear in another order', () => {
  it('[EVT-4a] are found where a smaller revision appears after a greater one was read, and reported once', async () => {
    const late = new LateRows();
    late.begin(['a']);
    late.begin(['b']);
    late.commit(1);
    assert.deepEqual(await late.follow(), ['b']);
    late.begin(['c']);
    late.commit(1);
    assert.deepEqual(await late.follow(), ['c']);
    late.commit();
    assert.deepEqual(await late.follow(), ['a']);
    assert.deepEqual(await late.follow(), []);
    assert.deepEqual(late.reported, ['b 2', 'c 3', 'a 1']);
  });

  it('[EVT-4a] are found where a transaction commits between the reads of one call', async () => {
    const late = new LateRows();
    late.begin(['a']);
    late.begin(['b']);
    late.commit(1);
    // The smaller revision appears after the rows were read, and before they are counted.
    const nothing = (): void => {};
    assert.deepEqual(await late.follow(nothing, nothing, () => late.commit()), ['b']);
    assert.deepEqual(await late.follow(), ['a']);
  });

  it('[EVT-4a] are all that a follower knows in the end, each revision of them reported once', async () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    const write = fc.oneof(
      fc.record({ written: fc.array(id, { maxLength: 3 }), deleted: fc.array(id, { maxLength: 1 }) }),
      fc.nat(3),
    );
    const step = fc.oneof(write, fc.record({ meanwhile: fc.array(write, { maxLength: 3 }) }));
    const law = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const late = new LateRows();
      const run = (each: typeof write extends fc.Arbitrary<infer T> ? T : never): void => {
        if (typeof each === 'number') late.commit(each);
        else late.begin(each.written, each.deleted);
      };
      for (const each of steps) {
        if (typeof each === 'object' && 'meanwhile' in each)
          await late.follow(...each.meanwhile.map((other) => () => run(other)));
        else run(each);
      }
      while (late.openCount > 0) late.commit();
      await late.follow();
      await late.follow();
      assert.deepEqual(late.followed, late.rows);
      assert.equal(new Set(late.reported).size, late.reported.length, 'none is reported twice');
    });
    await fc.assert(law, { numRuns: runs(500, 5_000) });
  });
});
