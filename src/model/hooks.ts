import type { ErrorDetail } from '../conventions/errors.ts';
import type { EventEnvelope } from '../conventions/events/event.ts';
import type { Json, JsonObject } from '../conventions/json/json.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import type { Path } from './path.ts';

/**
 * The services that an application passes to its hooks, by name; see `withServices`.
 *
 * @example
 * ```ts
 * const services: HookServices = { mailer: createMailer() };
 * const { api } = await startApi({ model: withServices(notes, services), database: './notes.db' });
 * ```
 */
export type HookServices = Readonly<Record<string, unknown>>;

/** The reason why a hook refuses a write. It determines the error code and the status. */
export type HookReason = 'INVALID' | 'CONFLICT' | 'FORBIDDEN';

const REFUSAL = Symbol.for('restwright.refusal');

/**
 * The error that `refuse` throws. Its message is sent to the caller. `instanceof` also recognizes errors of another
 * copy of the package, because a module may import a different copy than the command that serves it.
 */
export class HookRefusal extends Error {
  override readonly name = 'HookRefusal';
  readonly [REFUSAL] = true;
  readonly reason: HookReason;
  readonly details: readonly ErrorDetail[];

  constructor(reason: HookReason, message: string, details: readonly ErrorDetail[]) {
    super(message);
    this.reason = reason;
    this.details = details;
  }

  static override [Symbol.hasInstance](value: unknown): value is HookRefusal {
    return value instanceof Error && REFUSAL in value;
  }
}

/**
 * Refuses a write in a hook. The response is `{R}_INVALID` (400), `{R}_CONFLICT` (409) or `{R}_FORBIDDEN` (403).
 *
 * @param message the cause and the fix, for the caller
 * @param details errors of single fields
 *
 * @example
 * ```ts
 * before: (row) => {
 *   if (row.ends < row.starts) refuse('INVALID', 'A booking ends after it starts; correct ends.');
 * }
 * ```
 */
export function refuse(reason: HookReason, message: string, details: readonly ErrorDetail[] = []): never {
  throw new HookRefusal(reason, message, details);
}

/**
 * A query of a collection, as the parameters of its URL: filters, `q`, `sort` and `limit`.
 * Example: `{ project_id: '7', 'status[in]': 'OPEN,BUSY', sort: '-created_at', limit: 20 }`.
 */
export type HookQuery = Readonly<Record<string, string | number | boolean>>;

/** A row as hooks read it: its fields, `id`, `created_at`, `updated_at`, `revision`; frozen. */
export type HookRow = JsonObject & {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
};

/**
 * Reads rows for a hook. If a resource that was read changes before the write, the hook runs again, also after changes
 * of other processes.
 *
 * @example
 * ```ts
 * const product = await rows.get('products', line.product_id);
 * const open = await rows.count('orders', { status: 'open' });
 * ```
 */
export interface HookRows {
  /** @param parents for a nested resource, the ids above the row, nearest first */
  readonly get: (resource: string, id: string, parents?: readonly string[]) => Promise<HookRow | null>;
  /** At most `limits.page.max` rows, in the default order unless `sort` is given. */
  readonly list: (resource: string, query?: HookQuery, parents?: readonly string[]) => Promise<readonly HookRow[]>;
  /** The exact number of rows. */
  readonly count: (resource: string, query?: HookQuery, parents?: readonly string[]) => Promise<number>;
}

/**
 * Adds writes to the transaction of the hook's own write. Values are validated, read-only fields may be set, and each
 * write has its event; hooks of these resources do not run. A hook can write a row once, and does not read what it has
 * written.
 *
 * @example
 * ```ts
 * await writes.update('products', line.product_id, { stock: stock - line.amount });
 * ```
 */
export interface HookWrites {
  /** @returns the id of the new row. @param values with an `id` where clients choose it */
  readonly create: (resource: string, values: JsonObject, parents?: readonly string[]) => Promise<string>;
  /** Changes the fields in `changes`; null unsets one. @throws {Error} where the row does not exist */
  readonly update: (resource: string, id: string, changes: JsonObject, parents?: readonly string[]) => Promise<void>;
  /** Deletes a row and treats its dependents as DELETE does. @throws {Error} where the row does not exist */
  readonly delete: (resource: string, id: string, parents?: readonly string[]) => Promise<void>;
}

/** The write that a hook runs for. */
export interface WriteInfo {
  /** The caller; all of an anonymous caller is null, and it has no claims. */
  readonly caller: {
    readonly subject: string | null;
    /** The name of its issuer in the model. */
    readonly issuer: string | null;
    readonly client: string | null;
    /** As owner fields name it. */
    readonly owner: string | null;
    /** The id of its API key; null without one. */
    readonly key: string | null;
    readonly scopes: ReadonlySet<string> | null;
    readonly claims: JsonObject;
  };
  readonly correlationId: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
  /** The rows that the caller may see. */
  readonly rows: HookRows;
  /** All rows. */
  readonly system: HookRows;
  readonly writes: HookWrites;
}

/** The context of `before` and `check` hooks: the application's services and the write. */
export type WriteContext = HookServices & WriteInfo;

/**
 * Makes a value of a new row. Runs after the other hooks, and again where the write is tried again. What it returns is
 * validated by the schema of its field.
 */
export type GenerateValue = (context: WriteContext) => MaybePromise<unknown>;

/**
 * Values as a library returns them, which may have another form than their schema allows, or one error for each place.
 */
type RefinedValues =
  | { readonly kind: 'refined'; readonly values: JsonObject }
  | { readonly kind: 'refused'; readonly issues: readonly RefinementIssue[] };

/** The path is empty for an error of the whole row. */
export interface RefinementIssue {
  readonly path: Path;
  readonly message: string;
}

/** Runs the refinements and transforms of a library's schema on valid values in stored form. */
export type Refine = (values: JsonObject) => Promise<RefinedValues>;

/**
 * The hooks of a resource. They run on the request thread before a write, and again if the row changed in the meantime.
 * `refuse` refuses the write; any other exception is a 500.
 */
export interface Hooks {
  /** The refinements and transforms of a library's schema; null for a JSON Schema. Runs before all others. */
  readonly refine: Refine | null;
  readonly before: {
    /** Gets the validated values of all fields. A returned value replaces them and is validated again. */
    readonly create: ((draft: JsonObject, context: WriteContext) => MaybePromise<JsonObject | undefined>) | null;
    /** `current` is the current row, frozen. */
    readonly update:
      | ((draft: JsonObject, context: WriteContext, current: JsonObject) => MaybePromise<JsonObject | undefined>)
      | null;
    /** Gets the row, frozen. Also runs for rows that a cascade deletes. */
    readonly delete: ((row: JsonObject, context: WriteContext) => MaybePromise<void>) | null;
  };
  /**
   * Checks of changed values, by field. Returns an error message without the name of the field, or null. Not called for
   * null.
   */
  readonly check: ReadonlyMap<string, (value: Json, context: WriteContext) => MaybePromise<string | null>>;
  /** Run for each event in the event log, at least once and after the response. */
  readonly after: {
    readonly created: AfterHook | null;
    readonly updated: AfterHook | null;
    readonly deleted: AfterHook | null;
  };
}

export type AfterHook = (event: EventEnvelope, context: HookServices) => MaybePromise<void>;

/** The hooks of a resource without code. */
export const NO_HOOKS: Hooks = {
  refine: null,
  before: { create: null, update: null, delete: null },
  check: new Map(),
  after: { created: null, updated: null, deleted: null },
};
