// `restwright/client`: a typed client of an API, for Node.js, Bun, Deno and browsers.
import { type WebPlatform, webPlatform } from '../platform/web.ts';
import type { ApiTypes, ApiVersion } from './api-types.ts';
import type { Client, UploadOptions, WriteOptions } from './client-types.ts';
import type { ApiOf } from './model-types.ts';
import type { EventOptions } from './event-types.ts';
import { followEvents } from './follow-events.ts';
import { firstPage, type ReadParts, readPages, readRequest } from './pages.ts';
import { queryString } from './query-string.ts';
import { describedFailure, FailedRequest, isRequestError } from './request-error.ts';
import { type Fetch, parseResponse, type TokenSource, Transport, type TransportSettings } from './transport.ts';
import { createMany } from './upload.ts';
import { itemPath, type UnsentWrite, writeRequest, createWrites } from './write-request.ts';
import type { BatchedWrite, ItemOrId, SettledWrite } from './write-types.ts';

export type {
  ApiTypes,
  ApiVersion,
  ItemMembers,
  JsonFilter,
  ListFilter,
  ResourceTypes,
  ScalarFilter,
  TextFilter,
} from './api-types.ts';
export type { BatchedWrite, BatchWriter, SettledWrite } from './write-types.ts';
export type {
  CallOptions,
  Client,
  CollectionClient,
  CreatedLine,
  ItemFilter,
  ClientQuery,
  Nested,
  ReadOptions,
  UploadOptions,
  WriteOptions,
} from './client-types.ts';
export type { EventOptions, ResourceEvent } from './event-types.ts';
export type { ResourceShape } from '../model/typescript/define-model.ts';
export type { AnyShape, ApiOf, ResourcesOf, ShapedResource } from './model-types.ts';
export type { Unfiltered, Unsorted } from './schema-paths.ts';
export { type ErrorKind, isRequestError, type RequestError } from './request-error.ts';
export type { ExpandPath, FieldPath, ItemPage, PageFacts, ReadItem } from './result-types.ts';
export type { Fetch, TokenSource } from './transport.ts';
export type { ChangesOf, CreatedItem, ItemOrId, ReplacementOf } from './write-types.ts';

/**
 * The version of the requests: a major version in the URL, of MAJOR.MINOR the minor in a header. It must be given if
 * requests without a version do not get the one that the types describe.
 */
type VersionOption<V> = undefined extends V ? { readonly version?: V } : { readonly version: V };

/** The options of a client. */
export type ClientOptions<A extends ApiTypes = ApiTypes> = VersionOption<A['version']> & {
  /** The root of the API: `https://api.example.com/api`. */
  readonly url: string;
  readonly token?: TokenSource;
  /** Maximum number of repetitions of a request that failed temporarily, if they are safe. Default: 2. */
  readonly retries?: number;
  /** Milliseconds for each attempt; 0 for no limit. Default: 60,000. */
  readonly timeout?: number;
  /** Sends the requests. Default: the `fetch` of the platform. */
  readonly fetch?: Fetch;
  /** Time and randomness; tests choose them. */
  readonly platform?: Partial<WebPlatform>;
};

/** The same options, whatever the types of the API are. */
interface AnyOptions extends Omit<ClientOptions, 'version'> {
  readonly version?: ApiVersion | undefined;
}

const TIMEOUT = 60_000;

/**
 * A client of an API: `const api = createClient<typeof model>({ url })`, then `await api.products.get(id)`.
 *
 * @typeParam M a model in TypeScript, or the `Api` that `restwright client` writes
 * @typeParam V a version of a model in TypeScript, as `1` or `'1.2'`; default: the newest one
 *
 * @example
 * ```ts
 * const shop = createClient<typeof model>({ url: 'https://api.example.com/api' });
 * const product = await shop.products.get('p1');
 * ```
 */
export function createClient<M, V = undefined>(options: ClientOptions<ApiOf<M, V>>): Client<ApiOf<M, V>>;
export function createClient({ url, version, token = null, ...options }: AnyOptions): object {
  const platform = { ...webPlatform, ...options.platform };
  const transport = new Transport({
    ...readVersion(url.replace(/\/+$/, ''), version),
    token,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    retries: options.retries ?? 2,
    timeout: options.timeout ?? TIMEOUT,
    platform,
  });
  const writer = collectionsBelow('', (path) => createWrites(path));
  const batch = (writes: (writer: object) => readonly BatchedWrite<unknown>[], chosen: BatchOptions = {}) =>
    sendBatch(transport, writes(writer), chosen, platform.uniqueKey);
  return collectionsBelow('', (path) => createCalls(path, transport, platform.uniqueKey), {
    $batch: batch,
    $events: (chosen: EventOptions<string> = {}) => followEvents(transport, chosen, platform),
  });
}

/** The root of a version, and the header fields that name it: a path has only a major version (VER-1). */
function readVersion(url: string, version: ApiVersion | undefined): Pick<TransportSettings, 'root' | 'headers'> {
  if (version === undefined) return { root: url, headers: {} };
  const [major, minor] = `${version}`.split('.');
  return { root: `${url}/v${major}`, headers: minor === undefined ? {} : { 'API-Version': `${version}` } };
}

/** The calls of a collection. @param path relative to the root of the version */
function createCalls(path: string, transport: Transport, uniqueKey: () => string) {
  const writes = createWrites(path);
  const send = (write: UnsentWrite, options: WriteOptions = {}): Promise<unknown> =>
    transport.send(writeRequest(write, options, uniqueKey), parseResponse);
  return {
    get: async (item: string | { readonly id: string }, options: ReadParts = {}): Promise<unknown> =>
      transport.send(readRequest(itemPath(path, item), queryString(options), options), parseResponse),
    async *list(query?: ReadParts): AsyncGenerator<unknown, void> {
      for await (const { data } of readPages(transport, path, query)) yield* data;
    },
    page: (query?: ReadParts) => firstPage(transport, path, query),
    pages: (query?: ReadParts) => readPages(transport, path, query),
    create: async (body: unknown, options?: WriteOptions) => send(writes.create(body), options),
    createMany: (rows: Iterable<unknown> | AsyncIterable<unknown>, options: UploadOptions = {}) =>
      createMany(transport, { path, rows, options }, uniqueKey),
    update: async (item: ItemOrId, changes: unknown, options?: WriteOptions) =>
      send(writes.update(item, changes), options),
    replace: async (item: ItemOrId, body: unknown, options?: WriteOptions) => send(writes.replace(item, body), options),
    delete: async (item: ItemOrId, options?: WriteOptions): Promise<void> => {
      await send(writes.delete(item), options);
    },
  };
}

/** The names of resources, but for the one that would make the client a promise. */
const RESOURCE = /^(?!then$)[a-z][a-z0-9_]*$/;

/**
 * An object with a member for each collection below a path, made when it is first used: the client does not know the
 * model.
 */
function collectionsBelow(path: string, callsAt: (path: string) => object, others: object = {}): object {
  const made = new Map<string, object>(Object.entries(others));
  return new Proxy(
    {},
    {
      get(_target, name) {
        if (typeof name !== 'string') return undefined;
        if (!made.has(name) && RESOURCE.test(name)) made.set(name, collection(path, name));
        return made.get(name);
      },
    },
  );

  function collection(parent: string, name: string): object {
    const at = `${parent}/${name.replaceAll('_', '-')}`;
    return Object.assign(
      (item: string | { readonly id: string }) => collectionsBelow(itemPath(at, item), callsAt),
      callsAt(at),
    );
  }
}

/** Options of a batch. */
interface BatchOptions extends WriteOptions {
  readonly atomic?: boolean;
}

/** The response to a batch (MET-13). */
interface BatchResults {
  readonly results: readonly {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  }[];
}

/**
 * Sends writes as one batch.
 *
 * @returns the bodies of the responses; of a batch that is not atomic, the result of each write
 */
async function sendBatch(
  transport: Transport,
  operations: readonly BatchedWrite<unknown>[],
  options: BatchOptions,
  uniqueKey: () => string,
): Promise<readonly unknown[]> {
  if (operations.length === 0) return [];
  const { atomic = true } = options;
  const headers = { 'Content-Type': 'application/json' };
  const write = { method: 'POST', path: '/batches', headers, body: { atomic, operations } } as const;
  const { results } = await transport.send(writeRequest(write, options, uniqueKey), parseResponse<BatchResults>);
  return atomic ? results.map(({ body }) => parseOperationValue(body)) : results.map(settleOperation);
}

function settleOperation({ status, headers, body }: BatchResults['results'][number]): SettledWrite<unknown> {
  if (status < 400) return { status: 'fulfilled', value: parseOperationValue(body) };
  const seconds = headers?.['Retry-After'];
  const reason =
    describedFailure(body, seconds === undefined ? null : Number(seconds) * 1_000) ??
    new FailedRequest('CLIENT_RESPONSE_INVALID', 'An operation of the batch failed without an error.', { status });
  if (isRequestError(reason)) return { status: 'rejected', reason };
  throw reason;
}

/** The result of a write without a body, such as a deletion, is undefined. */
function parseOperationValue(body: unknown): unknown {
  return body ?? undefined;
}
