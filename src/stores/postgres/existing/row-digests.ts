import type { FoundTable } from '../../sql/existing/found-table.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import { postgresType } from './column-type.ts';
import { qualifyRelation, type RelationColumn, type RelationTable } from './read-catalogue.ts';

const TEXT = postgresType({ name: 'text', sql: 'text', isBuiltIn: true, type: 'b', labels: [] }, null);

/** Makes the column of the digest of each row, for a table without a key. No column of the table has its name. */
export function digestColumn({ columns }: Pick<RelationTable, 'columns'>): RelationColumn {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  let name = 'digest';
  while (taken.has(name)) name += '_';
  const facts = { required: true, place: 1, type: TEXT, declared: 'text', typeSchema: 'pg_catalog' };
  return { name, ...facts, isReadable: true, isDigest: true };
}

/** True if the rows of a table are identified by their digests. */
export function isByDigest({ key }: Pick<FoundTable<RelationColumn, RelationTable>, 'key'>): boolean {
  return key.some(({ isDigest }) => isDigest);
}

/**
 * Writes what a query reads: the table, with the digest of each row as a column more where that is its key. Sessions
 * that read tables write values in one form, so that settings of the database change no digest. Rows with the same one
 * differ in their place, which follows it.
 */
export function writeSource(found: FoundTable<RelationColumn, RelationTable>): string {
  const relation = qualifyRelation(found.table);
  const column = found.key.find(({ isDigest }) => isDigest);
  if (column === undefined) return relation;
  const values = listPublic(found).map((name) => `whole.${quoteName(name)}`);
  const place = `whole.tableoid || translate(whole.ctid::text, '(,)', '--')`;
  const digest = `md5(row(${values.join(', ')})::text) || '-' || ${place}`;
  return `(select ${digest} as ${quoteName(column.name)}, whole.*, whole.xmin from ${relation} as whole)`;
}

/** The columns that every caller may read. With a digest of others, callers could test what they contain. */
function listPublic({ resource, columns }: FoundTable<RelationColumn, RelationTable>): readonly string[] {
  const isHidden = (member: string): boolean => {
    const { writeOnly = false, shownOnce = false } = resource.field.get(member) ?? {};
    return writeOnly || shownOnce || (resource.fieldAccess.get(member)?.read ?? null) !== null;
  };
  const shown = [...columns].filter(([member]) => !isHidden(member));
  return [...new Set(shown.map(([, { name }]) => name))];
}
