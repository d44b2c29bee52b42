import { type Api, createApi } from './api.ts';
import { afterHookSubscribers } from './events/after-hooks.ts';
import { type Dispatch, type DispatchOptions, startDispatch } from './events/dispatch.ts';
import type { HookServices } from './model/typescript/hooks.ts';
import type { Model } from './model/model.ts';
import { safeObserver } from './observe/safe-observer.ts';
import type { Observe } from './observe/observation.ts';
import { systemClock } from './platform/clock.ts';
import { createIds } from './platform/ids.ts';
import { createRandom, type Random } from './platform/random.ts';
import { openSqlite } from './stores/sqlite/sqlite-store.ts';
import type { Store } from './stores/store.ts';

/** What an API on a database of its own is opened with. */
export interface OpenApiOptions {
  readonly model: Model;
  /** Path of the SQLite file, made where it is missing; `:memory:` for a database that ends with the API. */
  readonly database: string;
  /** Whether the file is made and brought to the model; else it must be there, as the model has it. Default: it is. */
  readonly migrate?: boolean;
  /** Ends the wait for another process that holds the database: opening it fails with the reason. */
  readonly signal?: AbortSignal;
  /** What hooks get of the application. */
  readonly context?: HookServices;
  /** Told what happens: requests, faults, changes of the schema. What it throws is lost. Default: nobody is told. */
  readonly observe?: Observe;
  /** Where clients reach the API where the model has no `public_url`: events name it. Default: `http://localhost`. */
  readonly origin?: () => string;
  /** Whether any `Host` is taken (AUTH-7). Default: loopback names alone, for an API without authentication. */
  readonly allowAnyHost?: boolean;
  /** Why the server should get no traffic just now; null when it should. */
  readonly notReadyReason?: () => string | null;
  /** Whether `after` hooks are fed from here. Default: they are. */
  readonly dispatch?: boolean;
  /** Milliseconds that `after` hooks under way have when the API is closed; they are delivered again later. Default: 30,000. */
  readonly shutdownTimeout?: () => number;
}

/** An API and the database that it stands on. */
export interface OpenedApi extends AsyncDisposable {
  readonly api: Api;
  readonly store: Store;
  /** Ends what the API does by itself, and lets go of the database. Call it when no request is in flight any more. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a SQLite database, brings it to the model and puts the API on top.
 *
 * @throws {LossySchemaChange} {SchemaViolation} {UnusableDatabase} with the database as it was
 */
export async function openApi(options: OpenApiOptions): Promise<OpenedApi> {
  const { model, database, migrate = true, signal, origin = () => 'http://localhost', allowAnyHost = false } = options;
  const sink = options.observe ?? (() => undefined);
  const observe = safeObserver(sink);
  const clock = systemClock;
  const random = createRandom();
  const store = await openSqlite({ path: database, model, migrate: migrate, signal: signal, observe, clock, random });
  try {
    const ids = createIds({ clock, random });
    const dispatch = options.dispatch === false ? null : startHookDispatch(options, { store, clock, random, observe });
    const committed = (): void => dispatch?.wake();
    const api = await createApi({
      ...options,
      observe: sink,
      origin,
      allowAnyHost,
      store,
      clock,
      ids,
      random,
      onCommit: committed,
    });
    const close = async (): Promise<void> => {
      await dispatch?.stop(options.shutdownTimeout?.());
      await store.close();
    };
    return { api, store, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Feeds the hooks of a model, where it has any. */
function startHookDispatch(
  { model, context = {} }: OpenApiOptions,
  { random, ...parts }: Pick<DispatchOptions, 'store' | 'clock' | 'observe'> & { readonly random: Random },
): Dispatch | null {
  const outlets = afterHookSubscribers(model, context);
  if (outlets.length === 0) return null;
  const fraction = (): number => Number.parseInt(random.hex(4), 16) / 2 ** 32;
  return startDispatch({ ...parts, subscribers: outlets, random: fraction });
}
