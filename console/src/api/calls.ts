import {
  type BatchedWrite,
  type BatchWriter,
  type Client,
  type CollectionClient,
  createClient,
  isRequestError,
  type SettledWrite,
  type WriteOptions,
} from 'restwright/client';
import type { ApiCollection, ApiSchema } from '../schema/api-schema.ts';
import type { ConsoleConfig } from '../session/config.ts';
import type { Session } from '../session/session.ts';

/** An item of any collection. */
export interface Row {
  readonly id: string;
  readonly revision: number;
  readonly links: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/** The types of an API that is known at run time only. */
interface UnknownResource {
  readonly item: Row;
  readonly shown_once: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly immutable: never;
  readonly filters: Readonly<Record<string, unknown>>;
  readonly sort: string;
  readonly relations: object;
  readonly parent: null;
  readonly error_prefix: string;
}

/** An API with any collections. */
export interface UnknownApi {
  readonly version: undefined;
  readonly resources: Readonly<Record<string, UnknownResource>>;
}

export type UnknownClient = Client<UnknownApi>;
export type AnyCollection = CollectionClient<UnknownApi, string>;
/** Makes the writes of a collection, for a batch. */
export type AnyWriter = BatchWriter<UnknownApi, null>[string];

/** The ids of the items above a nested collection, the outermost first. */
export type ParentIds = readonly string[];

/** The requests of the console: each asks for another token when the server refuses the one that it has. */
export interface ApiCalls {
  /** The typed client. Its calls fail with 401 instead of asking for a token: pass them to `run`. */
  readonly client: UnknownClient;
  /** The calls of a collection. */
  collection(collection: ApiCollection, parents?: ParentIds): AnyCollection;
  /** Makes up to 100 writes of a collection in one request, each by itself. */
  batch(
    place: { readonly collection: ApiCollection; readonly parents: ParentIds },
    writes: (writer: AnyWriter) => readonly BatchedWrite<unknown>[],
    options: WriteOptions,
  ): Promise<readonly SettledWrite<unknown>[]>;
  /** Sends a request again after a sign-in, if it fails for want of one. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Sends a request that the client does not know, such as an export.
   *
   * @param path below the version: `/books?fields=title`
   */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** Makes the calls of an API. */
export function createCalls(config: ConsoleConfig, schema: ApiSchema, session: Session): ApiCalls {
  const major = schema.root.split('/v').at(-1) ?? '';
  const root = `${config.api}/v${major}`;
  const url = new URL(root, document.baseURI).href;
  // The version is in the URL: it is known at run time only.
  const client = createClient<UnknownApi>({ url, token: () => session.read().token });
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    const { token } = session.read();
    try {
      return await work();
    } catch (error) {
      if (!isRequestError(error) || error.status !== 401 || !(await session.renew(token))) throw error;
      return await run(work);
    }
  };
  return {
    client,
    run,
    collection: (collection, parents = []) => findCollection<AnyCollection>(client, collection, parents),
    batch: ({ collection, parents }, writes, options) =>
      run(() =>
        client.$batch((to) => writes(findCollection<AnyWriter>(to, collection, parents)), {
          ...options,
          atomic: false,
        }),
      ),
    send: async (path, init = {}) => {
      const { token } = session.read();
      const authorization = token === null ? {} : { Authorization: `Bearer ${token}` };
      const headers = { ...authorization, ...Object.fromEntries(new Headers(init.headers)) };
      const response = await fetch(url + path, { ...init, headers });
      if (response.status !== 401 || !(await session.renew(token))) return response;
      return await fetch(url + path, {
        ...init,
        headers: { ...headers, Authorization: `Bearer ${session.read().token}` },
      });
    },
  };
}

/** The collections below the root, or below an item. */
type CollectionsBelow<C> = Readonly<Record<string, C | undefined>>;

/** The calls of a collection, or its writes for a batch, below the items whose ids its path needs. */
function findCollection<C extends (id: string) => CollectionsBelow<C>>(
  root: CollectionsBelow<C>,
  { path, name }: ApiCollection,
  parents: ParentIds,
): C {
  const above = [...path.matchAll(/\/([^/{}]+)\/\{[^}]+\}/g)].map(([, segment = '']) => segment.replaceAll('-', '_'));
  const holder = above.reduce<CollectionsBelow<C>>((from, each, index) => {
    const collection = from[each];
    const id = parents[index];
    if (collection === undefined || id === undefined) throw new TypeError(`${path} needs the ids of its parents.`);
    return collection(id);
  }, root);
  const found = holder[name];
  if (found === undefined) throw new TypeError(`'${name}' is not a collection.`);
  return found;
}
