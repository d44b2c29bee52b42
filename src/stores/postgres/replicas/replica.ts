import { setTimeout as pause } from 'node:timers/promises';
import { monotonicNow } from '../../../platform/clock.ts';
import { OnceAnIteration } from '../../../platform/once-an-iteration.ts';
import { answeredWithin, settlesWithin } from '../../../platform/timeout.ts';
import type { Effort } from '../../../plan/plan.ts';
import type { SqlRow, Statement } from '../../sql/dialect.ts';
import type { BatchRows, StatementBatch } from '../../sql/sql-client.ts';
import { StoreOverloaded, StoreUnavailable } from '../../store.ts';
import {
  type DatabaseState,
  includesState,
  joinStates,
  NO_STATE,
  readState,
  SELECT_STATE,
} from '../commit/database-state.ts';
import { type OpenSession, Session } from '../connection/sessions.ts';
import { allAnswers } from '../driver/answers.ts';
import { sqlState, storeError } from '../driver/postgres-errors.ts';
import { MAX_UNANSWERED } from '../read/postgres-client.ts';
import { readBatch } from '../read/read-batch.ts';
import type { SlowReads } from '../read/slow-reads.ts';

/** The reason why nothing is read from a replica. */
export type ReplicaProblem = 'away' | 'behind' | 'not a replica' | 'of another server' | 'without the schema';

/** The rows of a batch, and the state in its snapshot. */
export interface ReplicaRead {
  readonly state: DatabaseState;
  readonly rows: BatchRows;
}

/** The sessions of a replica. */
interface ReplicaOptions {
  /** Host and port, for messages. */
  readonly name: string;
  /** Opens a session that reads. */
  readonly connect: OpenSession;
  /** Reads that may take long, on sessions of their own. */
  readonly slow: SlowReads;
}

/** The state that the server shows. Each write changes a slot, so that a snapshot with a state has all its commits. */
const STATE: Statement = {
  text: `select state.*, pg_is_in_recovery() as standby from (${SELECT_STATE}) as state`,
  values: [],
};
/** The identifier of a cluster, which replicas have from their primary. */
export const CLUSTER = 'select system_identifier::text as cluster from pg_control_system()';
/** The age of the last transaction that a replica shows, in seconds. */
const AGE = 'select extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as age';

const UNDEFINED_TABLE = '42P01';

/** Milliseconds between two looks at a replica that is behind. */
const LOOK_INTERVAL = 1;
/** Milliseconds that a replica may take to answer a probe. */
const PROBE_TIMEOUT = 500;

/** A server that follows the primary. Nothing is read from it while it has a problem. */
export class Replica {
  readonly name: string;
  /** Null while reads may go to it. */
  problem: ReplicaProblem | 'not probed' | null = 'not probed';
  /** Seconds that it is behind the primary: 0 while it has everything. */
  lag = 0;
  readonly #session: Session;
  readonly #probes: Session;
  readonly #slow: SlowReads;
  /** Ends the reads that wait for an answer. */
  readonly #waiting = new Set<(error: Error) => void>();
  /** The last state that it has shown. */
  #shown = NO_STATE;
  readonly #look = new OnceAnIteration(() => this.#readShown());

  constructor({ name, connect, slow }: ReplicaOptions) {
    this.name = name;
    this.#session = new Session(connect);
    this.#probes = new Session(connect);
    this.#slow = slow;
  }

  /**
   * Waits until the replica shows all commits of a state.
   *
   * @param until monotonic milliseconds
   * @returns whether it does
   * @throws {StoreUnavailable} where its session is lost
   */
  async shows(state: DatabaseState, until: number): Promise<boolean> {
    while (!includesState(this.#shown, state)) {
      const left = until - monotonicNow();
      if (left <= 0) return false;
      await settlesWithin(this.#look.run(), left);
      if (!includesState(this.#shown, state)) await pause(LOOK_INTERVAL);
    }
    return true;
  }

  /**
   * Reads a batch in one snapshot.
   *
   * @throws {StatementTimeout} {StoreOverloaded} {StoreUnavailable}
   * @throws what the database reports, such as a conflict with a change that the replica applies
   */
  async read(batch: StatementBatch, effort: Effort): Promise<ReplicaRead> {
    if (this.#waiting.size >= MAX_UNANSWERED)
      throw new StoreOverloaded(`${MAX_UNANSWERED} reads wait for the replica ${this.name} already`);
    const [state = [], ...rows] = await this.#abortable(this.#readBatch([STATE, ...batch], effort));
    return { state: this.#note(state[0] ?? null), rows };
  }

  /**
   * Looks for what speaks against reading from the replica.
   *
   * @param wanted the state that it has to show
   * @param cluster the identifier of its primary
   * @param wait milliseconds for that
   */
  async probe(wanted: DatabaseState, cluster: string, wait: number): Promise<ReplicaProblem | null> {
    try {
      const [state, own, age] = await answeredWithin(this.#readState(), PROBE_TIMEOUT, this.name);
      if (state?.['standby'] !== 1) return 'not a replica';
      if (own?.['cluster'] !== cluster) return 'of another server';
      // Reads wait for an answer, not for a session.
      await answeredWithin(this.#session.open(), PROBE_TIMEOUT, this.name);
      const isCurrent = includesState(this.#note(state), wanted) || (await this.shows(wanted, monotonicNow() + wait));
      this.lag = isCurrent ? 0 : Number(age?.['age'] ?? 0);
      return isCurrent ? null : 'behind';
    } catch (error) {
      return sqlState(error) === UNDEFINED_TABLE ? 'without the schema' : 'away';
    }
  }

  /** Ends all reads from the replica, until it is found without a problem. */
  leave(problem: ReplicaProblem): void {
    this.problem = problem;
    if (problem === 'behind') return;
    this.#shown = NO_STATE;
    for (const session of [this.#session, this.#probes, this.#slow]) session.discard();
    const error = new StoreUnavailable(`The replica ${this.name} is ${problem}`, { reason: 'away' });
    for (const end of this.#waiting) end(error);
  }

  async close(): Promise<void> {
    await Promise.all([this.#session, this.#probes, this.#slow].map((each) => each.close()));
  }

  async #readBatch(batch: StatementBatch, effort: Effort): Promise<BatchRows> {
    if (effort !== 'light') return this.#slow.read(batch, effort, null);
    return readBatch(await this.#session.open(), batch);
  }

  async #readState(): Promise<readonly (SqlRow | null)[]> {
    const session = await this.#probes.open();
    const answers = await allAnswers([STATE.text, CLUSTER, AGE].map((text) => session.query(text)));
    return answers.map(({ rows }) => rows[0] ?? null);
  }

  async #readShown(): Promise<void> {
    try {
      const session = await this.#session.open();
      const { rows } = await session.query(STATE.text);
      this.#note(rows[0] ?? null);
    } catch (error) {
      throw storeError(error);
    }
  }

  /** @throws {StoreUnavailable} where the server no longer follows another one */
  #note(row: SqlRow | null): DatabaseState {
    if (row?.['standby'] !== 1) throw new StoreUnavailable(`${this.name} is not a replica`, { reason: 'away' });
    const state = readState(row);
    this.#shown = joinStates(state, this.#shown);
    return state;
  }

  /** The result of a read, unless the replica is left first: one that is frozen would keep it waiting. */
  #abortable<T>(read: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.add(reject);
    read.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    return promise;
  }
}
