import { hasRoles } from '../../../model/auth-rules.ts';
import type { Model } from '../../../model/model.ts';
import { monotonicNow } from '../../../platform/clock.ts';
import type { Statement } from '../../sql/dialect.ts';
import type { SqlClient } from '../../sql/sql-client.ts';
import type { Tables } from '../../sql/tables.ts';
import type { ChangeStamps, StampBasis } from '../../store.ts';
import { SERVER } from '../commit/database-state.ts';
import { arrayLiteral } from '../dialect/literals.ts';
import { SharedRead } from '../read/shared-read.ts';

/**
 * The transactions that a statement sees, with the server that counts them. A crash may lose transactions, whose
 * numbers are assigned again; then the server begins its statistics. A standby lists no running transactions: NULL.
 */
const SNAPSHOT: Statement = {
  text: `select case when not pg_is_in_recovery()
  then concat_ws(' ', pg_current_snapshot(), ${SERVER}, pg_stat_get_bgwriter_stat_reset_time()) end as snapshot`,
  values: [],
};

/**
 * The relations whose rows are those of the database alone. Views and foreign tables compute them, or get them from
 * elsewhere, and policies may compare the time. So do relations with such a partition, or heir.
 */
const STORED = `with recursive part(root, oid) as (
  select oid, oid from unnest($1::oid[]) as given(oid)
  union select part.root, inhrelid from part join pg_catalog.pg_inherits on inhparent = part.oid
)
select part.root::bigint as oid from part join pg_catalog.pg_class as c on c.oid = part.oid
group by part.root having bool_and(c.relkind in ('r', 'p', 'm')) and not row_security_active(part.root)`;

/** Milliseconds after which the relations are read again. */
const RECHECK = 60_000;

/** A snapshot, and the stamp of everything in it. */
interface StampedSnapshot {
  readonly snapshot: string;
  readonly stamp: number;
}

export interface SnapshotOptions {
  readonly client: Pick<SqlClient, 'all' | 'get'>;
  readonly model: Model;
  readonly tables: Tables;
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number;
}

/**
 * The change stamps of tables that others write: the snapshot of the database, which each commit changes. It is read
 * once per event-loop iteration, so that nothing is served from a cache without asking the database. No snapshot
 * returns after another one, so a page that is read after its stamp is valid for it. No trigger, right or kind of
 * statement is trusted.
 */
export class SnapshotStamps implements ChangeStamps {
  readonly #client: Pick<SqlClient, 'all' | 'get'>;
  readonly #oids: ReadonlyMap<string, number>;
  readonly #elapsed: () => number;
  readonly #read = new SharedRead(() => this.#ask());
  /** The last snapshot that was read; null before the first one. */
  #last: StampedSnapshot | null = null;
  /** The last stamp. Each of other relations is a new one, so that nothing of them is served from a cache. */
  #stamp = 0;
  /** The relations whose rows are those of the database alone, and when they were read. */
  #stored: ReadonlySet<number> = new Set();
  #storedAt = Number.NEGATIVE_INFINITY;

  constructor({ client, model, tables, elapsed = monotonicNow }: SnapshotOptions) {
    this.#client = client;
    this.#elapsed = elapsed;
    // Rows that the database shows to one caller are not for others.
    const shown = hasRoles(model) ? [] : [...tables];
    this.#oids = new Map(
      shown.flatMap(({ resource, existing }) => {
        const oid = existing?.oid ?? null;
        return oid === null ? [] : [[resource.name, oid]];
      }),
    );
  }

  async resourceStamps(resources: readonly string[]): Promise<readonly number[]> {
    const isAsked = this.#isDue || resources.some((each) => this.#isStored(each));
    const found = isAsked ? await this.#read.run() : null;
    return resources.map((each) => (this.#isStored(each) ? found?.stamp : null) ?? (this.#stamp += 1));
  }

  async partitionStamp(resource: string): Promise<number> {
    const [stamp = 0] = await this.resourceStamps([resource]);
    return stamp;
  }

  /** A row is not cached: the query of the snapshot costs as much as that of a row by its key. */
  rowStamp(): null {
    return null;
  }

  knownRowStamp(): null {
    return null;
  }

  rowStampAhead(): null {
    return null;
  }

  settledRevision(): null {
    return null;
  }

  basis(resource: string): StampBasis {
    return this.lastStamp(resource) === null ? 'nothing' : 'snapshots';
  }

  lastStamp(resource: string): number | null {
    return this.#isStored(resource) ? (this.#last?.stamp ?? null) : null;
  }

  /** To be called once a transaction of this process is committed, before anything else can read. */
  committed(): void {
    this.#read.renew();
  }

  get #isDue(): boolean {
    return this.#oids.size > 0 && this.#elapsed() - this.#storedAt >= RECHECK;
  }

  #isStored(resource: string): boolean {
    return this.#stored.has(this.#oids.get(resource) ?? 0);
  }

  /** Reads the snapshot. Another read may find an earlier one meanwhile, so each reader gets its own. */
  async #ask(): Promise<StampedSnapshot | null> {
    const [row] = await Promise.all([this.#client.get(SNAPSHOT), this.#isDue ? this.#findStored() : null]);
    const snapshot = row?.['snapshot'] ?? null;
    if (typeof snapshot !== 'string') {
      this.#stored = new Set();
      return null;
    }
    if (snapshot !== this.#last?.snapshot) this.#last = { snapshot, stamp: (this.#stamp += 1) };
    return this.#last;
  }

  async #findStored(): Promise<void> {
    const at = this.#elapsed();
    const rows = await this.#client.all({ text: STORED, values: [arrayLiteral([...this.#oids.values()])] });
    this.#stored = new Set(rows.map(({ oid }) => Number(oid)));
    this.#storedAt = at;
  }
}
