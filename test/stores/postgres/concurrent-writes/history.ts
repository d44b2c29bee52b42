import assert from 'node:assert/strict';
import type { WritePlan } from '../../../../src/plan/plan.ts';
import type { WriteOutcome, WriteUnit } from '../../../../src/plan/write-unit.ts';
import type { LoggedEvent } from '../../../../src/stores/store.ts';

/** A unit, and when it was sent and answered. */
export interface UnitRecord {
  readonly unit: WriteUnit;
  readonly sent: number;
  readonly answered: number;
  readonly outcome: WriteOutcome;
}

/** The revision that a row had in a response; null where it did not exist. */
export interface ReadRecord {
  readonly resource: string;
  readonly id: string;
  /** When the request was sent. */
  readonly sent: number;
  readonly revision: number | null;
}

/** A committed change of a row, in the order of the log. */
interface Change extends Pick<UnitRecord, 'sent' | 'answered'> {
  readonly plan: WritePlan;
  /** null where the row is deleted. */
  readonly revision: number | null;
}

/** The requests of several stores, and their answers. */
export class History {
  readonly units: UnitRecord[] = [];
  readonly reads: ReadRecord[] = [];
  /** The rows of each stamp. */
  readonly #stamped = new Map<string, string>();
  #time = 0;

  /** A time that is later than each one before. */
  now(): number {
    this.#time += 1;
    return this.#time;
  }

  /** Notes rows that were read between two reads of one stamp: equal stamps mean equal rows (CACHE-1). */
  noteStamp(what: string, stamp: number, rows: unknown): void {
    const key = `${what} ${stamp}`;
    const json = JSON.stringify(rows);
    assert.equal(this.#stamped.get(key) ?? json, json, `different rows have the stamp ${key}`);
    this.#stamped.set(key, json);
  }

  /** Asserts that the log has the events of the units that were committed, in the order of commits of each row. */
  assertLog(log: readonly LoggedEvent[]): void {
    const changes = this.#committed();
    assert.deepEqual(log.map(({ event }) => event.id).sort(), [...changes.keys()].sort());
    for (const [row, ordered] of this.#rows(log)) assertOrder(row, ordered);
  }

  /** Asserts that no response is older than an acknowledgement before its request. */
  assertReads(log: readonly LoggedEvent[]): void {
    const rows = this.#rows(log);
    for (const read of this.reads) {
      const changes = rows.get(`${read.resource} ${read.id}`) ?? [];
      const last = changes.findLastIndex(({ answered }) => answered < read.sent);
      const shown = changes.slice(Math.max(last, 0)).some(({ revision }) => revision === read.revision);
      const isBefore = last === -1 && read.revision === null;
      assert.ok(shown || isBefore, `${read.resource} ${read.id} is read as ${read.revision}, which is old`);
    }
  }

  /** The changes of each row, in the order of the log. */
  #rows(log: readonly LoggedEvent[]): ReadonlyMap<string, readonly Change[]> {
    const changes = this.#committed();
    const ordered = log.map(({ event }) => changes.get(event.id) ?? assert.fail(`${event.id} was refused`));
    return Map.groupBy(ordered, ({ plan }) => `${plan.resource} ${plan.id}`);
  }

  /** The changes that were committed by the ids of their events. */
  #committed(): ReadonlyMap<string, Change> {
    const changes = this.units.flatMap(({ unit, outcome, ...times }) =>
      outcome.kind === 'committed'
        ? unit.plans.map((plan, index): [string, Change] => {
            const revision = plan.kind === 'delete' ? null : (outcome.revisions[index] ?? null);
            return [plan.event?.id ?? '', { plan, revision, ...times }];
          })
        : [],
    );
    return new Map(changes);
  }
}

/** Asserts that each change of a row follows the one before it, and none that was sent after its answer. */
function assertOrder(row: string, changes: readonly Change[]): void {
  let revision: number | null = null;
  let sent = 0;
  for (const change of changes) {
    const { plan } = change;
    const expected: unknown = plan.kind === 'create' ? null : plan.revision;
    assert.equal(expected, revision, `${row}: ${plan.event?.id} does not follow the event before it`);
    assert.ok(change.answered > sent, `${row}: ${plan.event?.id} was answered before an earlier event was sent`);
    sent = Math.max(sent, change.sent);
    ({ revision } = change);
  }
}
