import { joinPath } from '../../conventions/url/links.ts';
import type { QueryPairs } from '../../conventions/url/query.ts';
import { joinQueries, writeQuery } from '../../conventions/url/query.ts';
import { memoize, weakMemoize } from '../../cache/memoize.ts';
import type { Model, Resource } from '../../model/model.ts';
import type { Ancestor } from '../plan.ts';

/** The common part of all URLs of a response: the base, and the API version as the request sent it (REP-9). */
export interface LinkBase {
  /** `/api/v1`, `/api` or `https://api.example.com/api/v1`. */
  readonly prefix: string;
  /** `[['api_version', '1']]` if the request named the version by that parameter, else empty. */
  readonly parameters: QueryPairs;
}

/** Writes the URLs of a model's resources (URL-1, URL-9). */
export interface UrlBuilder {
  /** The URL of the base. */
  readonly root: (base: LinkBase) => string;
  /** @param query as returned by `writeQuery` */
  collection(base: LinkBase, resource: Resource, within: readonly Ancestor[], query?: string): string;
  item(base: LinkBase, resource: Resource, within: readonly Ancestor[], id: string): string;
  /** The URL of a system resource. @param segments such as `batches` and an id */
  system(base: LinkBase, ...segments: readonly string[]): string;
  /** The URL of a system collection. @param query as returned by `writeQuery` */
  systemCollection(base: LinkBase, name: string, query: string): string;
}

/** Makes the URL builder of a model. Ancestors are nearest first, as in a plan. */
export function urlBuilder({ resources }: Pick<Model, 'resources'>): UrlBuilder {
  // Most links lead to top-level collections, and there are few prefixes.
  const topLevelPath = weakMemoize(({ collection }: Resource) =>
    memoize((prefix: string) => joinPath(prefix, collection)),
  );
  const collectionPath = ({ prefix }: LinkBase, resource: Resource, within: readonly Ancestor[]): string => {
    if (within.length === 0) return topLevelPath(resource)(prefix);
    const above = within.toReversed().flatMap((row) => [resources.get(row.resource)?.collection ?? '', row.id]);
    return joinPath(prefix, ...above, resource.collection);
  };
  return {
    root: (base) => withQuery(base.prefix === '' ? '/' : base.prefix, base),
    collection: (base, resource, within, query) => withQuery(collectionPath(base, resource, within), base, query),
    item: (base, resource, within, id) => withQuery(joinPath(collectionPath(base, resource, within), id), base),
    system: (base, ...segments) => withQuery(joinPath(base.prefix, ...segments), base),
    systemCollection: (base, name, query) => withQuery(joinPath(base.prefix, name), base, query),
  };
}

function withQuery(path: string, { parameters }: LinkBase, query = ''): string {
  const whole = parameters.length === 0 ? query : joinQueries(query, writeQuery(parameters));
  return whole === '' ? path : [path, whole].join('?');
}
