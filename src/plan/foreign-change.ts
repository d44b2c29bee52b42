import type { Row, WritePlan } from './plan.ts';

/** A change of one row that another program has made. */
export interface ForeignChange {
  readonly kind: 'foreign';
  /** Name of the resource. */
  readonly resource: string;
  /** The row before it; null where there was none. */
  readonly before: Row | null;
  /** The row after it; null where there is none. */
  readonly after: Row | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
  /** Identifies the transaction that made it. */
  readonly transaction: string;
}

/** A change that this server, or another instance of it, has made itself, and that waited behind those of others. */
interface WaitingPlan {
  readonly kind: 'planned';
  readonly plan: WritePlan;
  /** Identifies the transaction that made it. */
  readonly transaction: string;
}

/** A change that is recorded, and whose event is not in the log yet. */
export type RecordedChange = ForeignChange | WaitingPlan;

/** Makes the plans of written rows, with their events, of recorded changes. */
export type PlanChanges = (changes: readonly RecordedChange[]) => readonly WritePlan[];
