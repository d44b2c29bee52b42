import {
  type CreatePlan,
  type DeletePlan,
  type DetachPlan,
  EVERYTHING,
  type ExpectedStamp,
  type UpdatePlan,
  type WritePlan,
} from '../../../plan/plan.ts';
import { NO_ROWS, type Refusal, type RowPlan, type WriteOutcome, type WriteUnit } from '../../../plan/write-unit.ts';
import { DELETED, resolveRevision } from '../../../plan/write/pending-revisions.ts';
import type { DeliveryPlan } from '../../../plan/delivery-plan.ts';
import type { Statement } from '../dialect.ts';
import { afterRemoval, appendEvent, type LogState } from '../events/append-event.ts';
import { compileDelivery } from '../events/delivery-statements.ts';
import { ancestorStatement } from '../read/exists-statements.ts';
import { addChange } from '../log-numbers.ts';
import type { Tables } from '../tables.ts';
import { clearTombstone, setTombstone } from '../tombstones.ts';
import type { ChangedTotals, Counters } from './counters.ts';
import { partitionStatements } from './partition-statements.ts';
import { deleteStatement, insertStatement, linkStatements, updateStatement } from './write-statements.ts';

const UNCHANGED: ChangedTotals = { added: 0, stamp: 0 };

/** The meaning of a constraint violation: a refusal, or the result of the plan's probes. */
export type Violation = Refusal | { readonly kind: 'unexplained'; readonly plan: RowPlan; readonly index: number };

/** One statement of a unit. */
export interface UnitStatement {
  readonly statement: Statement;
  /** The expected result: it changes a row, reads a row, or reads none; null if any result is fine. */
  readonly expects: 'change' | 'row' | 'no row' | null;
  /** The refusal of the unit if the statement has another result. */
  readonly refusal: Refusal | null;
  /** The refusal of the unit if the statement violates a constraint; null if it cannot. */
  readonly violation: Violation | null;
}

/** A unit as data: statements to run in order within a transaction, up to the first that refuses the unit. */
export interface CompiledUnit {
  readonly statements: readonly UnitStatement[];
  /** The outcome once every statement has done what it must. */
  readonly outcome: WriteOutcome;
  /** The counters after a committed unit. */
  readonly counters: Counters;
}

/**
 * Compiles a unit. The idempotency records come first: a repeated unit is refused as `recorded` before it conflicts
 * with what it wrote the first time (MET-12).
 *
 * @param now milliseconds since the epoch
 * @throws {Error} where a plan expects the revision of a later plan, or of one that deletes its row
 */
export function compileUnit(tables: Tables, unit: WriteUnit, counters: Counters, now: number): CompiledUnit {
  const { plans, expectStamps = [], records = [], bookmark, removedBookmarks = [], delivery } = unit;
  const compiler = new UnitCompiler(tables, counters);
  for (const { name } of records)
    compiler.expect('no row', tables.system.hasRecord(name, now), { kind: 'recorded', name });
  const refusal = compiler.stamps(expectStamps, 0) ?? compiler.plans(plans);
  if (refusal !== null) return { statements: compiler.statements, outcome: refusal, counters };
  for (const record of records) {
    const made = typeof record.outcome === 'string' ? record.outcome : record.outcome(NO_ROWS);
    const outcome = tables.recordForms.writeOutcome(made);
    compiler.run(tables.system.setRecord({ ...record, outcome }, compiler.revisions));
  }
  if (bookmark !== undefined) compiler.run(tables.system.setBookmark(bookmark));
  for (const name of removedBookmarks) compiler.run(tables.system.removeBookmark(name));
  if (delivery !== undefined) compiler.delivery(delivery);
  return {
    statements: compiler.statements,
    outcome: { kind: 'committed', revisions: compiler.revisions },
    counters: compiler.counters(records.length),
  };
}

/** Collects the statements of one unit and assigns its revisions and sequences. */
class UnitCompiler {
  readonly statements: UnitStatement[] = [];
  /** The statements of the plans so far. */
  readonly revisions: number[] = [];
  readonly #tables: Tables;
  readonly #begun: Counters;
  #revision: number;
  #changes: number;
  #log: LogState;
  /** Copied on write: units that are refused keep the map of the unit before. */
  #totals: Counters['totals'];
  #tombstones: number;
  /** The deletions before this index are recorded. */
  #recordedTo = 0;

  constructor(tables: Tables, begun: Counters) {
    this.#tables = tables;
    this.#begun = begun;
    this.#revision = begun.revision;
    this.#log = begun.log;
    this.#changes = begun.changes;
    this.#totals = begun.totals;
    this.#tombstones = begun.tombstones;
  }

  counters(records: number): Counters {
    return {
      ...this.#begun,
      revision: this.#revision,
      changes: this.#changes,
      log: this.#log,
      totals: this.#totals,
      records: this.#begun.records + records,
      tombstones: this.#tombstones,
    };
  }

  /** Adds a statement whose result does not matter. */
  run(statement: Statement, violation: Violation | null = null): void {
    this.statements.push({ statement, expects: null, refusal: null, violation });
  }

  /** Adds a statement that refuses the unit unless it does what is expected. */
  expect(expects: 'row' | 'no row', statement: Statement, refusal: Refusal): void {
    this.statements.push({ statement, expects, refusal, violation: null });
  }

  /** Adds the statements of all plans. @returns why the unit is refused, where that is known without running them */
  plans(plans: readonly WritePlan[]): Refusal | null {
    for (const [index, plan] of plans.entries()) {
      if (isRemoval(plan) && index >= this.#recordedTo) this.#recordDeletions(plans, index);
      const refusal = this.#plan(plan, index);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  /** Adds the statements of deliveries. They refuse the unit where another process has the lease of their reader. */
  delivery(plan: DeliveryPlan): void {
    for (const { statement, isExpected } of compileDelivery(
      this.#tables.dialect,
      plan,
      Math.max(this.#log.end, this.#log.sequence),
    )) {
      if (isExpected) {
        const refusal: Refusal = { kind: 'stale', plan: 0 };
        this.statements.push({ statement, expects: 'change', refusal, violation: null });
      } else this.run(statement);
    }
    if (plan.removeThrough !== undefined) this.#log = afterRemoval(this.#log, plan.removeThrough);
  }

  /** Expects that resources have not changed. @param index of the plan that is refused otherwise */
  stamps(expected: readonly ExpectedStamp[], index: number): Refusal | null {
    const stale: Refusal = { kind: 'stale', plan: index };
    for (const { resource, stamp } of expected) {
      // The stamps of what this transaction has changed are stored when it ends.
      if (this.#totals.has(resource)) return stale;
      this.expect('row', this.#tables.system.hasResourceStamp(resource, stamp), stale);
    }
    return null;
  }

  #assign(): void {
    this.#revision = this.#begun.next(this.#revision);
    this.#changes += 1;
  }

  /** Adds the statements of a plan. @returns why the unit is refused, where that is known without running them */
  #plan(plan: WritePlan, index: number): Refusal | null {
    if (plan.written !== undefined) return this.#written(plan, plan.written);
    switch (plan.kind) {
      case 'create': {
        const refusal = this.#preconditions(plan, index);
        if (refusal !== null) return refusal;
        if (plan.overlong !== undefined) return { kind: 'too-long', plan: index, fields: plan.overlong };
        this.#assign();
        this.#recorded(plan, () => this.#stamped(plan, () => this.#create(plan, index)));
        return this.#changed(plan, 1, this.#revision);
      }
      case 'update':
        if (plan.overlong !== undefined) return { kind: 'too-long', plan: index, fields: plan.overlong };
        this.#assign();
        this.#recorded(plan, () => this.#stamped(plan, () => this.#update(plan, index, this.#revision)));
        return this.#changed(plan, 0, this.#revision);
      case 'detach': {
        const revision = resolveRevision(plan.revision, this.revisions);
        this.#update(plan, index, revision);
        this.revisions.push(revision);
        return null;
      }
      case 'delete':
        // No row has this revision: it is the new stamp of the resource.
        this.#assign();
        this.#stamped(plan, () => this.#delete(plan, index));
        return this.#changed(plan, -1, DELETED);
    }
  }

  /** Adds what is recorded of a row that is written already. Others change its table, too: it has no totals. */
  #written(plan: WritePlan, revision: number): null {
    if (plan.kind !== 'delete') this.#recorded(plan, () => {});
    const { dialect, resource } = this.#tables.of(plan.resource);
    if (plan.kind === 'create' && resource.tombstones !== null) this.run(clearTombstone(dialect, plan.resource, plan));
    this.revisions.push(revision);
    return null;
  }

  /** The expected stamps and the ancestors of a create plan, the outermost one first. */
  #preconditions({ expectStamps = [], within }: CreatePlan, index: number): Refusal | null {
    const stale = this.stamps(expectStamps, index);
    if (stale !== null) return stale;
    const above = within.map((ancestor) => ({ ...ancestor, visible: EVERYTHING }));
    for (let level = within.length - 1; level >= 0; level -= 1) {
      const ancestor = above[level];
      if (ancestor === undefined) continue;
      const refusal: Refusal = { kind: 'ancestor', plan: index, resource: ancestor.resource, id: ancestor.id };
      this.expect('row', ancestorStatement(this.#tables, above, level), refusal);
    }
    return null;
  }

  /** Writes a row, and stamps the partitions that it leaves and enters. */
  #stamped(plan: CreatePlan | UpdatePlan | DeletePlan, write: () => void): void {
    const { left, entered } = partitionStatements(this.#tables, plan, this.#revision, this.#log.slot);
    for (const statement of left) this.run(statement);
    write();
    for (const statement of entered) this.run(statement);
  }

  #create(plan: CreatePlan, index: number): void {
    this.#row(plan, index, insertStatement(this.#tables, plan, this.#revision));
    const { dialect, resource } = this.#tables.of(plan.resource);
    if (resource.tombstones !== null) this.run(clearTombstone(dialect, plan.resource, plan));
  }

  #update(plan: UpdatePlan | DetachPlan, index: number, revision: number): void {
    this.#row(
      plan,
      index,
      updateStatement(this.#tables, plan, resolveRevision(plan.revision, this.revisions), revision),
    );
  }

  /**
   * Writes a row and its links. A statement that changes no row was compared with a revision that the row no longer
   * has.
   */
  #row(plan: RowPlan, index: number, statement: Statement): void {
    const violation: Violation = { kind: 'unexplained', plan, index };
    this.statements.push({ statement, expects: 'change', refusal: { kind: 'stale', plan: index }, violation });
    for (const link of linkStatements(this.#tables, plan)) this.run(link, violation);
  }

  #delete(plan: DeletePlan, index: number): void {
    this.statements.push({
      statement: deleteStatement(this.#tables, plan, resolveRevision(plan.revision, this.revisions)),
      expects: 'change',
      refusal: { kind: 'stale', plan: index },
      violation: { kind: 'dependents', plan: index },
    });
  }

  /** Adds the event of a plan, and what is recorded with it. */
  #recorded(plan: WritePlan, write: () => void): void {
    if (plan.event === null) return write();
    const { ahead, behind, log } = appendEvent(this.#tables, plan.event, plan, this.#log);
    this.#log = log;
    for (const statement of ahead) this.run(statement);
    write();
    for (const statement of behind) this.run(statement);
  }

  /**
   * Adds the events and tombstones of consecutive deletions before the first of them. They record the values that
   * related rows have before a cascade deletes these too.
   */
  #recordDeletions(plans: readonly WritePlan[], first: number): void {
    const end = plans.findIndex((plan, index) => index > first && !isRemoval(plan));
    this.#recordedTo = end === -1 ? plans.length : end;
    for (const plan of plans.slice(first, this.#recordedTo)) {
      this.#recorded(plan, () => {});
      if (plan.kind !== 'delete' || plan.tombstone === undefined) continue;
      this.#tombstones += 1;
      this.run(setTombstone(this.#tables, plan, plan.tombstone));
    }
  }

  /** Counts the rows of the resource and reports the revision. */
  #changed({ resource }: WritePlan, added: number, revision: number): null {
    this.revisions.push(revision);
    const before = this.#totals.get(resource) ?? UNCHANGED;
    const stamp = addChange(this.#tables.dialect, before.stamp, this.#revision);
    this.#totals = new Map(this.#totals).set(resource, { added: before.added + added, stamp });
    return null;
  }
}

/** True if a plan deletes a row, or prepares that. */
function isRemoval({ kind }: WritePlan): boolean {
  return kind === 'delete' || kind === 'detach';
}
