import type { AuthRules, ConsoleRule } from './auth-rules.ts';
import type { CacheDirectives } from '../conventions/headers/cache-control.ts';
import type { CorsRule } from '../conventions/headers/cors.ts';
import type { AddressRange } from '../conventions/url/ip-address.ts';
import type { FieldAccess, ResourceAccess, RowRules } from './access-rules.ts';
import type { Json, JsonObject } from '../conventions/json/json.ts';
import type { ContractVersion, VersionChange } from './contract-version.ts';
import type { CallerFill, Generator } from './field-origin.ts';
import type { Hooks } from './hooks.ts';
import type { RateLimits } from './rate-quota.ts';
import type { IdRule } from './id-rule.ts';
import type { Member, Shape } from './value-type.ts';
import type { EventSettings } from './event-settings.ts';
import type { TableSource } from './table-source.ts';
import type { WebhookSettings } from './webhook-settings.ts';

export type { AccessOperation, AccessRule, FieldAccess, ResourceAccess, RowRules } from './access-rules.ts';
export type { AuthRules, ConsoleRule, DatabaseRoleRule, GatewayRule, Issuer, KeySource } from './auth-rules.ts';
export type { ContractVersion, VersionChange } from './contract-version.ts';
export type { CallerFill, Generator } from './field-origin.ts';
export type { IdRule } from './id-rule.ts';
export type { Member, Shape, TextFormat, ValueType } from './value-type.ts';

/** A field of a resource. */
export interface Field extends Member {
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
  readonly immutable: boolean;
  /** The previous name of the field in the database (`x-was`). */
  readonly was: string | null;
  /** Set if the value, or each item of an array, is the id of a row of another resource. */
  readonly reference: Reference | null;
  /** The generator of the value of a new row; null if the server does not make it. */
  readonly generator: Generator | null;
  /** True if the value is in the response that creates the row, and in no other one. Its digest is stored. */
  readonly shownOnce: boolean;
  /** The value of the caller that a new row gets (`x-default`); null if there is none. */
  readonly fill: CallerFill | null;
}

/**
 * A read-only member that is computed from a row for each representation. It is not stored and cannot be filtered or
 * sorted. Where its function fails, or returns what does not match its schema, it is null and the log says so.
 */
export interface ComputedField extends Shape {
  readonly name: string;
  /** The JSON Schema of its values, `$ref`s resolved. */
  readonly schema: JsonObject;
  /** The fields that it is computed from. */
  readonly from: readonly string[];
  readonly value: (row: JsonObject) => unknown;
}

export type OnDelete = 'restrict' | 'nullify' | 'cascade';

/** A relation to another resource, declared by `x-references` or by `parent`. */
export interface Reference {
  /** Name of the referenced resource. */
  readonly resource: string;
  /**
   * Name of the relation: `supplier` for `supplier_id`, `labels` for `label_ids`; null for an array with another name,
   * which is no relation.
   */
  readonly as: string | null;
  /** Name of the inverse relation, on the referenced resource; null if none is declared. */
  readonly inverse: string | null;
  readonly onDelete: OnDelete;
  /** Set if the referenced row is below the same parent: its id is unique there only. */
  readonly siblings?: true;
  /** Set if callers that may not read the referenced collection may refer to its rows (MET-10). */
  readonly unread?: 'allow';
}

export interface SortKey {
  /** A dotted path: `price`, `address.city`, `id`. */
  readonly path: string;
  readonly descending: boolean;
}

/** A property that filters, sort and search can name: a system field, a field or a member of an object field. */
export interface Property extends Shape {
  readonly path: string;
  readonly sortable: boolean;
  readonly filterable: boolean;
  /** The values of its `enum` or `const`, in stored form; null if there is none. For an array those of its items. */
  readonly allowed: readonly Json[] | null;
  /** True if a value can contain a comma. If none can, `%2C` separates the values of a filter like `,` (URL-5). */
  readonly holdsComma: boolean;
}

export interface StateMachine {
  readonly field: string;
  /** The scopes that transitions require, by `from` and `to`; transitions without one are absent (AUTH-4). */
  readonly scopes: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** True if the model declares the field as optional. Then null in a body means the same as no member (MET-11). */
  readonly isOptional: boolean;
  readonly initial: string;
  readonly transitions: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A relation seen from the referenced row: rows of `resource` have its id in `field`. */
export interface Dependent {
  readonly resource: string;
  readonly field: string;
  /** True if the field is an array of references. */
  readonly many: boolean;
  readonly onDelete: OnDelete;
  /** True if the rows are in a sub-collection of the row. */
  readonly child: boolean;
}

/** A link of a representation to rows of another resource: a sub-collection or an inverse relation (REP-9). */
export interface CollectionLink {
  readonly name: string;
  readonly resource: string;
  /** `child` links to the sub-collection, `inverse` to the collection with a filter on the field. */
  readonly kind: 'child' | 'inverse';
  readonly field: string;
}

/** A compiled resource. */
export interface Resource {
  /** Name of the collection in snake_case, `order_items`: the key of the model. */
  readonly name: string;
  /** Its path segment, `order-items`. */
  readonly collection: string;
  /** `order_item`, for events, XML and links. */
  readonly singular: string;
  /** `ORDER_ITEM`, the prefix of its error codes. */
  readonly code: string;
  /** The table or view that exists already, and has its rows; null for rows that the server stores. */
  readonly table: TableSource | null;
  /** The previous name of the resource in the database (`was`). */
  readonly was: string | null;
  readonly id: IdRule;
  /** Fields in the order of the representation: the id of the parent, if any, then the declared fields. */
  readonly fields: readonly Field[];
  readonly field: ReadonlyMap<string, Field>;
  /** Computed members, which follow the fields, in declared order. */
  readonly computed: readonly ComputedField[];
  readonly hooks: Hooks;
  readonly properties: ReadonlyMap<string, Property>;
  /** The parent resource, and the field that holds its id. */
  readonly parent: { readonly resource: string; readonly field: string } | null;
  /**
   * The members of a row that together identify its parent, nearest first; empty without a parent. The first is the
   * field of the parent. Hidden members with the ids above it follow if its id is unique below its own parent only.
   */
  readonly parentKey: readonly string[];
  readonly dependents: readonly Dependent[];
  readonly links: readonly CollectionLink[];
  /** Lists of fields that are unique together. Null is not equal to null. */
  readonly uniques: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  /** Paths of the strings and arrays of strings that `q` searches. If empty, `q` is an unknown parameter (QRY-6). */
  readonly search: readonly string[];
  /** Which of these members the model declares, and does not leave to their defaults: warnings differ. */
  readonly declares: {
    readonly sortable: boolean;
    readonly filterable: boolean;
    readonly singular: boolean;
    /** `cache: { scope: public }`. */
    readonly publicCache: boolean;
  };
  readonly state: StateMachine | null;
  /** The default sort, which ends with `id`. */
  readonly sort: readonly SortKey[];
  /** null for a table that exists and has none. */
  readonly timeField: string | null;
  /** `disabled`: of webhooks, which publish that one was disabled and nothing else. */
  readonly events: 'thin' | 'full' | 'none' | 'disabled';
  /** Without an `auth` section every operation is public. */
  readonly access: ResourceAccess;
  /** Rules of single fields and computed members, by name. */
  readonly fieldAccess: ReadonlyMap<string, FieldAccess>;
  /** Set where stored rows have more fields: those that a caller may not read. */
  readonly isPartial?: true;
  /** Rules on its own rows. The parent of a row must be readable, too. */
  readonly rows: RowRules;
  /** The field that holds the caller that created a row (AUTH-9); null if there is none. */
  readonly owner: string | null;
  /** True if all callers that may read it get the same rows with the same fields, as in a model without `auth`. */
  readonly sameForEveryCaller: boolean;
  readonly requireIfMatch: boolean;
  /** True if callers can only read it: its rows come from the application, imports or the server. */
  readonly readOnly: boolean;
  /** `required` if POST and PATCH must carry an `Idempotency-Key` (MET-12). */
  readonly idempotency: 'optional' | 'required';
  /** Milliseconds for which ids of deleted rows are 410 (MET-4); null where they are 404. */
  readonly tombstones: number | null;
  readonly cache: CacheDirectives | null;
  /** True if its UUIDs and arrays are stored in a compact form; and if so is the last member of `parentKey`. */
  readonly compact: boolean;
  readonly isBelowCompact: boolean;
  /** The declared JSON Schema 2020-12, `$ref`s resolved. Validators are compiled from it. */
  readonly schema: JsonObject;
}

/** The limits of the server. Sizes are in bytes, times in milliseconds. */
export interface Limits {
  readonly page: {
    readonly default: number;
    readonly max: number;
    readonly maxOffset: number;
    readonly countCap: number;
    /** Maximum bytes of a page as JSON. */
    readonly bytes: number;
  };
  readonly body: number;
  /** Bytes of all request bodies that are being received at the same time, over all connections. */
  readonly bodyMemory: number;
  /** Maximum bytes of one row as JSON. */
  readonly row: number;
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
  /** Event-loop delay and number of queued writes above which new requests get 503 (LIM-3). */
  readonly eventLoopDelay: number;
  readonly queueDepth: number;
  /** Bytes of responses that clients have not read yet, above which new requests get 503 (LIM-1). */
  readonly responseMemory: number;
  /** Live feeds of events that are open at a time: of one caller, and in one process. */
  readonly feeds: { readonly perCaller: number; readonly total: number };
  /** null where requests are not counted. */
  readonly rate: RateLimits | null;
}

/** An older contract over the same rows, which is still served or was. */
export interface OlderVersion {
  readonly version: ContractVersion;
  /**
   * Both in seconds since 1970: 00:00:00 GMT of the declared date; null where there is none. Nothing changes by itself
   * after the sunset.
   */
  readonly deprecated: number | null;
  readonly sunset: number | null;
  /** The URL of the page about its deprecation (RFC 9745 3); null where there is none. */
  readonly deprecationPage: string | null;
  /** True if requests for it get 410 (VER-3). */
  readonly retired: boolean;
  /**
   * Its differences from its successor, in declared order. A retired version that no served one derives from has none.
   */
  readonly changes: readonly VersionChange[];
  /** The model as clients of it know it, without `versions`. Of a retired version without changes: its successor's. */
  readonly model: Model;
}

/** A compiled API. Deeply frozen. @example const model: Model = loadModel({ file: 'notes.yaml', text }).model; */
export interface Model {
  readonly name: string;
  readonly title: string;
  readonly version: ContractVersion;
  /** `/api`, without a trailing slash; '' for the root. */
  readonly basePath: string;
  /** The origin that clients use, without a trailing slash; null for path-absolute links. */
  readonly publicUrl: string | null;
  readonly defaultVersion: number;
  /** The pages of other origins that may use the API; null for none. */
  readonly cors: CorsRule | null;
  /** The accepted credentials; null if every caller is accepted. */
  readonly auth: AuthRules | null;
  /** The peers whose `Forwarded` and `X-Forwarded-*` are believed (AUTH-6). */
  readonly trustedProxies: readonly AddressRange[];
  /** True if requests that did not come over TLS are refused (AUTH-10). */
  readonly requireTls: boolean;
  /** The readers of the descriptions (OPS-1). Without an `auth` section they are public. */
  readonly descriptions: 'public' | 'authenticated';
  /** The console, the page by which people use the API (OPS-10); null where the model declares none. */
  readonly console: ConsoleRule | null;
  /** The declared secret that seals cursors; null to use the one in the store. */
  readonly secret: string | null;
  readonly limits: Limits;
  readonly events: EventSettings;
  /** null where the model has no webhooks. */
  readonly webhooks: WebhookSettings | null;
  /** Name of the resource with the states of the relays; null where the model has none. */
  readonly relays: string | null;
  /** Path segments of the collections that every API has (REP-12). */
  readonly system: { readonly batches: string; readonly events: string };
  /** By name, parents before their children. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** The same resources by path segment. */
  readonly collections: ReadonlyMap<string, Resource>;
  /** The older contracts, newest first. */
  readonly versions: readonly OlderVersion[];
  /** Set where a database of the newest model is migrated back to this one, of an older version. */
  readonly returnFrom?: { readonly newest: Model; readonly version: OlderVersion };
  /** Digest of everything above but relays, with the source of its functions. Part of every ETag (CACHE-1). */
  readonly fingerprint: string;
}
