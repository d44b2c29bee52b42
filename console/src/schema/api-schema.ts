/** The kinds of values that a form and a grid show differently. */
export type FieldKind =
  | 'string'
  | 'text'
  | 'integer'
  | 'int64'
  | 'number'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'time'
  | 'date-time'
  | 'enum'
  | 'reference'
  | 'binary'
  | 'list'
  | 'map'
  | 'object'
  | 'json';

/** The target of a reference: an item of another collection. */
export interface Reference {
  readonly collection: string;
  /** The name by which `expand` embeds the item. */
  readonly relation: string;
}

/** The limits of a value, as JSON Schema names them. */
export interface ValueLimits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}

/** A member of an item, of an object in it, or a value of a list or map. */
export interface ApiField {
  readonly name: string;
  /** The path from the item: `place.city`. */
  readonly path: string;
  readonly title: string;
  readonly description: string | null;
  readonly kind: FieldKind;
  readonly nullable: boolean;
  /** True if a creation has to send it. */
  readonly required: boolean;
  /** True if no request sets it. */
  readonly readOnly: boolean;
  /** True if only a creation sets it, as far as the document shows: of optional fields, it does not. */
  readonly immutable: boolean;
  /** True if no response shows it: a secret. */
  readonly writeOnly: boolean;
  /** True if only the response to the creation shows it. */
  readonly shownOnce: boolean;
  /** True for `id`, times and `revision`, which every item has. */
  readonly system: boolean;
  /** The default of a creation; undefined for none. */
  readonly default: unknown;
  /** The allowed values without null; null for any. */
  readonly options: readonly unknown[] | null;
  readonly reference: Reference | null;
  /** The media type of binary data. */
  readonly mediaType: string | null;
  /** A value of a list or map. */
  readonly item: ApiField | null;
  /** The members of an object. */
  readonly members: readonly ApiField[];
  readonly limits: ValueLimits;
}

/** The operators of filters (QRY-1). */
export const OPERATORS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'nin',
  'contains',
  'starts_with',
  'exists',
] as const;

export type FilterOperator = (typeof OPERATORS)[number];

/** A path that filters may name. */
export interface ApiFilter {
  readonly path: string;
  readonly operators: readonly FilterOperator[];
}

/** A relation that `expand` may name. */
export interface ApiRelation {
  readonly name: string;
  /** The name of the related collection; null if the document does not show it. */
  readonly collection: string | null;
  /** True if it leads to a page of items; null if the document does not show it. */
  readonly many: boolean | null;
}

/** A move from one state to another. */
export interface StateTransition {
  readonly from: string;
  readonly to: string;
  /** The scope that a caller needs for it besides that of the write. */
  readonly scope: string | null;
}

export interface ApiStates {
  readonly field: string;
  readonly initial: string;
  readonly transitions: readonly StateTransition[];
}

export type CollectionMethod = 'list' | 'create' | 'get' | 'replace' | 'update' | 'delete';

/** The collection above a nested one, and its parameter in the path. */
export interface ParentCollection {
  readonly collection: string;
  readonly parameter: string;
}

export interface ApiCollection {
  /** The name in the client and in links: `order_lines`. */
  readonly name: string;
  /** The name for people: `order lines`. */
  readonly title: string;
  /** The name of one item for people: `order line`. */
  readonly singular: string;
  /** The type of its events: `order_line`. */
  readonly type: string;
  readonly description: string | null;
  /** The path below the version, with parameters: `/orders/{order_id}/order-lines`. */
  readonly path: string;
  readonly parent: ParentCollection | null;
  /** The names of the collections nested below it. */
  readonly children: readonly string[];
  /** The members of its items, in the order of the model. */
  readonly fields: readonly ApiField[];
  readonly filters: readonly ApiFilter[];
  /** The paths that `sort` may name; null if the document does not show them. */
  readonly sort: readonly string[] | null;
  /** True if `q` searches it; null if the document does not show it. */
  readonly search: boolean | null;
  readonly relations: readonly ApiRelation[];
  readonly states: ApiStates | null;
  /** Each allowed method with the scopes that it needs; null if it needs no caller. */
  readonly methods: ReadonlyMap<CollectionMethod, readonly string[] | null>;
  readonly requiresIfMatch: boolean;
  readonly requiresIdempotencyKey: boolean;
  /** True if clients choose the ids. */
  readonly choosesId: boolean;
}

/** An API, as its OpenAPI document describes it. */
export interface ApiSchema {
  readonly title: string;
  /** MAJOR.MINOR.PATCH of the contract. */
  readonly version: string;
  /** The path of the version: `/api/v2`. */
  readonly root: string;
  /** The part of the description that says what the API is for; null without one. */
  readonly description: string | null;
  /** By name, in the order of the model. */
  readonly collections: ReadonlyMap<string, ApiCollection>;
  /** True if callers may sign in. */
  readonly hasCallers: boolean;
  /** True if it serves its event log. */
  readonly hasEvents: boolean;
}
