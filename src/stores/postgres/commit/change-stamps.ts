import type { Partition } from '../../../plan/list/partitions.ts';
import type { WritePlan } from '../../../plan/plan.ts';
import { loopIteration } from '../../../platform/clock.ts';
import type { SqlRow, Statement } from '../../sql/dialect.ts';
import { changedRow } from '../../sql/events/event-codec.ts';
import type { SqlClient } from '../../sql/sql-client.ts';
import { type ChangedRow, StampCache } from '../../sql/stamp-cache.ts';
import { FROM_LOG } from '../../sql/system-statements.ts';
import type { Tables } from '../../sql/tables.ts';
import { type ChangeStamps, StoreOverloaded } from '../../store.ts';
import { MAX_UNANSWERED } from '../read/postgres-client.ts';

/** Up to where a database has been changed. */
export interface DatabaseState {
  /** When its server started: another one may not have the last commits of this one. */
  readonly server: string;
  /** The last revision that was assigned. */
  readonly revision: number;
  /** The last sequence of an event. */
  readonly event: number;
}

/** A transaction of this process: the state before it and after it, and what it has written. */
export interface OwnCommit {
  readonly before: DatabaseState;
  readonly after: DatabaseState;
  readonly plans: readonly WritePlan[];
}

/** The columns that {@link parseState} reads, of the row of the log. */
export const STATE_COLUMNS =
  'change as revision, count as event, extract(epoch from pg_postmaster_start_time())::text as server';
const STATE: Statement = { text: `select ${STATE_COLUMNS} ${FROM_LOG}`, values: [] };
const CHANGED = `select shape.resource, event.resource_id from restwright_events as event
join restwright_event_shapes as shape on shape.id = event.shape where event.sequence > $1 and event.sequence <= $2`;

/** The most changes of others that are read one by one: after more of them, all stamps are read again. */
const MAX_CHANGES = 1_000;

/** The state in a row with {@link STATE_COLUMNS}. */
export function parseState(row: SqlRow | null): DatabaseState {
  return {
    server: String(row?.['server']),
    revision: Number(row?.['revision'] ?? 0),
    event: Number(row?.['event'] ?? 0),
  };
}

/**
 * Change stamps, cached in memory. Each commit that changes rows advances the state of the database, which is read once
 * per event-loop iteration. It contains every write that any instance acknowledged before a request arrived (OPS-5).
 * Changes of other instances are read from the event log. The stamps depend on the rows alone: not on identity,
 * permission, visibility or contract.
 */
export class PostgresChangeStamps implements ChangeStamps {
  readonly #client: SqlClient;
  readonly #cache: StampCache;
  /** The names of resources by those in events. */
  readonly #resources: ReadonlyMap<string, string>;
  #iteration: number | null = null;
  /** The read of the iteration. */
  #asked: Promise<void> = Promise.resolve();
  /** The number of reads of stamps that wait for it. */
  #waiting = 0;
  /** The number of reads so far, and of those that were sent before the known state was learned. */
  #reads = 0;
  #readsBefore = 0;
  /** The state that the cached stamps belong to. */
  #known: DatabaseState | null = null;
  /** The iteration of the last answered read: the known state has all that was acknowledged before it. */
  #confirmed = Number.NEGATIVE_INFINITY;
  /** Reads up to this one were sent before a commit of this process. */
  #unconfirmed = 0;

  constructor(client: SqlClient, tables: Tables) {
    this.#client = client;
    this.#cache = new StampCache(client, tables.system);
    this.#resources = new Map([...tables].map(({ resource }) => [resource.singular, resource.name]));
  }

  async resourceStamps(resources: readonly string[]): Promise<readonly number[]> {
    await this.#currentState();
    return this.#cache.resourceStamps(resources);
  }

  /** Stamps of the known state, where that has a revision; null where it has another one. */
  knownStamps(revision: number | null): Pick<ChangeStamps, 'resourceStamps' | 'partitionStamp'> | null {
    return this.#known?.revision === revision ? this.#cache : null;
  }

  async partitionStamp(resource: string, partition: Partition): Promise<number> {
    await this.#currentState();
    return this.#cache.partitionStamp(resource, partition);
  }

  async rowStamp(_resource: string, id: string): Promise<number> {
    await this.#currentState();
    return this.#cache.rowStamp(id);
  }

  knownRowStamp(_resource: string, id: string): number | null {
    return this.#known === null ? null : this.#cache.rowStamp(id);
  }

  /**
   * The state is asked on the session of the iteration, where reads that are sent after it see at least that state. A
   * single read saves a round trip and pays for its own write to the socket. Many reads would pay more than they save.
   */
  rowStampAhead(resource: string, id: string): number | null {
    return this.#waiting > 1 ? null : this.knownRowStamp(resource, id);
  }

  /** The state as far as this process knows without asking; null where it knows nothing. */
  get knownState(): DatabaseState | null {
    return this.#known;
  }

  /**
   * A state that the database shows, with everything that was acknowledged before an iteration of the event loop. It is
   * the known one, unless that may lack some of it.
   *
   * @throws {StoreOverloaded} {StoreUnavailable}
   */
  async stateSince(iteration: number): Promise<DatabaseState> {
    if (this.#known === null || this.#confirmed < iteration) await this.#currentState();
    if (this.#known === null) throw new Error('The state of the database was read, and is not known');
    return this.#known;
  }

  /** To be called once a transaction is committed, before anything else can read. */
  committed({ before, after, plans }: OwnCommit): void {
    // The next read includes the acknowledged commit, and those of others in between.
    this.#iteration = null;
    this.#confirmed = Number.NEGATIVE_INFINITY;
    this.#unconfirmed = this.#reads;
    if (this.#known === null || !isSameState(this.#known, before)) return;
    this.#cache.changed(plans);
    this.#learn(after);
  }

  /** @throws {StoreOverloaded} {StoreUnavailable} */
  async #currentState(): Promise<void> {
    // Checked before the state is asked, so that its failure is never an unhandled rejection.
    if (this.#waiting >= MAX_UNANSWERED)
      throw new StoreOverloaded(`${MAX_UNANSWERED} reads wait for the database already`);
    this.#waiting += 1;
    try {
      await this.#current();
    } finally {
      this.#waiting -= 1;
    }
  }

  #current(): Promise<void> {
    const iteration = loopIteration();
    if (iteration !== this.#iteration) {
      this.#iteration = iteration;
      this.#asked = this.#ask(iteration);
    }
    return this.#asked;
  }

  async #ask(iteration: number): Promise<void> {
    this.#reads += 1;
    const read = this.#reads;
    await this.#refresh(read);
    if (read > this.#unconfirmed) this.#confirmed = Math.max(this.#confirmed, iteration);
  }

  /** Reads the state, and what has changed since the known one. */
  async #refresh(read: number): Promise<void> {
    const state = parseState(await this.#client.get(STATE));
    const known = this.#known;
    if (known !== null && isSameState(known, state)) return;
    const changed = known === null ? null : await this.#changedBetween(known, state);
    if (this.#isOvertaken(read, state)) return;
    if (changed === null) this.#cache.clear();
    else this.#cache.changed(changed);
    this.#learn(state);
  }

  /**
   * Checks if a later read, or a commit, has found more. A lower revision of another server is that of a restored
   * database.
   */
  #isOvertaken(read: number, { server, revision }: DatabaseState): boolean {
    if (this.#known === null || read > this.#readsBefore) return false;
    return server !== this.#known.server || revision <= this.#known.revision;
  }

  /** The rows that were changed; null where they are too many, or the log does not have all of them. */
  async #changedBetween(from: DatabaseState, to: DatabaseState): Promise<readonly ChangedRow[] | null> {
    const count = to.revision - from.revision;
    // Each change has a revision, and an event unless it was imported.
    if (from.server !== to.server || count !== to.event - from.event || count <= 0 || count > MAX_CHANGES) return null;
    const rows = await this.#client.all({ text: CHANGED, values: [from.event, to.event] });
    const changed = rows.flatMap((row) => {
      const { type, id } = changedRow(row);
      const resource = this.#resources.get(type);
      return resource === undefined ? [] : [{ resource, id }];
    });
    return changed.length === count ? changed : null;
  }

  #learn(state: DatabaseState): void {
    this.#known = state;
    this.#readsBefore = this.#reads;
  }
}

function isSameState(one: DatabaseState, other: DatabaseState): boolean {
  return one.revision === other.revision && one.event === other.event && one.server === other.server;
}
