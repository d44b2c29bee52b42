import type { WriteOptions } from './client-types.ts';
import type { ClientRequest } from './transport.ts';
import type { ItemOrId } from './write-types.ts';

/** A write before it is sent, by itself or in a batch. */
export interface UnsentWrite {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The path of an item. @throws {TypeError} for an id that no URL can have: it would lead to another resource */
export function itemPath(collection: string, item: string | { readonly id: string }): string {
  const id = typeof item === 'string' ? item : item.id;
  if (id === '' || id === '.' || id === '..') throw new TypeError(`'${id}' is not an id.`);
  return `${collection}/${encodeURIComponent(id)}`;
}

const JSON_BODY = { 'Content-Type': 'application/json' };
const MERGE_PATCH = { 'Content-Type': 'application/merge-patch+json' };

/**
 * The writes of a collection, without sending them.
 *
 * @param path of the collection, relative to the root of the version
 */
export function createWrites(path: string) {
  return {
    create: (body: unknown): UnsentWrite => ({ method: 'POST', path, headers: JSON_BODY, body }),
    update: (item: ItemOrId, body: unknown): UnsentWrite => ({
      method: 'PATCH',
      path: itemPath(path, item),
      headers: { ...MERGE_PATCH, ...ifMatch(item) },
      body,
    }),
    replace: (item: ItemOrId, body: unknown): UnsentWrite => ({
      method: 'PUT',
      path: itemPath(path, item),
      headers: { ...JSON_BODY, ...ifMatch(item) },
      body,
    }),
    delete: (item: ItemOrId): UnsentWrite => ({ method: 'DELETE', path: itemPath(path, item), headers: ifMatch(item) }),
  };
}

/** The precondition of a write to an item that was read: its revision (CACHE-3). */
function ifMatch(item: ItemOrId): Readonly<Record<string, string>> {
  return typeof item === 'string' ? {} : { 'If-Match': `"${item.revision}"` };
}

/**
 * The request of a write. @param uniqueKey makes the `Idempotency-Key` of a POST or PATCH, so that it can be repeated
 */
export function writeRequest(write: UnsentWrite, options: WriteOptions, uniqueKey: () => string): ClientRequest {
  const { method, path, headers, body } = write;
  const isKeyed = method === 'POST' || method === 'PATCH';
  const key = isKeyed ? { 'Idempotency-Key': options.idempotencyKey ?? uniqueKey() } : {};
  return {
    method,
    path: options.dry_run === true ? `${path}?dry_run=true` : path,
    headers: { Accept: 'application/json', ...headers, ...key, ...options.headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: options.signal,
    timeout: options.timeout,
  };
}
