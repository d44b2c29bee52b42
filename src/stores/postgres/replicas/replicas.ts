import { setTimeout as pause } from 'node:timers/promises';
import type { Observe } from '../../../observe/observation.ts';
import type { Effort } from '../../../plan/plan.ts';
import { loopIteration, monotonicNow } from '../../../platform/clock.ts';
import type { StatementBatch } from '../../sql/sql-client.ts';
import { type ReplicaUsage, StatementTimeout, StoreUnavailable } from '../../store.ts';
import type { PostgresChangeStamps } from '../commit/change-stamps.ts';
import { type DatabaseState, includesState, joinStates, NO_STATE } from '../commit/database-state.ts';
import type { Replica, ReplicaProblem, ReplicaRead } from './replica.ts';

/** The most milliseconds that a read waits for a replica, or for the primary to show what a replica shows already. */
const MAX_WAIT = 20;
/** Milliseconds between two looks at the primary. */
const LOOK_INTERVAL = 1;
/** The most probes of a replica at the start. */
const FIRST_PROBES = 5;
/** Milliseconds between two probes of a replica. */
const PROBE_INTERVAL = 1_000;

/** A batch of a request. */
interface WantedRead {
  readonly batch: StatementBatch;
  readonly effort: Effort;
  /** The iteration of the event loop in which the request arrived. */
  readonly since: number;
  /** The least state that has what the request has seen. */
  readonly seen: DatabaseState;
}

/** The states of the primary. */
type PrimaryStates = Pick<PostgresChangeStamps, 'stateSince' | 'knownState'>;

/** A replica without its sessions. */
type ReadReplica = Pick<Replica, 'name' | 'problem' | 'lag' | 'shows' | 'read' | 'probe' | 'leave' | 'close'>;

interface ReplicasOptions {
  readonly replicas: readonly ReadReplica[];
  /** The identifier of the primary's cluster. */
  readonly cluster: string;
  readonly states: PrimaryStates;
  readonly observe: Observe;
}

/**
 * Reads batches from replicas, never staler than from the primary (OPS-5). A replica has to show the state that the
 * primary had when the request arrived, or a later one. Its snapshot may be ahead of the primary, which shows a commit
 * a moment after it is on disk. Then the read waits for the primary: what one request sees, all later ones see.
 */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #timer: NodeJS.Timeout;
  #turn = 0;
  #onReplicas = 0;
  #onPrimary = 0;
  /** The probes that are not done: null when there are none. */
  #probing: Promise<void> | null = null;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#probe(), PROBE_INTERVAL).unref();
  }

  /**
   * Reads a batch from a replica.
   *
   * @returns null where the primary has to be read: none of them may be read, or it is behind or fails
   * @throws {StatementTimeout} of the replica
   * @throws {StoreOverloaded} {StoreUnavailable} of the primary
   */
  async read(wanted: WantedRead): Promise<ReplicaRead | null> {
    const replica = this.#next();
    const read = replica === null ? null : await this.#readFrom(replica, wanted);
    if (read === null) this.#onPrimary += 1;
    else this.#onReplicas += 1;
    return read;
  }

  /** Probes all replicas, and those again that do not have the schema yet: it may just have been created. */
  async begin(): Promise<void> {
    await this.#probe();
    for (let probes = 1; probes < FIRST_PROBES; probes += 1) {
      const without = this.#options.replicas.filter(({ problem }) => problem === 'without the schema');
      if (without.length === 0) return;
      await pause(MAX_WAIT);
      await this.#probe(without);
    }
  }

  /** Probes replicas, each of which then is read from, or not. Probes that are not done are waited for instead. */
  #probe(replicas = this.#options.replicas): Promise<void> {
    this.#probing ??= this.#probeAll(replicas).finally(() => {
      this.#probing = null;
    });
    return this.#probing;
  }

  /** For metrics. */
  usage(): ReplicaUsage {
    const replicas = this.#options.replicas.map(({ name, problem, lag }) => ({ name, isRead: problem === null, lag }));
    return { replicas, onReplicas: this.#onReplicas, onPrimary: this.#onPrimary };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#probing;
    await Promise.all(this.#options.replicas.map((replica) => replica.close()));
  }

  /** The next one of the replicas without a problem. */
  #next(): ReadReplica | null {
    const ready = this.#options.replicas.filter(({ problem }) => problem === null);
    this.#turn += 1;
    return ready[this.#turn % ready.length] ?? null;
  }

  async #readFrom(replica: ReadReplica, { batch, effort, since, seen }: WantedRead): Promise<ReplicaRead | null> {
    const wanted = joinStates(await this.#options.states.stateSince(since), seen);
    const begun = monotonicNow();
    let read: ReplicaRead;
    let until: number;
    try {
      if (!(await replica.shows(wanted, begun + MAX_WAIT))) return this.#leave(replica, 'behind');
      const waited = monotonicNow() - begun;
      read = await replica.read(batch, effort);
      until = monotonicNow() + MAX_WAIT - waited;
    } catch (error) {
      if (error instanceof StatementTimeout) throw error;
      // The primary reports an error of the statement itself, such as after a migration.
      return error instanceof StoreUnavailable ? this.#leave(replica, 'away') : null;
    }
    return includesState(read.state, wanted) && (await this.#isShown(read.state, until)) ? read : null;
  }

  /** Waits until the primary shows all commits of a state. @returns whether it does */
  async #isShown(shown: DatabaseState, until: number): Promise<boolean> {
    const { states } = this.#options;
    let state = states.knownState ?? (await states.stateSince(loopIteration()));
    while (!includesState(state, shown)) {
      if (monotonicNow() >= until) return false;
      state = await states.stateSince(loopIteration());
      if (!includesState(state, shown)) await pause(LOOK_INTERVAL);
    }
    return true;
  }

  async #probeAll(replicas: readonly ReadReplica[]): Promise<void> {
    const { cluster, states } = this.#options;
    const wanted = states.knownState ?? NO_STATE;
    await Promise.all(
      replicas.map(async (replica) => {
        const problem = await replica.probe(wanted, cluster, MAX_WAIT);
        if (problem !== null) this.#leave(replica, problem);
        else this.#join(replica);
      }),
    );
  }

  #join(replica: ReadReplica): void {
    if (replica.problem === null) return;
    replica.problem = null;
    this.#options.observe({ kind: 'replica-joined', replica: replica.name });
  }

  #leave(replica: ReadReplica, problem: ReplicaProblem): null {
    const isNew = replica.problem !== problem;
    replica.leave(problem);
    if (isNew) this.#options.observe({ kind: 'replica-left', replica: replica.name, problem });
    return null;
  }
}
