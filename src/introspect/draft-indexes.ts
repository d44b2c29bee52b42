import type { Json, JsonObject } from '../conventions/json/json.ts';
import type { ColumnKind } from './database.ts';
import type { ColumnField } from './draft-fields.ts';
import type { ShownTable } from './foreign-references.ts';
import type { SystemTimes } from './system-times.ts';
import { listUniqueTogether } from './table-key.ts';

/** Kinds of values that have no order. */
export const UNORDERED_KINDS: ReadonlySet<ColumnKind> = new Set(['json', 'map', 'array', 'binary', 'unreadable']);

/** From this number of rows on, a comment has the fields without an index. A sort of them takes about 20 ms. */
const MANY_ROWS = 100_000;
/** Fields that one comment lists. */
const MAX_LISTED = 10;

/** The indexes of a resource, and the comments on them. */
interface IndexDraft {
  readonly settings: JsonObject;
  readonly notes: readonly string[];
}

/** Drafts the indexes that a table has, other than those of unique fields. */
export function draftIndexes(shown: ShownTable, fields: readonly ColumnField[], times: SystemTimes): IndexDraft {
  const { table, key } = shown;
  const paths = namePaths(shown, fields, times);
  const uniques = [...listUniqueTogether(table, key), ...table.uniqueKeys.filter(({ length }) => length === 1)];
  const served = table.indexes.flatMap((columns) => {
    const end = columns.findIndex((column) => !paths.has(column));
    const shownColumns = end === -1 ? columns : columns.slice(0, end);
    return shownColumns.length === 0 ? [] : [shownColumns];
  });
  const listed = served
    .filter(
      (columns) => paths.get(columns[0] ?? '') !== 'id' && !uniques.some((each) => each.join() === columns.join()),
    )
    .map((columns) => columns.map((column) => paths.get(column) ?? column));
  const different = [...new Map(listed.map((index) => [index.join(), index])).values()];
  const indexes = different.map((index): Json => (index.length === 1 ? (index[0] ?? '') : index));
  const leading = new Set([...served, ...uniques].map(([first]) => first));
  return {
    settings: indexes.length === 0 ? {} : { indexes },
    notes: describeUnindexed(
      table.rowCount,
      [...paths].flatMap(([column, path]) => (path === 'id' || leading.has(column) ? [] : [path])),
    ),
  };
}

/** The names of columns in sorts and filters, by column. */
function namePaths(
  { table, key }: ShownTable,
  fields: readonly ColumnField[],
  times: SystemTimes,
): ReadonlyMap<string, string> {
  const kinds = new Map(table.columns.map(({ name, type }) => [name, type.kind]));
  const named = [
    ...(key.columns.length === 1 ? key.columns.map((column) => [column, 'id'] as const) : []),
    ...fields.map(({ column, member }) => [column, member.name] as const),
    ...Object.entries(times).map(([path, column]) => [column, path] as const),
  ];
  return new Map(named.filter(([column]) => !UNORDERED_KINDS.has(kinds.get(column) ?? 'unreadable')));
}

function describeUnindexed(rowCount: number | null, paths: readonly string[]): readonly string[] {
  if (rowCount === null || rowCount < MANY_ROWS || paths.length === 0) return [];
  const more = paths.length > MAX_LISTED ? ` and ${paths.length - MAX_LISTED} more` : '';
  const listed = `${paths.slice(0, MAX_LISTED).join(', ')}${more}`;
  return [`no index: ${listed}; a sort or a filter by them reads all of about ${rowCount.toLocaleString('en')} rows`];
}
