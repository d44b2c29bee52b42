import type { StoredRowChange } from '../../../versions/row-changes.ts';

/** The cost of a step: constant, reading each row, or copying each row. */
export interface StepCost {
  readonly kind: 'constant' | 'reads' | 'rewrites';
  /** The number of rows. */
  readonly rows: number;
}

/** The lock of a step, and who waits for it. */
export interface StepLock {
  /** As the documentation of the database names it: `ACCESS EXCLUSIVE`. */
  readonly mode: string;
  /** The table that is locked; null for the whole database. */
  readonly table: string | null;
  /** The requests that wait while it is held. */
  readonly blocks: 'nothing' | 'writes' | 'reads and writes';
  /**
   * True if it is held for a moment, for any number of rows; false if it is held while the step reads or writes rows.
   */
  readonly momentary: boolean;
}

/** Stored rows that a rule of the model forbids. */
export interface BrokenRule {
  /** The rule: `products.status must be one of ACTIVE, CLOSED`. */
  readonly rule: string;
  readonly rows: number;
  /** The ids of the first ones. */
  readonly ids: readonly string[];
  /** The advice for them. */
  readonly fix: string;
  /** True if no table can hold the rows under the rule. Others can stay as they are until they are written. */
  readonly blocking: boolean;
}

/** One step of a migration. */
export interface SchemaStep {
  readonly purpose: string;
  /** The SQL, in order; empty for a rule that only requests are checked against. */
  readonly statements: readonly string[];
  readonly cost: StepCost;
  /** null for a step without statements. */
  readonly lock: StepLock | null;
  /** The data that it would lose, and how the model can keep it. */
  readonly losses: readonly string[];
  readonly broken: readonly BrokenRule[];
  /** The changes of `versions` that it makes; absent where it makes none. */
  readonly changes?: readonly StoredRowChange[];
  /** Estimated milliseconds; absent where nothing was measured. */
  readonly duration?: number;
}

/** The steps of one transaction, whose locks are held until it ends: as long as the slowest step takes. */
export function heldTogether(steps: readonly SchemaStep[]): readonly SchemaStep[] {
  if (steps.every(({ cost }) => cost.kind === 'constant' || cost.rows === 0)) return steps;
  return steps.map((step) => (step.lock === null ? step : { ...step, lock: { ...step.lock, momentary: false } }));
}

/** The consent to losses: without it, a migration loses nothing and leaves no row that breaks a rule (OPS-4). */
export type Consent = 'none' | 'losses';

/** `products.status must be one of ACTIVE, CLOSED: 12 rows break it (a, b, c, ...); change them first`. */
export function describeBrokenRule({ rule, rows, ids, fix }: BrokenRule): string {
  const named = rows > ids.length ? [...ids, '...'] : ids;
  const count = rows === 1 ? '1 row breaks' : `${rows} rows break`;
  return `${rule}: ${count} it (${named.join(', ')}); ${fix}`;
}

const UNCHANGED = 'Nothing was changed.';
const INTERRUPTED = 'The steps before it were made. Migrate again once the rows are changed: it resumes there.';

function concludeWith(advice: string | null): string {
  return advice === null ? UNCHANGED : `${advice} ${UNCHANGED}`;
}

/** A migration that was refused. */
class RefusedMigration extends Error {
  /** Empty where the rows were found while it ran. */
  readonly plan: readonly SchemaStep[];

  /**
   * @param reasons each once, as sentences without a full stop
   * @param state what became of the database
   */
  constructor(cause: string, reasons: readonly string[], plan: readonly SchemaStep[], state = UNCHANGED) {
    super(`${cause}\n${[...new Set(reasons)].map((reason) => `- ${reason}`).join('\n')}\n${state}`);
    this.plan = plan;
  }
}

/**
 * The model requires a migration that would lose stored data, or leave rows that break its rules, and there is no
 * consent (OPS-4).
 */
export class LossySchemaChange extends RefusedMigration {
  override readonly name = 'LossySchemaChange';

  /** @param advice on all of them; null for none */
  constructor(plan: readonly SchemaStep[], advice: string | null = null) {
    const reasons = plan.flatMap(({ losses, broken }) => [...losses, ...broken.map(describeBrokenRule)]);
    super(
      'The model requires a migration that would lose data, or leave rows that break its rules:',
      reasons,
      plan,
      concludeWith(advice),
    );
  }
}

/** Stored rows prevent the migration to the model, with consent too: its tables cannot hold them. */
export class SchemaViolation extends RefusedMigration {
  override readonly name = 'SchemaViolation';

  /** @param outcome whether steps before the one that failed were made, and an advice on all reasons */
  constructor(
    reasons: readonly string[],
    plan: readonly SchemaStep[],
    {
      isInterrupted = false,
      advice = null,
    }: { readonly isInterrupted?: boolean; readonly advice?: string | null } = {},
  ) {
    const state = isInterrupted ? INTERRUPTED : concludeWith(advice);
    super('Stored rows prevent the migration to the model:', reasons, plan, state);
  }
}

/** Instances of the model cannot run next to those of the model before it (OPS-6). */
export class IncompatibleModels extends RefusedMigration {
  override readonly name = 'IncompatibleModels';

  constructor(reasons: readonly string[]) {
    super('Instances of this model cannot run next to those of the model before it:', reasons, []);
  }
}

/** The database cannot be used: it is corrupt, of another program, of a newer version, or does not match the model. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}
