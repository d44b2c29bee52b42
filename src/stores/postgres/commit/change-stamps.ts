import type { Partition } from '../../../plan/list/partitions.ts';
import type { WritePlan } from '../../../plan/plan.ts';
import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import { changedRow } from '../../sql/events/event-codec.ts';
import type { SqlClient } from '../../sql/sql-client.ts';
import { StampCache } from '../../sql/stamp-cache.ts';
import type { Tables } from '../../sql/tables.ts';
import type { ChangeStamps } from '../../store.ts';
import { SharedRead } from '../read/shared-read.ts';
import { SeenEvents, WINDOW } from './seen-events.ts';
import type { LogHorizon } from './log-horizon.ts';
import type { SlotTotals } from './begin-transaction.ts';
import {
  countChanges,
  type DatabaseState,
  hasSameCommits,
  includesState,
  joinStates,
  readState,
  SELECT_STATE,
  STATE,
} from './database-state.ts';
import { arrayLiteral } from '../dialect/literals.ts';

/** A transaction of this process: what it has added to its slot, and what it has written. */
export interface OwnCommit {
  /** When the server started. */
  readonly server: string;
  /** The totals of its slot before it. */
  readonly before: SlotTotals;
  readonly changes: number;
  /** The sequences of its events. */
  readonly events: readonly number[];
  readonly plans: readonly WritePlan[];
}

/** The state, with the events of its snapshot after a sequence, but for some. */
const CHANGED = `select state.*, event.sequence, shape.resource, event.resource_id from (${SELECT_STATE}) as state
left join restwright_events as event on event.sequence > $1 and event.sequence <> all ($2::bigint[])
left join restwright_event_shapes as shape on shape.id = event.shape
limit $3`;

/** A query of the last events alone. */
const NEWEST = `select state.*, event.sequence from (${SELECT_STATE}) as state
left join (select sequence from restwright_events order by sequence desc limit $1) as event on true`;

/** The most changes of others that are read one by one: after more of them, all stamps are read again. */
const MAX_CHANGES = 1_000;

/**
 * Change stamps, cached in memory. Each commit that changes rows advances its slot of the state, which is read once per
 * event-loop iteration. It contains every write that any instance acknowledged before a request arrived (OPS-5).
 * Changes of other instances are read from the event log, in which they may have smaller sequences than known ones. The
 * stamps depend on the rows alone: not on identity, permission, visibility or contract.
 */
export class PostgresChangeStamps implements ChangeStamps {
  readonly #client: SqlClient;
  readonly #cache: StampCache;
  readonly #horizon: Pick<LogHorizon, 'settledRevision'>;
  /** The names of resources by those in events. */
  readonly #resources: ReadonlyMap<string, string>;
  readonly #read = new SharedRead((iteration) => this.#ask(iteration));
  /** The number of reads so far, and of those that were sent before the known state was learned. */
  #reads = 0;
  #readsBefore = 0;
  /** The state that the cached stamps belong to. */
  #known: DatabaseState | null = null;
  /** The last events of that state. */
  #seen = new SeenEvents();
  /** The number of reads of stamps, and of those that the known state is later than. */
  #stampReads = 0;
  #includedStampReads = 0;
  /** The iteration of the last answered read: the known state has all that was acknowledged before it. */
  #confirmed = Number.NEGATIVE_INFINITY;
  /** Reads up to this one were sent before a commit of this process. */
  #unconfirmed = 0;

  constructor(client: SqlClient, tables: Tables, horizon: Pick<LogHorizon, 'settledRevision'>) {
    this.#client = client;
    this.#horizon = horizon;
    this.#cache = new StampCache(client, tables.system);
    this.#resources = new Map([...tables].map(({ resource }) => [resource.singular, resource.name]));
  }

  async resourceStamps(resources: readonly string[]): Promise<readonly number[]> {
    await this.#read.run();
    return this.#noted(this.#cache.resourceStamps(resources));
  }

  /** Stamps of the known state, where that has the commits of another one; null where it has others. */
  knownStamps(state: DatabaseState | null): Pick<ChangeStamps, 'resourceStamps' | 'partitionStamp'> | null {
    const known = this.#known;
    return known !== null && state !== null && hasSameCommits(known, state) ? this.#cache : null;
  }

  async partitionStamp(resource: string, partition: Partition): Promise<number> {
    await this.#read.run();
    return this.#noted(this.#cache.partitionStamp(resource, partition));
  }

  /** A state that has every change which stamps read so far count. */
  async stateOfStamps(): Promise<DatabaseState> {
    if (this.#known === null || this.#stampReads > this.#includedStampReads) {
      this.#read.renew();
      await this.#read.run();
    }
    if (this.#known === null) throw new Error('The state of the database was read, and is not known');
    return this.#known;
  }

  /** Stamps that are not in memory are read after the state, and may have later changes. */
  async #noted<T>(stamps: MaybePromise<T>): Promise<T> {
    if (!(stamps instanceof Promise)) return stamps;
    const read = await stamps;
    this.#stampReads += 1;
    return read;
  }

  async rowStamp(_resource: string, id: string): Promise<number> {
    await this.#read.run();
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
    return this.#read.waiting > 1 ? null : this.knownRowStamp(resource, id);
  }

  settledRevision(): Promise<number> {
    return this.#horizon.settledRevision();
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
    if (this.#known === null || this.#confirmed < iteration) await this.#read.run();
    if (this.#known === null) throw new Error('The state of the database was read, and is not known');
    return this.#known;
  }

  /** To be called once a transaction is committed, before anything else can read. */
  committed({ server, before, changes, events, plans }: OwnCommit): void {
    // The next read includes the acknowledged commit, and those of others in between.
    this.#read.renew();
    this.#confirmed = Number.NEGATIVE_INFINITY;
    this.#unconfirmed = this.#reads;
    const known = this.#known;
    // A state that has more of the slot has this commit: it was read before the answer arrived.
    if (known === null || changes === 0 || known.server !== server) return;
    if ((known.slots.get(before.slot) ?? 0) !== before.changes) return;
    this.#cache.changed(plans);
    this.#seen.add(events);
    this.#learn({
      server,
      slots: new Map(known.slots).set(before.slot, before.changes + changes),
    });
  }

  async #ask(iteration: number): Promise<void> {
    this.#reads += 1;
    const read = this.#reads;
    await this.#refresh(read);
    if (read > this.#unconfirmed) this.#confirmed = Math.max(this.#confirmed, iteration);
  }

  /** Reads the state, and what has changed since the known one. */
  async #refresh(read: number): Promise<void> {
    const stampReads = this.#stampReads;
    const state = readState(await this.#client.get(STATE));
    const known = this.#known;
    if (known === null || (!isSame(known, state) && !this.#isOvertaken(read, state))) await this.#follow(read, state);
    this.#includedStampReads = Math.max(this.#includedStampReads, stampReads);
  }

  /** Learns a state that has other commits than the known one. */
  async #follow(read: number, state: DatabaseState): Promise<void> {
    const changed = await this.#changedSince(state);
    if (changed !== null && this.#isOvertaken(read, changed.state)) return;
    if (changed !== null && this.#evict(read, changed)) return;
    const rows = await this.#client.all({ text: NEWEST, values: [WINDOW] });
    const newest = readState(rows[0] ?? null);
    if (this.#isOvertaken(read, newest)) return;
    const joined = this.#joined(read, newest);
    const seen = new SeenEvents(rows.flatMap(({ sequence }) => (sequence === null ? [] : [Number(sequence)])));
    // The known state has own commits that the answer lacks: their events are not new to it.
    if (joined !== newest) seen.add(this.#seen.sequences.filter((sequence) => sequence > seen.start));
    this.#cache.clear();
    this.#seen = seen;
    this.#learn(joined);
  }

  /** Checks if a later read, or a commit, has found all that an answer has. */
  #isOvertaken(read: number, state: DatabaseState): boolean {
    const known = this.#known;
    if (known === null || read > this.#readsBefore) return false;
    return state.server !== known.server || includesState(known, state);
  }

  /** The state of an answer, with commits of this process that it lacks. A later answer that lacks some is restored. */
  #joined(read: number, state: DatabaseState): DatabaseState {
    const known = this.#known;
    if (known === null || read > this.#readsBefore || known.server !== state.server) return state;
    return joinStates(state, known);
  }

  /** The events since the known state, in a snapshot after another one; null where they are too many, or unknown. */
  async #changedSince(state: DatabaseState): Promise<ChangedState | null> {
    const known = this.#known;
    if (known === null || known.server !== state.server) return null;
    if (countChanges(state) - countChanges(known) > MAX_CHANGES) return null;
    const { start, sequences } = this.#seen;
    const rows = await this.#client.all({
      text: CHANGED,
      values: [start, arrayLiteral(sequences), MAX_CHANGES + 1],
    });
    const [first] = rows;
    if (first === undefined || rows.length > MAX_CHANGES) return null;
    return { state: readState(first), events: rows.filter(({ sequence }) => sequence !== null) };
  }

  /** Evicts what was changed. @returns whether that is known */
  #evict(read: number, { state, events }: ChangedState): boolean {
    const known = this.#known;
    if (known === null || known.server !== state.server) return false;
    const joined = this.#joined(read, state);
    // A commit of this process may have been answered meanwhile.
    const added = events.filter(({ sequence }) => !this.#seen.has(Number(sequence)));
    // Each change has one event, unless it was imported.
    if (!includesState(joined, known) || added.length !== countChanges(joined) - countChanges(known)) return false;
    const changed = added.flatMap((row) => {
      const { type, id } = changedRow(row);
      const resource = this.#resources.get(type);
      return resource === undefined ? [] : [{ resource, id }];
    });
    if (changed.length !== added.length) return false;
    this.#cache.changed(changed);
    this.#seen.add(added.map(({ sequence }) => Number(sequence)));
    this.#learn(joined);
    return true;
  }

  #learn(state: DatabaseState): void {
    this.#known = state;
    this.#readsBefore = this.#reads;
  }
}

/** A state, and the events of its snapshot after a sequence. */
interface ChangedState {
  readonly state: DatabaseState;
  readonly events: readonly SqlRow[];
}

function isSame(one: DatabaseState, other: DatabaseState): boolean {
  return one.server === other.server && hasSameCommits(one, other);
}
