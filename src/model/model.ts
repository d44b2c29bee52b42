import type { CacheDirectives } from '../conventions/cache-control.ts';
import type { Json, JsonObject } from '../conventions/json.ts';
import type { Hooks } from './typescript/hooks.ts';

/** MAJOR.MINOR.PATCH of a contract. */
export interface ContractVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** The formats that a text field may declare; each is asserted. */
export type TextFormat = 'date' | 'time' | 'duration' | 'uuid' | 'email' | 'uri' | 'hostname' | 'ipv4' | 'ipv6';

/**
 * What a value is: a closed union, so that every store and every format says what it does with each kind.
 * `date-time`, `decimal` and `int64` travel as JSON strings and are compared by value (REP-3, REP-7, QRY-7).
 */
export type ValueType =
  | { readonly kind: 'text'; readonly format: TextFormat | null }
  | { readonly kind: 'integer' }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'date-time' }
  /** `precision` counts all digits, `scale` those after the point; null where the model sets no bound. */
  | { readonly kind: 'decimal'; readonly precision: number | null; readonly scale: number | null }
  | { readonly kind: 'int64' }
  | { readonly kind: 'binary'; readonly mediaType: string | null }
  | { readonly kind: 'object'; readonly members: readonly Member[] }
  | { readonly kind: 'map'; readonly value: Shape }
  | { readonly kind: 'array'; readonly item: Shape };

/** A type and whether null (unset) is one of its values. */
export interface Shape {
  readonly type: ValueType;
  readonly nullable: boolean;
}

/** One member of an object value: a required one is never null, an optional one always may be (REP-4). */
export interface Member extends Shape {
  readonly name: string;
  readonly required: boolean;
  /** Absent where the model declares none; a declared `null` is a default too. */
  readonly default?: Json;
}

/** A field of a resource. */
export interface Field extends Member {
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
  readonly immutable: boolean;
  /** The name under which storage knew the field before (`x-was`). */
  readonly was: string | null;
  /** Set where the value (or, in an array, each item) is the id of a row of another resource. */
  readonly reference: Reference | null;
}

/**
 * A read-only member that is worked out from a row whenever the row is shown. No store knows it, no filter and no sort. What it returns is
 * one of its shape's values, or the representation fails.
 */
export interface ComputedField extends Shape {
  readonly name: string;
  /** JSON Schema of its values, `$ref`s resolved. */
  readonly schema: JsonObject;
  /** The fields that it reads. */
  readonly from: readonly string[];
  readonly value: (row: JsonObject) => unknown;
}

export type OnDelete = 'restrict' | 'nullify' | 'cascade';

/** A relation to another resource, declared by `x-references` or by `parent`. */
export interface Reference {
  /** Name of the resource referred to. */
  readonly resource: string;
  /** Name of the to-one relation (`supplier` for `supplier_id`); null for an array of references. */
  readonly as: string | null;
  /** Name of the relation back, on the resource referred to; null where none is declared. */
  readonly inverse: string | null;
  readonly onDelete: OnDelete;
}

/** Who makes a resource's ids: the server (UUIDv7) or the client, under a pattern where one is declared. */
export type IdRule = { readonly kind: 'server' } | { readonly kind: 'client'; readonly pattern: RegExp | null };

export interface SortKey {
  /** A dotted path: `price`, `address.city`, `id`. */
  readonly path: string;
  readonly descending: boolean;
}

/** What a path of a resource addresses, for filters and sort: system fields, fields and members of object fields. */
export interface Property extends Shape {
  readonly path: string;
  readonly sortable: boolean;
  readonly filterable: boolean;
}

export interface StateMachine {
  readonly field: string;
  readonly initial: string;
  readonly transitions: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A relation seen from the row that is referred to: rows of `resource` hold this row's id in `field`. */
export interface Dependent {
  readonly resource: string;
  readonly field: string;
  /** Whether the field is an array of references. */
  readonly many: boolean;
  readonly onDelete: OnDelete;
  /** Whether the rows are children in the URL. */
  readonly child: boolean;
}

/** Rows of another resource that a representation links to: a sub-collection or an inverse relation (REP-9). */
export interface CollectionLink {
  readonly name: string;
  readonly resource: string;
  /** `child` is addressed below this resource, `inverse` by a filter on the field. */
  readonly kind: 'child' | 'inverse';
  readonly field: string;
}

/** A declared resource, compiled: what the rest of the program asks is looked up here, never worked out again. */
export interface Resource {
  /** Name of the collection in snake_case, `order_items`: the key of the model. */
  readonly name: string;
  /** Its path segment, `order-items`. */
  readonly collection: string;
  /** `order_item`: events, XML roots, links. */
  readonly singular: string;
  /** `ORDER_ITEM`: the prefix of its error codes. */
  readonly code: string;
  readonly was: string | null;
  readonly id: IdRule;
  /** Fields in the order of the representation: the parent's id first, where there is a parent, then as declared. */
  readonly fields: readonly Field[];
  readonly field: ReadonlyMap<string, Field>;
  /** Shown after the fields, in declared order. */
  readonly computed: readonly ComputedField[];
  readonly hooks: Hooks;
  readonly properties: ReadonlyMap<string, Property>;
  /** Name of the resource that this one sits under, and the field that holds its id. */
  readonly parent: { readonly resource: string; readonly field: string } | null;
  readonly dependents: readonly Dependent[];
  readonly links: readonly CollectionLink[];
  /** Field lists whose values are unique together; a null is never equal to another. */
  readonly uniques: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  /** The paths of the texts that `q` searches, lists of texts among them; where there are none, `q` is unknown (QRY-6). */
  readonly search: readonly string[];
  readonly state: StateMachine | null;
  /** The default order, ending with `id`. */
  readonly sort: readonly SortKey[];
  readonly timeField: string;
  readonly events: 'thin' | 'full' | 'none';
  readonly requireIfMatch: boolean;
  /** Whether POST and PATCH must carry an `Idempotency-Key` (MET-12). */
  readonly idempotency: 'optional' | 'required';
  readonly cache: CacheDirectives | null;
  /** JSON Schema 2020-12 of the declared object, `$ref`s resolved: what validation is compiled from. */
  readonly schema: JsonObject;
}

/** Every bound that the server keeps. Sizes are bytes, times milliseconds. */
export interface Limits {
  readonly page: {
    readonly default: number;
    readonly max: number;
    readonly maxOffset: number;
    readonly countCap: number;
  };
  readonly body: number;
  readonly target: number;
  readonly headers: number;
  readonly headerLines: number;
  readonly depth: number;
  readonly items: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly handlerTimeout: number;
  readonly statementTimeout: number;
  readonly shutdownTimeout: number;
  /** Event-loop delay and writes waiting, beyond which new requests are refused with 503 (LIM-3). */
  readonly eventLoopDelay: number;
  readonly queueDepth: number;
}

/** A declared API, compiled once and frozen. */
export interface Model {
  readonly name: string;
  readonly title: string;
  readonly version: ContractVersion;
  /** `/api`: starts with a slash and does not end with one; '' for the root. */
  readonly basePath: string;
  /** Origin under which clients reach the server, without a trailing slash; null for path-absolute links. */
  readonly publicUrl: string | null;
  readonly defaultVersion: number;
  /** The declared secret that seals cursors; null where the store keeps one of its own. */
  readonly secret: string | null;
  readonly limits: Limits;
  /** Path segments of the collections that every API has (REP-12). */
  readonly system: { readonly batches: string };
  /** By name, parents before their children. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** The same resources by path segment. */
  readonly collections: ReadonlyMap<string, Resource>;
  /** Digest of everything above, the text of its functions included: part of every tag, so that a changed model changes them (CACHE-1). */
  readonly fingerprint: string;
}
