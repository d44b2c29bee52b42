import { type ErrorDetail, apiError } from '../conventions/errors.ts';
import { splitList } from '../conventions/query.ts';
import { memoize, weakMemoize } from '../cache/memoize.ts';
import type { Resource, SortKey } from '../model/model.ts';

/** Most keys that a caller may sort by (QRY-3), and most that are looked at to tell what is wrong with them. */
const MAX_KEYS = 5;
const MAX_JUDGED = 20;

/**
 * The order that `sort` asks for, the id appended as the tie-breaker in the direction of the last key (PAGE-5, QRY-3).
 *
 * @param raw the parameter's value as it came, `-created_at,name`
 * @throws {ApiError} QUERY_SORT_INVALID, listing what is sortable
 */
export function readSort(raw: string, resource: Resource): readonly SortKey[] {
  return sortsOf(resource)(raw);
}

/** Callers ask for few orders of a resource. */
const sortsOf = weakMemoize((resource: Resource) => memoize((raw) => readKeys(raw, resource)));

function readKeys(raw: string, resource: Resource): readonly SortKey[] {
  const texts = splitList(raw, MAX_JUDGED);
  if (texts === null)
    throw sortInvalid([{ field: 'sort', message: `has over ${MAX_JUDGED} keys; at most ${MAX_KEYS}` }]);
  const keys = texts.map((text) => ({ path: text.replace(/^-/, ''), descending: text.startsWith('-') }));
  const details: ErrorDetail[] = keys
    .filter(({ path }) => !isSortable(resource, path))
    .map(({ path }) => ({ field: 'sort', message: `cannot sort by ${JSON.stringify(path)}; ${sortable(resource)}` }));
  const repeated = keys.find(({ path }, index) => keys.findIndex((key) => key.path === path) < index);
  if (repeated !== undefined) details.push({ field: 'sort', message: `names ${repeated.path} more than once` });
  if (keys.length > MAX_KEYS) details.push({ field: 'sort', message: `has ${keys.length} keys; at most ${MAX_KEYS}` });
  if (details.length > 0) throw sortInvalid(details);
  return totalOrder(keys);
}

function sortInvalid(details: readonly ErrorDetail[]): Error {
  return apiError('QUERY_SORT_INVALID', 'The collection cannot be sorted so; see details for what to send.', {
    details,
  });
}

/** The order up to the id, which makes it total: no two rows tie. A key that is named again decides nothing and is left out. */
export function totalOrder(keys: readonly SortKey[]): readonly SortKey[] {
  const byPath = new Map<string, SortKey>();
  for (const key of [...keys, { path: 'id', descending: keys.at(-1)?.descending === true }]) {
    if (!byPath.has(key.path) && !byPath.has('id')) byPath.set(key.path, key);
  }
  return [...byPath.values()];
}

/** An order as text: what a cursor is bound to. */
export function writeSort(order: readonly SortKey[]): string {
  return order.map(({ path, descending }) => (descending ? `-${path}` : path)).join(',');
}

function sortable(resource: Resource): string {
  return `sortable are ${[...resource.properties.keys()].filter((path) => isSortable(resource, path)).join(', ')}`;
}

/** The time field always is: the techniques that go by time have its order (PAGE-7). */
function isSortable({ properties, timeField }: Resource, path: string): boolean {
  return path === timeField || properties.get(path)?.sortable === true;
}
