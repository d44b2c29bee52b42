import type { Model, Resource } from '../../../model/model.ts';
import { listColumns, type TableColumn } from '../columns.ts';
import type { Dialect } from '../dialect.ts';
import { listUuidPaths } from '../stored-uuids.ts';
import { METADATA } from '../system-statements.ts';
import { rowValue } from '../operand.ts';
import type { ConvertedDatabase } from './owner-conversion.ts';
import { storageType } from './schema.ts';
import type { BrokenRule, SchemaStep, StepCost } from './schema-errors.ts';

/** A column whose values hold UUIDs, under the name that the database has. */
interface UuidColumn {
  readonly field: string;
  readonly quoted: string;
  /** The column with its UUIDs in lower case. */
  readonly lower: string;
}

/** A table whose columns one statement converts, so that a unique key gets all its final values together. */
interface UuidTable {
  readonly name: string;
  readonly resource: Resource;
  /** The quoted names of the stored columns of its fields. */
  readonly stored: ReadonlyMap<string, string>;
  readonly columns: readonly UuidColumn[];
}

/** The record of the places whose stored UUIDs are in lower case, as JSON: `["orders.device","orders.sizes[].key"]`. */
export function uuidRecord(model: Model): string {
  const paths = [...model.resources.values()].flatMap((resource) =>
    listColumns(resource).flatMap((column) => listPaths(resource, column)),
  );
  return JSON.stringify(paths.sort());
}

function listPaths(resource: Resource, { name, type }: TableColumn): readonly string[] {
  return listUuidPaths(type, `${resource.name}.${name}`);
}

/**
 * Makes the steps that write stored UUIDs in lower case (REP-2): those of an earlier build, and texts of a field with
 * a new format. A row whose unique key another row would have then stays as it is, which needs consent.
 *
 * @param recorded of {@link uuidRecord}; null before it
 * @param isShared true if instances of another model serve the database, too: nothing is converted and recorded then
 */
export function uuidSteps(
  model: Model,
  database: ConvertedDatabase,
  recorded: string | null,
  isShared: boolean,
): readonly SchemaStep[] {
  if (isShared) return [];
  const known: ReadonlySet<string> = new Set(JSON.parse(recorded ?? '[]'));
  return [...model.resources.values()].flatMap((resource) => {
    const table = findTable(resource, database, known);
    return table === null ? [] : convertTable(table, database);
  });
}

function findTable(
  resource: Resource,
  { tables, dialect }: ConvertedDatabase,
  known: ReadonlySet<string>,
): UuidTable | null {
  const table = tables.find(({ kind, name }) => kind === 'rows' && (name === resource.name || name === resource.was));
  if (table === undefined) return null;
  const present = listColumns(resource).flatMap((column) => {
    const found = table.columns.find(({ name }) => name === column.name || name === column.was);
    return found?.storageType === storageType(column.type) ? [{ column, quoted: dialect.quote(found.name) }] : [];
  });
  const columns = present
    .filter(({ column }) => listPaths(resource, column).some((path) => !known.has(path)))
    .map(({ column: { name, type }, quoted }): UuidColumn => {
      return { field: name, quoted, lower: lowerIfNeeded(quoted, dialect.lowerUuids(quoted, type)) };
    });
  const stored = new Map(present.map(({ column, quoted }) => [column.name, quoted]));
  return columns.length === 0 ? null : { name: table.name, resource, stored, columns };
}

/** Most rows have no upper case, which costs less to find out. */
function lowerIfNeeded(quoted: string, lower: string): string {
  return `case when ${quoted} <> lower(${quoted}) then ${lower} else ${quoted} end`;
}

function convertTable(table: UuidTable, { rows, dialect, lock }: ConvertedDatabase): readonly SchemaStep[] {
  const { name, columns } = table;
  const { rows: count } = rows.matching(name, columns.map(isUpper).join(' or '));
  if (count === 0) return [];
  const collisions = listCollisions(table, dialect);
  const broken = collisions.flatMap(({ key, fields, condition }): readonly BrokenRule[] => {
    const upper = columns.filter(({ field }) => fields.includes(field)).map(isUpper);
    const found = rows.matching(name, `(${upper.join(' or ')}) and ${condition}`);
    const rule = `${table.resource.name} has unique ${key} by the value of UUIDs`;
    return found.rows === 0 ? [] : [{ rule, ...found, fix: FIX, blocking: false }];
  });
  const conversions = columns.map((column) => {
    const own = collisions.filter(({ fields }) => fields.includes(column.field));
    return { ...column, condition: [isUpper(column), ...own.map(({ condition }) => `not ${condition}`)].join(' and ') };
  });
  const values = conversions.map(
    ({ quoted, lower, condition }) => `${quoted} = case when ${condition} then ${lower} else ${quoted} end`,
  );
  const affected = conversions.map(({ condition }) => condition).join(' or ');
  const cost: StepCost = { kind: 'rewrites', rows: count };
  const statements = [
    `update ${dialect.quote(name)} set ${values.join(', ')} where ${affected}`,
    // Rows change without their revisions: another epoch gives all of them other ETags (CACHE-1).
    `delete from restwright_meta where name = '${METADATA.cacheEpoch}'`,
  ];
  const purpose = `write the UUIDs of ${table.resource.name} in lower case`;
  return [{ purpose, statements, cost, lock: lock(name, cost), losses: [], broken }];
}

/** Holds for the rows that have a UUID in upper case in a column. Most have no upper case at all, which is cheap. */
function isUpper({ quoted, lower }: UuidColumn): string {
  return `${quoted} <> ${lower}`;
}

const FIX =
  'another row has the same UUIDs in another case: delete one of them or change its key; with consent they stay in upper case, where no request finds them by the value, until they are written';

/** A unique key of which rows may be equal once their UUIDs are in lower case. */
interface Collision {
  /** The key, for messages: `device, name`. */
  readonly key: string;
  readonly fields: readonly string[];
  /** Holds for the rows that have the key of another row then. */
  readonly condition: string;
}

function listCollisions({ name, resource, stored, columns }: UuidTable, dialect: Dialect): readonly Collision[] {
  const current = new Map([...stored, ...columns.map(({ field, lower }) => [field, lower] as const)]);
  const converted = new Set(columns.map(({ field }) => field));
  return resource.uniques
    .filter((fields) => fields.some((field) => converted.has(field)))
    .filter((fields) => fields.every((field) => current.has(field)))
    .map((fields) => {
      const parts = fields.map((field) => current.get(field) ?? '');
      const isKnown = parts.map((part) => `${part} is not null`).join(' and ');
      const list = parts.join(', ');
      const repeated = `select ${list} from ${dialect.quote(name)} where ${isKnown} group by ${list} having count(*) > 1`;
      return { key: fields.join(', '), fields, condition: `(${isKnown} and ${rowValue(parts)} in (${repeated}))` };
    });
}
