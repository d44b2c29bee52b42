import { type FilterCondition, isOwn, type PartCondition } from '../plan/condition.ts';
import {
  type Ancestor,
  type Condition,
  type ItemPlan,
  type ListRead,
  type LocatedRow,
  type LookupPlan,
  type Page,
  type ReferencedRow,
  type RelatedPlan,
  type RelatedRows,
  type Row,
  type Visibility,
  type VisibleAncestor,
} from '../plan/plan.ts';
import type { Partition } from '../plan/list/partitions.ts';
import type { DatabaseCaller } from '../plan/write-unit.ts';
import { type RowVisibilities, UNRESTRICTED } from '../plan/policy/visibilities.ts';
import type { AccessOperation } from '../model/model.ts';
import { awaitAll, chain, type MaybePromise } from '../platform/maybe-promise.ts';
import type { ChangeStamps, RowReader, StampBasis } from '../stores/store.ts';
import type { ReadMapping } from '../versions/read-mapping.ts';

/** A source of rows: a store, or the rows as a unit has staged them. */
export interface RowSource {
  readonly rows: RowReader;
  readonly stamps: ChangeStamps;
  /** The rows as the database shows them to a caller; absent where all callers have the rights of the server. */
  readonly rowsAs?: (caller: DatabaseCaller) => RowReader;
  /** The source for a request that only reads; absent without replicas. */
  readonly replicated?: () => RowSource;
  /** The source that the unit is staged over; absent for a store. */
  readonly stored?: RowSource;
}

/** Rows that have a change stamp: all of a resource, or those of a partition. */
export interface StampedRows {
  readonly resource: string;
  readonly partition: Partition | null;
}

/** One row by its path. */
export type ItemRead = Omit<ItemPlan, 'kind' | 'visible' | 'within'> & { readonly within: readonly Ancestor[] };

/**
 * The rows that one caller may see: the only way from a request to the store. It puts the caller's visibility into
 * every plan, so that no operation can read past it. Reads for the system call `unrestricted`.
 */
export class VisibleRows {
  readonly #source: RowSource;
  readonly #rows: RowReader;
  readonly #visibilities: RowVisibilities;
  readonly #mapping: ReadMapping | null;

  /** @param mapping of an older contract, in whose terms rows are returned; null for the newest one */
  constructor(source: RowSource, visibilities: RowVisibilities, mapping: ReadMapping | null = null) {
    this.#source = source;
    this.#rows = source.rows;
    this.#visibilities = visibilities;
    this.#mapping = mapping;
  }

  /** Makes a view of all rows for the system, such as for a cascade, an export or an import. */
  static unrestricted(source: RowSource): VisibleRows {
    return new VisibleRows(source, UNRESTRICTED);
  }

  /** Returns the rows without the caller's visibility, for reads of the system on behalf of a request. */
  unrestricted(): VisibleRows {
    return VisibleRows.unrestricted(this.#source);
  }

  /** Returns the rows as they are stored, whatever the contract. */
  stored(): VisibleRows {
    return this.#mapping === null ? this : new VisibleRows(this.#source, this.#visibilities);
  }

  /** Applies the same visibility to other rows. @param stage makes the other rows from these */
  over<S extends RowSource>(stage: (source: RowSource) => S): { readonly rows: VisibleRows; readonly source: S } {
    const source = stage(this.#source);
    return { rows: new VisibleRows(source, this.#visibilities, this.#mapping), source };
  }

  /** Reads a row; null if it is absent, not below the named ancestors, or not visible. */
  item({ resource, id, within, columns }: ItemRead): MaybePromise<Row | null> {
    const visible = this.#visibilities.below(resource, within);
    const plan = { kind: 'item', resource, id, within: this.#ancestors(within), visible } as const;
    const mapping = this.#mapping;
    if (mapping === null) return this.#rows.item(columns === undefined ? plan : { ...plan, columns });
    const row = this.#rows.item({ ...plan, ...(columns === undefined ? {} : mapping.columns(resource, { columns })) });
    return chain(row, (found) => (found === null ? null : mapping.row(resource, found)));
  }

  /** True if an absent row was deleted recently, and the caller saw it. The caller must see its ancestors. */
  wasVisible({ resource, id, within }: ItemRead): MaybePromise<boolean> {
    const visible = this.#visibilities.below(resource, within);
    return this.#rows.wasVisible({ kind: 'item', resource, id, within: this.#ancestors(within), visible });
  }

  /** Returns the visibility of rows that the caller may access, below visible ancestors. */
  visibility(resource: string, operation: AccessOperation = 'read'): Visibility {
    return this.#visibilities.own(resource, operation);
  }

  /** Returns the visibility of rows that the caller sees, below any ancestors. */
  visibilityAnywhere(resource: string): Visibility {
    return this.#visibilities.whole(resource);
  }

  /** Reads a row on which the caller may do an operation; else null. */
  accessible(operation: AccessOperation, { resource, id, within }: ItemRead): MaybePromise<Row | null> {
    const visible = this.#visibilities.own(resource, operation);
    return this.#rows.item({ kind: 'item', resource, id, within: this.#ancestors(within), visible });
  }

  /** See {@link ChangeStamps.rowStamp}. A stamp is independent of visibility. */
  rowStamp(resource: string, id: string): MaybePromise<number | null> {
    return this.#source.stamps.rowStamp(resource, id);
  }

  /** See {@link ChangeStamps.knownRowStamp}. */
  knownRowStamp(resource: string, id: string): number | null {
    return this.#source.stamps.knownRowStamp(resource, id);
  }

  /** See {@link ChangeStamps.rowStampAhead}. */
  rowStampAhead(resource: string, id: string): number | null {
    return this.#source.stamps.rowStampAhead(resource, id);
  }

  list(asked: ListRead): MaybePromise<Page> {
    const mapping = this.#mapping;
    const read = mapping === null ? asked : mapping.list(asked);
    const filter = this.#filter(read.filter);
    const within = this.#ancestors(read.within);
    const page = this.#rows.list({ ...read, ...this.#visibilities.list(read), filter, within });
    return mapping === null ? page : chain(page, (found) => mapping.page(read.resource, found));
  }

  async lookup(read: Omit<LookupPlan, 'visible'>): Promise<readonly LocatedRow[]> {
    const mapping = this.#mapping;
    const rows = await this.#rows.lookup({ ...read, visible: this.#visibilities.whole(read.resource) });
    return mapping === null ? rows : mapping.located(read.resource, rows);
  }

  async related(read: Omit<RelatedPlan, 'visible'>): Promise<readonly RelatedRows[]> {
    const visible = this.#visibilities.whole(read.resource);
    const mapping = this.#mapping;
    if (mapping === null) return this.#rows.related({ ...read, visible });
    const found = await this.#rows.related({ ...mapping.related(read, visible), visible });
    return found.map(({ rows, more }) => ({ rows: mapping.located(read.resource, rows), more }));
  }

  /** Reads the stamps of resources, or of partitions. */
  stampsOf(parts: readonly StampedRows[]): MaybePromise<readonly number[]> {
    const { stamps } = this.#source;
    const isWhole = parts.every(({ partition }) => partition === null);
    if (isWhole) return stamps.resourceStamps(parts.map(({ resource }) => resource));
    return awaitAll(
      parts.map(({ resource, partition }) =>
        partition === null
          ? chain(stamps.resourceStamps([resource]), ([stamp = 0]) => stamp)
          : stamps.partitionStamp(resource, partition),
      ),
    );
  }

  /** See {@link ChangeStamps.resourceStamps}. */
  resourceStamps(resources: readonly string[]): MaybePromise<readonly number[]> {
    return this.#source.stamps.resourceStamps(resources);
  }

  /** See {@link ChangeStamps.basis}. */
  stampBasis(resource: string): StampBasis {
    return (this.#source.stored ?? this.#source).stamps.basis?.(resource) ?? 'commits';
  }

  /** See {@link ChangeStamps.lastStamp}. */
  lastStamp(resource: string): number | null {
    return this.#source.stamps.lastStamp?.(resource) ?? null;
  }

  /** See {@link ChangeStamps.settledRevision}. */
  settledRevision(): MaybePromise<number | null> {
    return this.#source.stamps.settledRevision();
  }

  /**
   * Reads the stamps of resources in the store, whatever a unit has staged. The unit expects them when it is written.
   */
  storedStamps(resources: readonly string[]): MaybePromise<readonly number[]> {
    return (this.#source.stored ?? this.#source).stamps.resourceStamps(resources);
  }

  /** Finds the outermost ancestor that is absent or not visible; null if there is none. @param within nearest first */
  missingAncestor(within: readonly Ancestor[]): MaybePromise<Ancestor | null> {
    return within.length === 0 ? null : this.#rows.missingAncestor(this.#ancestors(within));
  }

  /** Selects the references that lead to no visible row. */
  missingReferences(references: readonly ReferencedRow[]): MaybePromise<readonly ReferencedRow[]> {
    if (references.length === 0) return [];
    return this.#rows.missingReferences(
      references.map(({ resource, id, within }) => ({
        resource,
        id,
        within,
        visible: this.#visibilities.whole(resource),
      })),
    );
  }

  /** Restricts conditions to visible related rows. */
  #filter(filter: readonly FilterCondition[]): readonly Condition[] {
    if (filter.every(isOwn)) return filter;
    return filter.map((condition) => (condition.operator === 'search' ? condition : this.#part(condition)));
  }

  #part(condition: PartCondition<unknown>): PartCondition<{ readonly visible: Visibility }> {
    if (isOwn(condition)) return condition;
    switch (condition.operator) {
      case 'any': {
        const alternatives = condition.alternatives.map((each) => each.map((part) => this.#part(part)));
        return { operator: 'any', alternatives };
      }
      case 'related': {
        const conditions = condition.conditions.map((part) => this.#part(part));
        return { ...condition, conditions, visible: this.#visibilities.whole(condition.relation.resource) };
      }
      default:
        return condition;
    }
  }

  #ancestors(within: readonly Ancestor[]): readonly VisibleAncestor[] {
    return within.length === 0
      ? []
      : within.map(({ resource, id }) => ({ resource, id, visible: this.#visibilities.own(resource) }));
  }
}
