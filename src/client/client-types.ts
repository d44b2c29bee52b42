// The client as programs see it. Which methods there are at run time: src/client/collection.ts.
import type { ApiTypes, PartOf, ResourceName } from './api-types.ts';
import type { EventOptions, ResourceEvent } from './event-types.ts';
import type { ExpandPath, FieldPath, ItemPage, ReadItem, RelatedFilter, RelatedPath } from './result-types.ts';
import type { RequestError } from './request-error.ts';
import type {
  BatchedWrite,
  BatchWriter,
  ChangesOf,
  ChildOf,
  CreatedItem,
  ItemOrId,
  ReplacementOf,
  SettledWrite,
} from './write-types.ts';

/** Options of every call. */
export interface CallOptions {
  /** Ends the call: it is rejected with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Milliseconds for each attempt; 0 for no limit. */
  readonly timeout?: number;
  /** Further header fields. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of writes. */
export interface WriteOptions extends CallOptions {
  /** The `Idempotency-Key` of a POST or PATCH. By default the client makes one for each call. */
  readonly idempotencyKey?: string;
  /** Checks everything and keeps nothing (MET-14). */
  readonly dry_run?: boolean;
}

/** Options of an upload. */
export interface UploadOptions extends CallOptions {
  /**
   * The key of the whole upload: its requests have it with their numbers, `key-1`, `key-2`. The same rows in the same
   * order with the same key are created once, whatever the number of uploads, within 24 hours (MET-12).
   */
  readonly idempotencyKey?: string;
}

/** Which members an item has. */
export interface ReadOptions<F extends string, X extends string> extends CallOptions {
  /** Only these fields, besides id, revision and links. */
  readonly fields?: readonly F[];
  /** Related items, under the names of their relations. */
  readonly expand?: readonly X[];
}

/** Filters by path. All of them must match. */
export type ItemFilter<A extends ApiTypes, K> = Partial<PartOf<A, K, 'filters'>> & {
  readonly [P in RelatedPath<A, K>]?: RelatedFilter<A, K, P>;
};

/** Which items of a collection. The names are those of the parameters in the URL (PAGE-4, QRY-1). */
export interface ClientQuery<A extends ApiTypes, K, F extends string, X extends string> extends ReadOptions<F, X> {
  readonly filter?: ItemFilter<A, K>;
  /** Alternatives: at least one of them must match. */
  readonly any?: readonly ItemFilter<A, K>[];
  readonly q?: string;
  readonly sort?: readonly (PartOf<A, K, 'sort'> | `-${PartOf<A, K, 'sort'> & string}`)[];
  readonly limit?: number;
  readonly include_total?: boolean;
  readonly after?: string;
  readonly page?: number;
  readonly offset?: number;
  readonly last_id?: string;
  readonly start_time?: string;
  readonly before?: string;
  readonly after_timestamp?: string;
  readonly after_id?: string;
}

/** The result of a line of an upload. */
export type CreatedLine =
  | { readonly line: number; readonly id: string; readonly location: string; readonly error: null }
  | { readonly line: number; readonly id: null; readonly location: null; readonly error: RequestError };

type Rows<T> = Iterable<T> | AsyncIterable<T>;

/** The calls of a collection. With an id, its nested collections: `api.products(id).reviews`. */
export interface CollectionClient<A extends ApiTypes, K> {
  (id: string | { readonly id: string }): Nested<A, K>;
  /** @throws {RequestError} */
  get<const F extends FieldPath<A, K> = never, const X extends ExpandPath<A, K> = never>(
    item: string | { readonly id: string },
    options?: ReadOptions<F, X>,
  ): Promise<ReadItem<A, K, F, X>>;
  /** All matching items, page by page. @throws {RequestError} while it is iterated */
  list<const F extends FieldPath<A, K> = never, const X extends ExpandPath<A, K> = never>(
    query?: ClientQuery<A, K, F, X>,
  ): AsyncIterable<ReadItem<A, K, F, X>>;
  /** One page. @throws {RequestError} */
  page<const F extends FieldPath<A, K> = never, const X extends ExpandPath<A, K> = never>(
    query?: ClientQuery<A, K, F, X>,
  ): Promise<ItemPage<ReadItem<A, K, F, X>>>;
  /** This page and those after it. @throws {RequestError} while it is iterated */
  pages<const F extends FieldPath<A, K> = never, const X extends ExpandPath<A, K> = never>(
    query?: ClientQuery<A, K, F, X>,
  ): AsyncIterable<ItemPage<ReadItem<A, K, F, X>>>;
  /** @throws {RequestError} */
  create(body: PartOf<A, K, 'body'>, options?: WriteOptions): Promise<CreatedItem<A, K>>;
  /**
   * Creates many items, each by itself, from any number of rows: they are sent in parts.
   *
   * @returns what became of each row, in order; rows are sent as it is iterated
   * @throws {RequestError} while it is iterated, if a part could not be sent
   */
  createMany(rows: Rows<PartOf<A, K, 'body'>>, options?: UploadOptions): AsyncIterable<CreatedLine>;
  /** Changes the given members (PATCH); null unsets one. @throws {RequestError} */
  update(item: ItemOrId, changes: ChangesOf<A, K>, options?: WriteOptions): Promise<PartOf<A, K, 'item'>>;
  /** Replaces all members (PUT). Where clients choose the ids, it also creates. @throws {RequestError} */
  replace(item: ItemOrId, body: ReplacementOf<A, K>, options?: WriteOptions): Promise<PartOf<A, K, 'item'>>;
  /** @throws {RequestError} */
  delete(item: ItemOrId, options?: WriteOptions): Promise<void>;
}

/** The collections below an item. */
export type Nested<A extends ApiTypes, K> = { readonly [C in ChildOf<A, K>]: CollectionClient<A, C> };

/** A client of an API: a member for each collection. */
export type Client<A extends ApiTypes> = Nested<A, null> & {
  /**
   * The events of the API as they happen, each once and without end: where a connection ends, another continues after
   * the last event. A loop ends it by `break`, and `signal` by an exception.
   *
   * @throws {RequestError} while it is iterated, for what another connection would not change
   */
  $events<const K extends ResourceName<A> = ResourceName<A>>(
    options?: EventOptions<K>,
  ): AsyncIterable<ResourceEvent<A, K>>;
  /**
   * Makes several writes in one request: all of them or none.
   *
   * @param writes returns the writes that it makes with its parameter, at most 100
   * @returns what each of them returns
   * @throws {RequestError} of the first that fails; the fields of its details begin with `operations[3].body.`
   */
  $batch<const T extends readonly BatchedWrite<unknown>[]>(
    writes: (writer: BatchWriter<A, null>) => T,
    options?: WriteOptions & { readonly atomic?: true },
  ): Promise<{ readonly [I in keyof T]: T[I] extends BatchedWrite<infer V> ? V : never }>;
  /** Makes several writes in one request, each by itself. @returns what became of each of them */
  $batch<const T extends readonly BatchedWrite<unknown>[]>(
    writes: (writer: BatchWriter<A, null>) => T,
    options: WriteOptions & { readonly atomic: false },
  ): Promise<{ readonly [I in keyof T]: T[I] extends BatchedWrite<infer V> ? SettledWrite<V> : never }>;
};
