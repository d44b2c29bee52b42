import { type EventDraft, envelope } from '../../../conventions/event.ts';
import type {
  Ancestor,
  CreatePlan,
  DeletePlan,
  ExpectedRevision,
  IdempotencyRecord,
  Refusal,
  ExpectedStamp,
  RowPlan,
  UpdatePlan,
  WriteOutcome,
  WritePlan,
  WriteUnit,
} from '../../../plan/plan.ts';
import type { Statement } from '../../sql/dialect.ts';
import { ancestorsStatement } from '../../sql/read/read-statements.ts';
import { explainViolation, outermostMissing } from '../../sql/write/refusals.ts';
import type { Tables } from '../../sql/tables.ts';
import { deleteStatement, insertStatement, linkStatements, updateStatement } from '../../sql/write/write-statements.ts';
import { sqlite } from '../dialect.ts';
import { type SqliteConnection, isConstraintFailure, isForeignKeyFailure } from '../connection/sqlite-connection.ts';
import { readResourceStamp } from '../schema/system-tables.ts';

const ADD_EVENT = 'insert into restwright_events values (?, ?, ?, ?, ?, ?, ?)';
const SET_BOOKMARK =
  'insert into restwright_bookmarks values (?, ?) on conflict (name) do update set value = excluded.value';
const SET_RECORD = `insert into restwright_memos values (?, ?, ?, ?, ?) on conflict (name) do update set
  request = excluded.request, outcome = excluded.outcome, revisions = excluded.revisions, expires_at = excluded.expires_at`;
const FIND_RECORD = 'select 1 from restwright_memos where name = ? and expires_at > ?';
const PURGE_EXPIRED = `delete from restwright_memos where name in
  (select name from restwright_memos where expires_at <= ? order by expires_at limit ${sqlite.placeholder(1)})`;
/**
 * How many memos more than it adds a transaction may forget: more, so that the table shrinks to what stands under any load; bounded, so that
 * no write waits for a day's worth of forgetting.
 */
const EXTRA_PURGED = 100;
const ADD_COUNT = `insert into restwright_counts values (?, ?, ?) on conflict (resource) do update set
  count = count + excluded.count, change = excluded.change`;

/** What stands for the revision of a row that a unit removed. */
const REMOVED = 0;

/** Where the counters of a transaction stand. */
interface TransactionCounters {
  readonly revision: number;
  readonly event: number;
  /** How many rows each resource that was written to has more. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many memos the transaction has added. */
  readonly memos: number;
}

/** Leaves the plans of a unit with the reason why one of them could not be written. */
class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.kind);
    this.refusal = refusal;
  }
}

/**
 * Writes units within a transaction that others begin and end. The counters are read once when it begins and written back once
 * before it ends: every commit of every process draws revisions and sequences from the same ones, in commit order (REP-8, EVT-3).
 */
export class UnitWriter {
  readonly #connection: SqliteConnection;
  readonly #tables: Tables;
  #begun: TransactionCounters = { revision: 0, event: 0, counts: new Map(), memos: 0 };
  #revision = 0;
  #event = 0;
  /** Never changed, so that a position can keep it: there is a position for each unit. */
  #counts: ReadonlyMap<string, number> = new Map();
  #memos = 0;

  constructor(connection: SqliteConnection, tables: Tables) {
    this.#connection = connection;
    this.#tables = tables;
  }

  /** Reads the counters; the transaction must hold the write lock. */
  begin(): void {
    const read = this.#connection.get('select revision, event from restwright_sequences');
    if (read === null) throw new Error('The database has lost its sequences');
    this.restore({ revision: Number(read['revision']), event: Number(read['event']), counts: new Map(), memos: 0 });
    this.#begun = this.position();
  }

  /**
   * Writes the counters back, and forgets some of what has expired where something new was remembered.
   *
   * @param now milliseconds since the epoch
   */
  end(now: number): void {
    if (this.#memos > 0) this.#connection.run(PURGE_EXPIRED, [now, this.#memos + EXTRA_PURGED]);
    const { revision, event } = this.#begun;
    if (this.#revision !== revision || this.#event !== event) {
      this.#connection.run('update restwright_sequences set revision = ?, event = ?', [this.#revision, this.#event]);
    }
    for (const [resource, added] of this.#counts) this.#connection.run(ADD_COUNT, [resource, added, this.#revision]);
  }

  position(): TransactionCounters {
    return { revision: this.#revision, event: this.#event, counts: this.#counts, memos: this.#memos };
  }

  /** Takes the counters back to where they stood before a unit that is undone. */
  restore({ revision, event, counts, memos }: TransactionCounters): void {
    this.#revision = revision;
    this.#event = event;
    this.#counts = counts;
    this.#memos = memos;
  }

  /**
   * Writes the plans of a unit in order, where none of its memos stands already: a unit that comes again is told so before it runs into
   * what it wrote the first time (MET-12). After a refusal the caller undoes what was written.
   *
   * @param now milliseconds since the epoch
   * @throws {Error} where a plan expects the revision of one that does not come before it, or that left no row
   */
  write(unit: WriteUnit, now: number): WriteOutcome {
    const { records = [] } = unit;
    const standing = records.find(({ name }) => this.#connection.get(FIND_RECORD, [name, now]) !== null);
    if (standing !== undefined) return { kind: 'recorded', name: standing.name };
    const revisions: number[] = [];
    try {
      for (const [index, plan] of unit.plans.entries()) revisions.push(this.#plan(plan, index, revisions));
      for (const memo of records) this.#remember(memo, revisions);
      if (unit.bookmark !== undefined) this.#connection.run(SET_BOOKMARK, [unit.bookmark.name, unit.bookmark.value]);
      return { kind: 'committed', revisions };
    } catch (error) {
      if (error instanceof Refused) return error.refusal;
      throw error;
    }
  }

  /** @param drawn the revisions of the plans before it */
  #plan(plan: WritePlan, index: number, drawn: readonly number[]): number {
    switch (plan.kind) {
      case 'create':
        return this.#create(plan, index);
      case 'update':
        return this.#update(plan, index, resolved(plan.revision, drawn));
      case 'detach': {
        const revision = resolved(plan.revision, drawn);
        this.#store(plan, index, updateStatement(this.#tables, plan, revision, revision));
        return revision;
      }
      case 'delete':
        return this.#delete(plan, index, resolved(plan.revision, drawn));
    }
  }

  #remember({ name, request, outcome, expiresAt }: IdempotencyRecord, revisions: readonly number[]): void {
    this.#memos += 1;
    this.#connection.run(SET_RECORD, [name, request, outcome, JSON.stringify(revisions), expiresAt]);
  }

  #create(plan: CreatePlan, index: number): number {
    const { expectStamps = [] } = plan;
    if (expectStamps.some((seen) => this.#hasChanged(seen))) throw new Refused({ kind: 'stale', plan: index });
    const missing = plan.within.length === 0 ? null : this.#missing(plan.within);
    if (missing !== null)
      throw new Refused({ kind: 'ancestor', plan: index, resource: missing.resource, id: missing.id });
    this.#revision += 1;
    this.#store(plan, index, insertStatement(this.#tables, plan, this.#revision));
    this.#count(plan.resource, 1);
    this.#append(plan.event);
    return this.#revision;
  }

  #update(plan: UpdatePlan, index: number, expected: number): number {
    this.#revision += 1;
    this.#store(plan, index, updateStatement(this.#tables, plan, expected, this.#revision));
    this.#count(plan.resource, 0);
    this.#append(plan.event);
    return this.#revision;
  }

  #delete(plan: DeletePlan, index: number, expected: number): number {
    try {
      if (this.#run(deleteStatement(this.#tables, plan, expected)) === 0)
        throw new Refused({ kind: 'stale', plan: index });
    } catch (error) {
      if (!isForeignKeyFailure(error)) throw error;
      throw new Refused({ kind: 'dependents', plan: index });
    }
    // No row has it: it tells that the collection is another one.
    this.#revision += 1;
    this.#count(plan.resource, -1);
    this.#append(plan.event);
    return REMOVED;
  }

  /** Writes a row and its links; a statement that changes no row was compared with a revision that is gone. */
  #store(plan: RowPlan, index: number, row: Statement): void {
    try {
      if (this.#run(row) === 0) throw new Refused({ kind: 'stale', plan: index });
      for (const link of linkStatements(this.#tables, plan)) this.#run(link);
    } catch (error) {
      if (!isConstraintFailure(error)) throw error;
      const refusal = explainViolation(this.#tables, plan, index, (statement) => this.#finds(statement));
      throw refusal === null ? error : new Refused(refusal);
    }
  }

  /** What this transaction has changed stands in the database only when it ends. */
  #hasChanged({ resource, stamp }: ExpectedStamp): boolean {
    return this.#counts.has(resource) || readResourceStamp(this.#connection, resource) !== stamp;
  }

  #missing(within: readonly Ancestor[]): Ancestor | null {
    const { text, values } = ancestorsStatement(this.#tables, within);
    const stands = this.#connection.get(text, values);
    return outermostMissing(within, (index) => stands?.[String(index)] === 1);
  }

  #append(draft: EventDraft | null): void {
    if (draft === null) return;
    this.#event += 1;
    const { resource, timestamp } = draft.payload;
    this.#connection.run(ADD_EVENT, [
      this.#event,
      draft.id,
      draft.type,
      resource.type,
      resource.id,
      Date.parse(timestamp),
      JSON.stringify(envelope(draft, this.#event)),
    ]);
  }

  #count(resource: string, added: number): void {
    const before = this.#counts.get(resource);
    if (before === undefined || added !== 0) {
      this.#counts = new Map(this.#counts).set(resource, (before ?? 0) + added);
    }
  }

  #run({ text, values }: Statement): number {
    return this.#connection.run(text, values);
  }

  #finds({ text, values }: Statement): boolean {
    return this.#connection.get(text, values) !== null;
  }
}

/** A revision as a number, where a plan expects the one that an earlier plan of its unit drew. */
function resolved(expected: ExpectedRevision, drawn: readonly number[]): number {
  if (typeof expected === 'number') return expected;
  const revision = drawn[expected.plan];
  if (revision === undefined) throw new Error(`plan ${expected.plan} does not come before the one that builds on it`);
  if (revision === REMOVED) throw new Error(`plan ${expected.plan} left no row to build on`);
  return revision;
}
