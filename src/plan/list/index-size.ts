import { weakMemoize } from '../../cache/memoize.ts';
import type { Json } from '../../conventions/json/json.ts';
import type { Resource } from '../../model/model.ts';
import { schemaAt } from '../../model/compile/versions/field-paths.ts';
import { keyMembers } from '../../model/row-key.ts';
import { listIndexes } from './indexes.ts';
import { valueAt } from './list-query.ts';
import type { Ancestor, FieldValues } from '../plan.ts';

/**
 * The most bytes of the values of a row in one index (LIM-1), in UTF-8. An entry in an index of PostgreSQL has at most
 * 2,704 bytes, a header and the lengths of its values included. Every store keeps the same limit, so that a model and
 * its rows fit into another one (OPS-4).
 */
export const MAX_INDEX_SIZE = 2_500;

/** The bytes of a value that is no text. */
const SCALAR_SIZE = 8;

/** A row as an index sees it. */
export interface IndexedRow {
  readonly id: string;
  readonly within: readonly Ancestor[];
  readonly values: FieldValues;
}

/**
 * The paths of each index of a resource, after those of its key, and of the tables of its arrays of references. None
 * for a table that exists: its database limits its own indexes.
 */
const indexedPaths = weakMemoize((resource: Resource): readonly (readonly string[])[] => {
  if (resource.table !== null) return [];
  const key = keyMembers(resource);
  const references = resource.fields.filter(({ reference, type }) => reference !== null && type.kind === 'array');
  return [
    key,
    ...references.map(({ name }) => [name, ...key]),
    ...listIndexes(resource).map(({ keys }) => keys.map(({ path }) => path)),
  ];
});

/**
 * Finds the values of a row that are too long for an index. They belong to the first index that they overfill
 * together, and each takes more than an even share of it.
 *
 * @returns dotted paths; empty if every index can hold its values
 */
export function overlongPaths(resource: Resource, row: IndexedRow): readonly string[] {
  const size = (path: string): number => measureSize(indexedValue(resource, row, path));
  const paths = indexedPaths(resource).find((each) => each.reduce((sum, path) => sum + size(path), 0) > MAX_INDEX_SIZE);
  return paths?.filter((path) => size(path) > MAX_INDEX_SIZE / paths.length) ?? [];
}

/**
 * The indexed paths whose schema allows values that no index can hold: a declared `maxLength` in characters of one byte
 * is more than it holds.
 */
export function overlongByDeclaration(resource: Resource): readonly string[] {
  const { schema, field } = resource;
  const declared = [...new Set(indexedPaths(resource).flat())].filter((path) => field.has(path.split('.')[0] ?? path));
  return declared.filter((path) => Number(schemaAt(schema, path)['maxLength'] ?? 0) > MAX_INDEX_SIZE);
}

function indexedValue({ parentKey }: Resource, { id, within, values }: IndexedRow, path: string): Json {
  if (path === 'id') return id;
  const level = parentKey.indexOf(path);
  return level === -1 ? valueAt(values, path) : (within[level]?.id ?? null);
}

/** Bytes in UTF-8. Of an array of references, each is a row of its table. */
function measureSize(value: Json): number {
  if (value === null) return 0;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return Math.max(0, ...value.map(measureSize));
  return typeof value === 'object' ? Buffer.byteLength(JSON.stringify(value)) : SCALAR_SIZE;
}
