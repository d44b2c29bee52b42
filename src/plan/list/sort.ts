import { cut, quoted } from '../../conventions/text/quoted.ts';
import { type ErrorDetail, apiError } from '../../conventions/errors.ts';
import { splitPlainList } from '../../conventions/url/query.ts';
import { memoize, weakMemoize } from '../../cache/memoize.ts';
import type { Resource, SortKey } from '../../model/model.ts';

/** Maximum number of sort keys (QRY-3), and of keys that are checked for the details of an error. */
export const MAX_KEYS = 5;
const MAX_CHECKED = 20;

/**
 * Reads `sort`. The id is appended as the tie-breaker, in the direction of the last key (PAGE-5, QRY-3).
 *
 * @param text the decoded value of the parameter: `-created_at,name`
 * @throws {ApiError} QUERY_SORT_INVALID, with the sortable fields
 */
export function readSort(text: string, resource: Resource): readonly SortKey[] {
  return sortsByResource(resource)(text);
}

/** Clients use few different orders of a resource. */
const sortsByResource = weakMemoize((resource: Resource) => memoize((text) => readKeys(text, resource)));

function readKeys(text: string, resource: Resource): readonly SortKey[] {
  const terms = splitPlainList(text, MAX_CHECKED);
  if (terms === null)
    throw sortInvalid([{ field: 'sort', message: `has more than ${MAX_CHECKED} keys; at most ${MAX_KEYS}` }]);
  const keys = terms.map((term) => ({ path: term.replace(/^-/, ''), descending: term.startsWith('-') }));
  const details: ErrorDetail[] = keys
    .filter(({ path }) => !isSortable(resource, path))
    .map(({ path }) => ({ field: 'sort', message: `cannot sort by ${quoted(path)}; ${sortable(resource)}` }));
  const repeated = keys.find(({ path }, index) => keys.findIndex((key) => key.path === path) < index);
  if (repeated !== undefined)
    details.push({ field: 'sort', message: `has the key ${cut(repeated.path)} more than once` });
  if (keys.length > MAX_KEYS) details.push({ field: 'sort', message: `has ${keys.length} keys; at most ${MAX_KEYS}` });
  if (details.length > 0) throw sortInvalid(details);
  return totalOrder(keys);
}

function sortInvalid(details: readonly ErrorDetail[]): Error {
  return apiError('QUERY_SORT_INVALID', 'Invalid sort; see details.', { details });
}

/** A total order: the keys up to the id, which breaks ties. Repeated keys have no effect and are omitted. */
export function totalOrder(keys: readonly SortKey[]): readonly SortKey[] {
  const byPath = new Map<string, SortKey>();
  for (const key of [...keys, { path: 'id', descending: keys.at(-1)?.descending === true }]) {
    if (!byPath.has(key.path) && !byPath.has('id')) byPath.set(key.path, key);
  }
  return [...byPath.values()];
}

/** An order as a string: `-created_at,name`. */
export function writeSort(order: readonly SortKey[]): string {
  return order.map(({ path, descending }) => (descending ? `-${path}` : path)).join(',');
}

function sortable(resource: Resource): string {
  return `sortable fields: ${[...resource.properties.keys()].filter((path) => isSortable(resource, path)).join(', ')}`;
}

/** The time field is always sortable: pagination by time needs its order (PAGE-7). */
export function isSortable({ properties, timeField }: Resource, path: string): boolean {
  return path === timeField || properties.get(path)?.sortable === true;
}
