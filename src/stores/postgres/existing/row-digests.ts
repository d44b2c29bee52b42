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
 * Writes the table with the digest of each row as a column more. Sessions that read tables write values in one form,
 * so that settings of the database change no digest. Rows with the same one differ in their place, which follows it.
 */
export function addDigests(found: FoundTable<RelationColumn, RelationTable>, name: string): string {
  const values = listPublic(found).map((column) => `whole.${quoteName(column)}`);
  const place = `whole.tableoid || translate(whole.ctid::text, '(,)', '--')`;
  const digest = `md5(row(${values.join(', ')})::text) || '-' || ${place}`;
  return `(select ${digest} as ${quoteName(name)}, whole.*, whole.xmin from ${qualifyRelation(found.table)} as whole)`;
}

/** The columns that every reader of a resource sees. With a digest of others, readers could test what they contain. */
function listPublic({ resource, columns }: FoundTable<RelationColumn, RelationTable>): readonly string[] {
  const isHidden = (member: string): boolean => {
    const field = resource.field.get(member);
    return (
      field?.writeOnly === true ||
      field?.shownOnce === true ||
      (resource.fieldAccess.get(member)?.read ?? null) !== null
    );
  };
  const shown = [...columns].filter(([member]) => !isHidden(member));
  return [...new Set(shown.map(([, { name }]) => name))];
}
