import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import type { FoundTable } from '../../sql/existing/found-table.ts';
import { qualifyRelation, type RelationColumn, type RelationTable } from './read-catalogue.ts';

/** Reports changes of rows that the database, or the rights of all roles, do not allow. */
export function writeProblems(
  { resource, table }: FoundTable<RelationColumn, RelationTable>,
  roles: readonly string[],
): readonly string[] {
  if (resource.readOnly) return [];
  const [role = ''] = roles;
  const impossible = (['insert', 'update', 'delete'] as const).filter((change) => !table.changes.includes(change));
  if (impossible.length > 0)
    return [
      `${resource.name}: the database cannot ${impossible.join(', ')} rows of ${table.name}; set read_only: true`,
    ];
  const missing = table.changes.filter((change) => !table.granted.includes(change));
  const { deniedSequences: sequences } = table;
  const grants = [
    ...(missing.length === 0 ? [] : [`grant ${missing.join(', ')} on ${qualifyRelation(table)}`]),
    ...(sequences.length === 0 ? [] : [`grant usage on sequence ${sequences.join(', ')}`]),
  ];
  if (grants.length === 0) return [];
  const statements = grants.map((grant) => `${grant} to ${quoteName(role)};`).join(' ');
  return [`${resource.name}: ${role} may not write ${table.name}: ${statements} Or set read_only: true`];
}

const OWN = `select current_user::text as role, current_database()::text as database, to_regnamespace(quote_ident($1)) is not null as found,
  has_database_privilege(current_database(), 'create') as creates,
  coalesce(has_schema_privilege(to_regnamespace(quote_ident($1))::oid, 'create, usage'), false) as owns`;

/** Checks that the role may create the schema of what the server stores itself. @throws {UnusableDatabase} */
export async function requireOwnSchema(session: PostgresConnection, schema: string): Promise<void> {
  const [row] = (await session.query(OWN, [schema])).rows;
  if (row === undefined || (row['found'] === 1 ? row['owns'] === 1 : row['creates'] === 1)) return;
  const role = quoteName(String(row['role']));
  const statement =
    row['found'] === 1
      ? `grant create, usage on schema ${quoteName(schema)} to ${role};`
      : `create schema ${quoteName(schema)} authorization ${role};`;
  throw new UnusableDatabase(
    `${String(row['role'])} may not create what the server stores next to the tables, in the schema ${schema}: ${statement} Or pass --read-only.`,
  );
}
