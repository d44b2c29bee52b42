import process from 'node:process';
import type { Json } from './conventions/json.ts';
import { httpDate } from './conventions/preconditions.ts';
import { timestamp } from './conventions/timestamp.ts';
import { compileCsvReader, type CsvReader, type CsvWriter } from './formats/csv.ts';
import type { HookServices } from './model/typescript/hooks.ts';
import type { Model } from './model/model.ts';
import { safeObserver } from './observe/safe-observer.ts';
import type { Observe } from './observe/observation.ts';
import { type Contract, type CompiledResource, compileContract } from './pipeline/contract.ts';
import type { Handler } from './pipeline/exchange.ts';
import { type ExportedRows, exportRows } from './pipeline/read/export.ts';
import { importRows, type RowImportOutcome } from './pipeline/write/import.ts';
import { createPipeline } from './pipeline/pipeline.ts';
import { versionedPath } from './pipeline/receive.ts';
import { versionedBase } from './pipeline/route.ts';
import type { Surroundings } from './pipeline/surroundings.ts';
import { createVariants } from './pipeline/represent/etags.ts';
import { ItemCache } from './pipeline/read/item-cache.ts';
import { createPageCache } from './pipeline/read/page-cache.ts';
import { KeyMutex } from './pipeline/write/key-mutex.ts';
import type { Bookmark } from './plan/plan.ts';
import { type Clock, monotonicNow } from './platform/clock.ts';
import { digest } from './platform/digest.ts';
import type { Ids } from './platform/ids.ts';
import { programVersion } from './platform/program-version.ts';
import type { Random } from './platform/random.ts';
import { createSeal } from './platform/seal.ts';
import type { Store } from './stores/store.ts';

export type { RowImportError, RowImportOutcome } from './pipeline/write/import.ts';

/** What an API is made of: everything that it would otherwise have to find for itself. */
export interface ApiOptions {
  readonly model: Model;
  readonly store: Store;
  readonly clock: Clock;
  /** Milliseconds from any beginning: how long a request took. Default: as the machine counts them. */
  readonly elapsed?: () => number;
  readonly ids: Ids;
  readonly random: Random;
  /** Told what happens: requests, faults. What it throws is lost. */
  readonly observe: Observe;
  /** Whether any `Host` is taken; else loopback names alone (AUTH-7). */
  readonly allowAnyHost: boolean;
  /** Where clients reach the API when the model has no `public_url`: `http://127.0.0.1:3000`. URLs in events begin with it. */
  readonly origin: () => string;
  /** Told of every commit. */
  readonly onCommit?: () => void;
  /** What hooks get of the application (model.md). */
  readonly context?: HookServices;
  /** Why the server should get no traffic just now; null when it should. Default: it always should. */
  readonly notReadyReason?: () => string | null;
}

/** One API: answers requests, and takes in rows without them. */
export interface Api extends Handler {
  readonly model: Model;

  /**
   * Restores rows of a collection as a file has them, all in one transaction together with the bookmark, or none.
   *
   * @param collection name of the resource
   * @throws {RangeError} no such resource
   */
  importRows(collection: string, exportRows: readonly Json[], bookmark?: Bookmark): Promise<RowImportOutcome>;

  /** All rows of a collection. @throws {RangeError} no such resource */
  exportRows(collection: string): Promise<ExportedRows>;

  /** The columns of a collection's CSV, to write and to read. @throws {RangeError} no such resource */
  csv(collection: string): CsvFormat;
}

/** The CSV of a collection. */
export interface CsvFormat {
  readonly writer: CsvWriter;
  /** @param header the first record of a file @throws {ApiError} REQUEST_BODY_MALFORMED */
  reader(header: string): CsvReader;
}

/** Assembles an API: the composition root for embedders. */
export async function createApi(options: ApiOptions): Promise<Api> {
  const surroundings = await surroundingsOf(options);
  const { compiled, now, uuid } = surroundings;
  const randomHex = (bytes: number): string => options.random.hex(bytes);
  const handler = createPipeline({
    surroundings,
    openings: {
      now,
      elapsed: options.elapsed ?? monotonicNow,
      uuid,
      randomHex,
      versionedPath: versionedPath(compiled.base),
    },
    open: options.allowAnyHost,
    unready: options.notReadyReason ?? (() => null),
  });
  return {
    ...handler,
    model: options.model,
    async importRows(collection, rows, bookmark) {
      const origin = { correlationId: uuid(), traceId: randomHex(16), actor: null, at: timestamp(now()) };
      return importRows(requireResource(compiled, collection), rows, bookmark, origin, surroundings);
    },
    exportRows: async (collection) => exportRows(requireResource(compiled, collection), surroundings),
    csv(collection) {
      const { csv, bodyType } = requireResource(compiled, collection);
      return { writer: csv, reader: (header) => compileCsvReader(bodyType, header, compiled.model.limits) };
    },
  };
}

async function surroundingsOf(options: ApiOptions): Promise<Surroundings> {
  const { model, store, clock, ids, origin, observe, context = {}, onCommit = () => undefined } = options;
  const now = (): number => clock.now();
  const secret = model.secret === null ? await store.secret() : new TextEncoder().encode(model.secret);
  const seal = createSeal(secret, 'cursor');
  const compiled = compileContract(model, seal);
  const uuid = (): string => ids.uuid();
  const { major, minor, patch } = model.version;
  // Cursors are part of pages, and what is compressed depends on Node.js.
  const told = [model.fingerprint, programVersion(), process.version, seal.seal('')];
  const { id, since } = await store.cacheEpoch(digest(told.join('\n')), now());
  return {
    compiled,
    store,
    rows: store.rows,
    stamps: store.stamps,
    context,
    committed: onCommit,
    running: new Set(),
    observe: safeObserver(observe),
    events: {
      model,
      urls: compiled.addresses,
      base: () => versionedBase(compiled, model.publicUrl ?? origin()),
      id: uuid,
    },
    turns: new KeyMutex(),
    variants: createVariants(digest),
    itemCache: new ItemCache(),
    pageCache: createPageCache(),
    edition: { id, at: since, date: httpDate(since) },
    version: `${major}.${minor}.${patch}`,
    now,
    uuid,
    digest,
  };
}

function requireResource({ resources }: Contract, collection: string): CompiledResource {
  const target = resources.get(collection);
  if (target === undefined) throw new RangeError(`the model has no resource ${collection}`);
  return target;
}
