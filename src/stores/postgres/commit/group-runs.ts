import type { QueuedUnit, UnitResult } from '../../sql/write/unit-queue.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import type { KnownShapes } from './known-shapes.ts';
import type { UnitTransaction } from './unit-transaction.ts';

/** Units that a transaction has run, with their results. */
export interface RunUnits {
  readonly transaction: UnitTransaction;
  readonly units: readonly QueuedUnit[];
  readonly results: readonly UnitResult[];
}

/** Transactions of units that write rows of other programs. */
export interface GroupRuns {
  /** Runs units in one transaction, as far as they can share it. */
  readonly runTogether: (run: GroupRun) => Promise<DividedUnits>;
  /** Runs a unit in a transaction of its own, and settles it. */
  readonly runAlone: (unit: QueuedUnit) => void;
}

/** Units in a transaction that may be committed, if there is one, and units that cannot share it. */
export interface DividedUnits {
  readonly run: RunUnits | null;
  readonly alone: readonly QueuedUnit[];
}

/** The units of a group, and the session of their transaction. */
export interface GroupRun {
  readonly session: PostgresConnection;
  readonly units: readonly QueuedUnit[];
  readonly shapes: KnownShapes;
}
