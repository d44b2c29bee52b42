import { hasRoles } from '../../../model/auth-rules.ts';
import type { Observe } from '../../../observe/observation.ts';
import type { WriteOutcome, WriteUnit } from '../../../plan/write-unit.ts';
import { type Clock, monotonicNow } from '../../../platform/clock.ts';
import type { Tables } from '../../sql/tables.ts';
import type { QueuedUnit } from '../../sql/write/unit-queue.ts';
import type { WriteHealth } from '../../sql/write-health.ts';
import { RoleForbidden, type Writer } from '../../store.ts';
import type { OwnCommit, PostgresChangeStamps } from '../commit/change-stamps.ts';
import { limitCommit, MAX_ATTEMPTS } from '../commit/commit-limits.ts';
import { PostgresGroupCommit } from '../commit/group-commit.ts';
import type { DividedUnits, GroupRun, GroupRuns } from '../commit/group-runs.ts';
import { TimelineChanged } from '../commit/begin-transaction.ts';
import { KnownShapes } from '../commit/known-shapes.ts';
import type { Session } from '../connection/sessions.ts';
import { isTransient, sqlState, storeError } from '../driver/postgres-errors.ts';
import type { PostgresClient } from '../read/postgres-client.ts';
import { type SnapshotOptions, SnapshotStamps } from './snapshot-stamps.ts';
import { listWritten, mayShare, TableGroup } from './table-group.ts';
import { type TableResult, TableTransaction } from './table-transaction.ts';

interface TableCommitOptions {
  /** Each runs one transaction of a unit at a time. */
  readonly sessions: readonly Session[];
  /** Each runs one transaction of several units at a time, and waits for locks for a short time. */
  readonly groupSessions: readonly Session[];
  readonly tables: Tables;
  /** True if every unit is written as a caller: no other one reaches the database. */
  readonly hasRoles: boolean;
  /** Milliseconds that a request may take. */
  readonly handlerTimeout: number;
  readonly clock: Clock;
  readonly observe: Observe;
  /** Those of own rows. */
  readonly stamps: Pick<PostgresChangeStamps, 'committed'>;
  /** Those of the tables. */
  readonly shown: Pick<SnapshotStamps, 'committed'>;
  readonly health: Pick<WriteHealth, 'writeFailed'>;
  readonly client: Pick<PostgresClient, 'requireMatch' | 'explain'>;
}

/** The code of a statement that waited too long for a lock. */
const LOCKED = '55P03';

/**
 * Commits units that write tables of another program. Those that wait share a transaction and its sync. One that is
 * refused there, or waits for a lock, has a transaction of its own. So a row that is locked for long delays the writes
 * to that row alone. Such a unit that waits too long gives its session to others, and is tried again.
 */
export class TableCommit implements Writer {
  readonly #options: TableCommitOptions;
  readonly #groups: PostgresGroupCommit;
  readonly #free: Session[];
  readonly #waiting: ((session: Session) => void)[] = [];
  readonly #shapes = new KnownShapes();
  #pending = 0;
  #drained: (() => void) | null = null;
  #isClosed = false;

  constructor(options: TableCommitOptions) {
    this.#options = options;
    const runs: GroupRuns = {
      runTogether: (run) => this.#runTogether(run),
      runAlone: (queued) => void this.#runAlone(queued),
    };
    const committed = (own: OwnCommit): void => {
      options.shown.committed();
      options.stamps.committed(own);
    };
    const shared = { ...options, stamps: { committed }, sessions: options.groupSessions };
    this.#groups = new PostgresGroupCommit({ ...shared, runs });
    this.#free = [...options.sessions];
  }

  get pending(): number {
    return this.#pending + this.#groups.pending;
  }

  async commit(unit: WriteUnit, deadline: number | null = null): Promise<WriteOutcome> {
    if (this.#isClosed) throw new Error('The store is closed');
    if (this.#options.hasRoles && unit.as === undefined) throw new Error('The tables are written by callers alone');
    return mayShare(this.#options.tables, unit)
      ? this.#groups.commit(unit, deadline)
      : this.#commitAlone(unit, deadline);
  }

  /** Accepts no more units and resolves once the accepted ones are settled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#groups.close();
    if (this.#pending === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  /** Writes units in one transaction, without those that are refused in it. */
  async #runTogether({ session, units, shapes }: GroupRun): Promise<DividedUnits> {
    const { tables, clock } = this.#options;
    const options = { session, tables, now: clock.now(), shapes };
    let left = selectDistinct(units);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS && left.length > 0; attempt += 1) {
      const group = left;
      const written = await new TableGroup(
        options,
        group.map(({ unit }) => unit),
      ).run();
      if (written.kind === 'written')
        return { run: { ...written, units: group }, alone: units.filter((each) => !group.includes(each)) };
      left = group.filter((_, at) => !written.units.has(at));
    }
    return { run: null, alone: units };
  }

  async #runAlone({ unit, deadline, resolve, reject }: QueuedUnit): Promise<void> {
    try {
      resolve(await this.#commitAlone(unit, deadline));
    } catch (error) {
      reject(error);
    }
  }

  async #commitAlone(unit: WriteUnit, deadline: number | null): Promise<WriteOutcome> {
    this.#pending += 1;
    const begun = monotonicNow();
    try {
      this.#options.client.requireMatch();
      const outcome = await this.#beforeDeadline(this.#commit(unit, deadline), deadline);
      this.#options.observe({ kind: 'commit', duration: monotonicNow() - begun, units: 1 });
      return outcome;
    } catch (error) {
      throw await this.#options.client.explain(this.#options.health.writeFailed(storeError(error)));
    } finally {
      this.#pending -= 1;
      if (this.#pending === 0) this.#drained?.();
    }
  }

  async #commit(unit: WriteUnit, deadline: number | null): Promise<WriteOutcome> {
    for (let attempt = 1; ; ) {
      const session = await this.#take();
      try {
        if (deadline !== null && this.#options.clock.now() > deadline) return { kind: 'expired' };
        return await this.#run(session, unit);
      } catch (error) {
        if (error instanceof RoleForbidden) throw error;
        session.discard();
        this.#shapes.clear();
        const isLocked = sqlState(error) === LOCKED;
        if (!isLocked) attempt += 1;
        const isRetried = isLocked ? deadline !== null : isTransient(error) || error instanceof TimelineChanged;
        if (!isRetried || attempt > MAX_ATTEMPTS) throw error;
      } finally {
        this.#release(session);
      }
    }
  }

  async #run(session: Session, unit: WriteUnit): Promise<TableResult['outcome']> {
    const { tables, clock, stamps, shown } = this.#options;
    const options = { session: await session.open(), tables, now: clock.now(), shapes: this.#shapes };
    const { outcome, own } = await new TableTransaction(options, unit).run();
    shown.committed();
    if (own !== null) stamps.committed(own);
    return outcome;
  }

  #take(): Promise<Session> {
    const session = this.#free.pop();
    if (session !== undefined) return Promise.resolve(session);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #release(session: Session): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(session);
    else next(session);
  }

  /** Settles a unit that takes too long. */
  async #beforeDeadline(committed: Promise<WriteOutcome>, deadline: number | null): Promise<WriteOutcome> {
    if (deadline === null) return committed;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = limitCommit(this.#options, deadline, reject);
    try {
      return await Promise.race([committed, promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Selects units that write different rows and records, in their order. */
function selectDistinct(units: readonly QueuedUnit[]): readonly QueuedUnit[] {
  const names = new Set<string>();
  return units.filter(({ unit }) => {
    const own = listWritten(unit);
    const isDistinct = own.every((name) => !names.has(name));
    if (isDistinct) for (const name of own) names.add(name);
    return isDistinct;
  });
}

/** Opens the writer and the stamps of tables of another program. */
export function openTableParts({ model, ...used }: Omit<TableCommitOptions, 'shown' | 'hasRoles'> & SnapshotOptions): {
  readonly writes: TableCommit;
  readonly stamps: SnapshotStamps;
} {
  const stamps = new SnapshotStamps({ ...used, model });
  return { writes: new TableCommit({ ...used, shown: stamps, hasRoles: hasRoles(model) }), stamps };
}
