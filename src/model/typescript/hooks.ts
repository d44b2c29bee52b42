import type { ErrorDetail } from '../../conventions/errors.ts';
import type { EventEnvelope } from '../../conventions/event.ts';
import type { Json, JsonObject } from '../../conventions/json.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';

/** What an application gives its hooks beside the values, such as its services; see `Services` of `defineModel`. */
export type HookServices = Readonly<Record<string, unknown>>;

/** Why a hook refuses a write, as the family of the resource's error code says it. */
export type HookReason = 'INVALID' | 'CONFLICT' | 'FORBIDDEN';

const REFUSAL = Symbol.for('restwright.refusal');

/**
 * What a hook throws to refuse a write. Its message reaches the caller: it states the cause and the fix. One of another copy of the package
 * is one too: a module may be served by a command that is installed elsewhere.
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
 * Refuses a write from within a hook: the caller gets `{R}_INVALID` (400), `{R}_CONFLICT` (409) or `{R}_FORBIDDEN` (403).
 *
 * @param message the cause and the fix, for the caller
 * @param details faults of single fields
 */
export function refuse(reason: HookReason, message: string, details: readonly ErrorDetail[] = []): never {
  throw new HookRefusal(reason, message, details);
}

/** The write that a hook runs in. */
export interface WriteInfo {
  /** Who writes; null where the caller is anonymous. */
  readonly caller: { readonly subject: string | null };
  readonly correlationId: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
}

/** What the hooks around a write get: the application's services, and the write. */
export type WriteContext = HookServices & WriteInfo;

/**
 * A user's code around the writes of a resource. It runs on the request thread before the write is sent, and again where the row changed
 * meanwhile. It refuses by throwing what `refuse` makes; anything else that it throws is a 500.
 */
export interface Hooks {
  readonly before: {
    /** Gets the checked values of every field; what it returns, if anything, takes their place and is checked again. */
    readonly create: ((draft: JsonObject, context: WriteContext) => MaybePromise<JsonObject | undefined>) | null;
    /** `current` is the row as it stands, frozen. */
    readonly update:
      | ((draft: JsonObject, context: WriteContext, current: JsonObject) => MaybePromise<JsonObject | undefined>)
      | null;
    /** Gets the row, frozen. Also runs for the rows that a removal takes along. */
    readonly delete: ((row: JsonObject, context: WriteContext) => MaybePromise<void>) | null;
  };
  /** By field: what is wrong with a value that a write sets anew, in words that follow the field's name; null where nothing is. Not asked of null. */
  readonly check: ReadonlyMap<string, (value: Json, context: WriteContext) => MaybePromise<string | null>>;
  /** Fed from the log of events, at least once each, never in the way of an answer. */
  readonly after: {
    readonly created: AfterHook | null;
    readonly updated: AfterHook | null;
    readonly deleted: AfterHook | null;
  };
}

export type AfterHook = (event: EventEnvelope, context: HookServices) => MaybePromise<void>;

/** A resource without a user's code. */
export const NO_HOOKS: Hooks = {
  before: { create: null, update: null, delete: null },
  check: new Map(),
  after: { created: null, updated: null, deleted: null },
};
