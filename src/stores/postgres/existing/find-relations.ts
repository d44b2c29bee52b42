import { closestMatch } from '../../../conventions/text/closest-match.ts';
import { hasRoles, listRoles } from '../../../model/auth-rules.ts';
import type { Model, Resource } from '../../../model/model.ts';
import {
  describeTableKey,
  findColumns,
  findName,
  type FindRules,
  type FoundTable,
  NAMED_ROWS,
  nullKeyProblem,
  referenceProblems,
  repeatedKeyProblem,
  suggestNearest,
} from '../../sql/existing/found-table.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { sqlState } from '../driver/postgres-errors.ts';
import { digestColumn, isByDigest } from './row-digests.ts';
import { describeTypeMisfit } from './type-misfit.ts';
import { writeProblems } from './write-rights.ts';
import {
  type RelationColumn,
  type RelationTable,
  listRelations,
  qualifyRelation,
  readRelations,
  type CatalogueRelation,
} from './read-catalogue.ts';

/** A relation that a resource shows. */
export type FoundRelation = FoundTable<RelationColumn, RelationTable>;

/** The relations that the resources of a model name, and the schema of names without one. */
interface NamedRelations {
  readonly relations: readonly CatalogueRelation[];
  readonly schema: string;
}

/**
 * Finds the tables and columns that the resources of a model show.
 *
 * @param schema of tables whose names have none
 * @throws {UnusableDatabase} with everything that is missing, may not be read, or does not identify rows
 */
export async function findRelations(
  session: PostgresConnection,
  model: Model,
  schema: string,
): Promise<readonly FoundRelation[]> {
  const { resources } = model;
  const roles = hasRoles(model) ? listRoles(model) : [await currentRole(session)];
  const known: NamedRelations = { relations: await listRelations(session, roles), schema };
  const problems: string[] = [];
  const named = [...resources.values()].flatMap((resource) => {
    const relation = resource.table === null ? null : findRelation(resource, known, problems);
    return relation === null ? [] : [{ resource, relation, name: resource.table?.table ?? '' }];
  });
  const parts = await readRelations(
    session,
    named.map(({ relation }) => relation),
    roles,
  );
  const found = named.flatMap(({ resource, relation, name }) => {
    const read = parts.get(relation.oid);
    return read === undefined ? [] : findColumns(resource, { ...relation, ...read, name }, RULES, problems);
  });
  problems.push(
    ...found.flatMap((each) => [...digestProblems(each), ...rightProblems(each, roles), ...writeProblems(each, roles)]),
  );
  problems.push(...found.flatMap((each) => referenceProblems(each, found)));
  if (problems.length === 0) problems.push(...(await rowProblems(session, found, hasRoles(model))));
  if (problems.length > 0) throw new UnusableDatabase(problems.join('\n'));
  return found;
}

/** Reads the name of the role that a session runs as. */
async function currentRole(session: PostgresConnection): Promise<string> {
  const { rows } = await session.query('select current_user::text as role');
  return String(rows[0]?.['role']);
}

const RULES: FindRules<RelationColumn, RelationTable> = {
  rowNumber: (table) => (table.hasPlaces && table.isReadable ? digestColumn(table) : null),
  describeMisfit: (type, column) => describeTypeMisfit(type, column.type, column.declared),
};

/**
 * Finds a table by its name: the whole text as the name of a table, else split at its first dot. A name that is taken
 * in the schema of names without one is that.
 */
function findRelation(
  { name, table: source }: Resource,
  { relations, schema }: NamedRelations,
  problems: string[],
): CatalogueRelation | null {
  const wanted = source?.table ?? '';
  const dot = wanted.indexOf('.');
  const found =
    findIn(relations, schema, wanted) ??
    (dot === -1 ? null : findIn(relations, wanted.slice(0, dot), wanted.slice(dot + 1)));
  if (found !== null) return found;
  const display = (each: CatalogueRelation): string =>
    each.schema === schema ? each.table : `${each.schema}.${each.table}`;
  const names = new Map(
    relations.flatMap((each) => [each.table, `${each.schema}.${each.table}`].map((known) => [known, display(each)])),
  );
  const near = names.get(closestMatch(wanted, [...names.keys()]) ?? '');
  problems.push(`${name}: there is no table ${wanted}; ${suggestNearest(near ?? wanted, relations.map(display))}`);
  return null;
}

function findIn(relations: readonly CatalogueRelation[], schema: string, name: string): CatalogueRelation | null {
  const inSchema = relations.filter((each) => each.schema === schema);
  const found = findName(
    name,
    inSchema.map(({ table }) => table),
  );
  return inSchema.find(({ table }) => table === found) ?? null;
}

/** Reports rows that are written without a key: a digest is that of one state of a row. */
function digestProblems(found: FoundRelation): readonly string[] {
  const { resource, table } = found;
  if (resource.readOnly || !isByDigest(found)) return [];
  return [`${resource.name}: ${table.name} has no primary key; name one with key, or set read_only: true`];
}

/** Reports rights that none of the roles has, as the statements that grant them to the first one. */
function rightProblems(
  { resource, table, key, columns }: FoundRelation,
  [role = '']: readonly string[],
): readonly string[] {
  const missing = [...new Set([...key, ...columns.values()])].filter(({ isReadable }) => !isReadable);
  const grants = [
    ...(table.isReachable ? [] : [`grant usage on schema ${quoteName(table.schema)} to ${quoteName(role)};`]),
    ...(missing.length === 0 ? [] : [`grant select on ${qualifyRelation(table)} to ${quoteName(role)};`]),
  ];
  return grants.map((grant) => `${resource.name}: ${role} may not read ${table.name}: ${grant}`);
}

/**
 * Reports keys that do not identify rows, and references that their keys cannot be compared with.
 *
 * @param isByRole true if the role of the session need not see the rows. Keys are not checked then
 */
async function rowProblems(
  session: PostgresConnection,
  found: readonly FoundRelation[],
  isByRole: boolean,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const each of found) {
    if (!isByRole) problems.push(...(await keyProblems(session, each)));
    problems.push(...(await comparisonProblems(session, each, found)));
  }
  return problems;
}

/** The code of a comparison without an operator. */
const NO_OPERATOR = '42883';

/** True for columns of one type. Values of the type of a key can be compared. */
function hasSameType(one: RelationColumn, other: RelationColumn): boolean {
  return one.declared === other.declared && one.typeSchema === other.typeSchema;
}

async function comparisonProblems(
  session: PostgresConnection,
  { resource, columns }: FoundRelation,
  all: readonly FoundRelation[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { name, reference } of resource.fields) {
    const target = all.find((each) => each.resource.name === reference?.resource);
    const [column, key] = [columns.get(name), target?.key[0]];
    if (target === undefined || column === undefined || key === undefined || hasSameType(column, key)) continue;
    try {
      await session.script(`select null::${column.declared} = null::${key.declared}`);
    } catch (error) {
      if (sqlState(error) !== NO_OPERATOR) throw error;
      problems.push(
        `${resource.name}.${name}: the column ${column.name} (${column.declared}) cannot be compared with ${key.name} (${key.declared}) of ${target.table.name}; remove x-references`,
      );
    }
  }
  return problems;
}

/** The code of a statement that was stopped. */
const STOPPED = '57014';

/** Reports a key that is NULL in some rows, or the same in several, where no constraint proves that there are none. */
async function keyProblems(session: PostgresConnection, found: FoundRelation): Promise<readonly string[]> {
  if (isByDigest(found)) return [];
  const { table, key } = found;
  const columns = key.map(({ name }) => quoteName(name));
  const nullable = key.filter(({ required }) => !required).map(({ name }) => `${quoteName(name)} is null`);
  const rows = qualifyRelation(table);
  try {
    if (nullable.length > 0) {
      const [row] = await session.script(`select count(*) as count from ${rows} where ${nullable.join(' or ')}`);
      const count = Number(row?.['count'] ?? 0);
      if (count > 0) return [nullKeyProblem(found, count)];
    }
    if (isProved(found)) return [];
    const values = columns.map((name, at) => `${name}::text as value${at}`);
    const repeated = await session.script(
      `select ${values.join(', ')} from ${rows} group by ${columns.join(', ')} having count(*) > 1 limit ${NAMED_ROWS}`,
    );
    return repeated.length === 0 ? [] : [repeatedKeyProblem(found, repeated)];
  } catch (error) {
    if (sqlState(error) !== STOPPED) throw error;
    return [
      `${describeTableKey(found)} of ${table.name} took too long to check; add a unique constraint, or name another key`,
    ];
  }
}

/** True if the columns of a unique index are a part of a key. */
function isProved({ table, key }: FoundRelation): boolean {
  const names = new Set(key.map(({ name }) => name));
  return !table.hasHeirs && table.unique.some((columns) => columns.every((name) => names.has(name)));
}
