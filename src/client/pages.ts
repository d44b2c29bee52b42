import type { CallOptions } from './client-types.ts';
import { queryString, type QueryParts } from './query-string.ts';
import type { ItemPage } from './result-types.ts';
import { type ClientRequest, parseResponse, type Transport } from './transport.ts';

/**
 * A longer target is sent as the body of a QUERY: the server takes 8,192 bytes, and proxies in front of it may take
 * less.
 */
const MAX_TARGET = 6_000;

/** The parameters of a read, with options of the call. */
export type ReadParts = QueryParts & CallOptions;

/** The request that reads a target. */
export function readRequest(path: string, search: string, options: CallOptions): ClientRequest {
  const headers = { Accept: 'application/json', ...options.headers };
  const { signal, timeout } = options;
  if (path.length + search.length <= MAX_TARGET)
    return { method: 'GET', path: path + search, headers, signal, timeout };
  const form = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' };
  return { method: 'QUERY', path, headers: form, body: search.slice(1), signal, timeout };
}

/** A page and those after it, each read when it is needed. */
export async function* readPages(
  transport: Transport,
  path: string,
  query: ReadParts = {},
): AsyncGenerator<ItemPage<unknown>, void> {
  let search: string | null = queryString(query);
  while (search !== null) {
    const page: ItemPage<unknown> = await readPage(transport, path, search, query);
    yield page;
    search = nextSearch(page, query, search);
  }
}

/** The first page of a query. */
export function firstPage(transport: Transport, path: string, query: ReadParts = {}): Promise<ItemPage<unknown>> {
  return readPage(transport, path, queryString(query), query);
}

async function readPage(
  transport: Transport,
  path: string,
  search: string,
  query: ReadParts,
): Promise<ItemPage<unknown>> {
  return transport.send(readRequest(path, search, query), parseResponse<ItemPage<unknown>>);
}

/**
 * The query of the page after one; null where it is the last. Links that are too long for a URL are left out (PAGE-2),
 * but not the cursor.
 *
 * @param search the query of the page
 */
function nextSearch({ page, links }: ItemPage<unknown>, query: ReadParts, search: string): string | null {
  const { next } = links;
  if (next !== undefined) return next.slice(next.indexOf('?'));
  if (typeof page.next_cursor === 'string') return queryString({ ...query, after: page.next_cursor });
  if (page.next_cursor === null || search.length <= MAX_TARGET || page.count < page.limit) return null;
  throw new TypeError(
    `A query that is too long for a URL has pages by cursor only: leave out the ${page.technique} position.`,
  );
}
