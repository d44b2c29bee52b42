import type { StoredRowChange } from '../../../versions/row-changes.ts';
import type { TableColumn } from '../../sql/columns.ts';
import type { Alteration } from '../../sql/schema/alteration.ts';
import { stepChanges } from '../../sql/conversion/step-changes.ts';
import { describeChange } from '../../sql/schema/describe-change.ts';
import type { SchemaChange } from '../../sql/schema/schema-changes.ts';
import {
  addRenamed,
  columnDefinition,
  createIndex,
  createTable,
  defaultValue,
  fillNull,
  nameList,
  parentValue,
  type SchemaStatements,
  standardStatements,
  writeChange,
} from '../../sql/schema/schema-statements.ts';
import { isCompact, type TableSchema } from '../../sql/schema/schema.ts';
import { omitEmpty, statementsStep } from '../../sql/schema/migration.ts';
import { heldTogether, type SchemaStep, type StepCost, type StepLock } from '../../sql/schema/schema-errors.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';

const { quote } = sqlite;

/** The name of a rebuilt table until it replaces the original. */
const REBUILT = 'restwright_rebuilt';

/** The source of a column of a rebuilt table: its values, or the default where they are missing. */
function sourceValue({ before, after, converted, retyped }: Alteration, column: TableColumn): string {
  const existed = before.columns.some(({ name }) => name === column.name);
  const source = after.sources.find((each) => each.column === column.name);
  if (!existed && source !== undefined) return parentValue(sqlite, after, source);
  if (!existed || retyped.includes(column)) return defaultValue(sqlite, column);
  const name = quote(column.name);
  return fillNull(sqlite, column, converted.includes(column) ? convertValue(name, column) : name);
}

function convertValue(name: string, { type }: TableColumn): string {
  return isCompact(type) ? sqlite.compact(name, type) : `cast(${name} as ${sqlite.columnType(type)})`;
}

/** SQLite can alter little in place: a new table is created and filled, and replaces the old one with its indexes. */
function rebuild(alteration: Alteration): readonly string[] {
  const { before, after, defaults } = alteration;
  const kept = after.indexes.filter(({ name }) => before.indexes.includes(name));
  const known = new Set(after.indexes.map(({ name }) => name));
  // Those of another model that is served, too: only its migration has defaults.
  const others = defaults.length === 0 ? [] : before.indexes.filter((name) => !known.has(name));
  const columns = nameList(
    sqlite,
    after.columns.map(({ name }) => name),
  );
  const sources = after.columns.map((column) => sourceValue(alteration, column)).join(', ');
  return [
    createTable(sqlite, after, REBUILT, defaults),
    `insert into ${quote(REBUILT)} (${columns}) select ${sources} from ${quote(after.name)}`,
    `drop table ${quote(after.name)}`,
    `alter table ${quote(REBUILT)} rename to ${quote(after.name)}`,
    ...kept.map((index) => createIndex(sqlite, after, index)),
    ...others.flatMap((name) => before.definitions?.[name] ?? []),
  ];
}

/**
 * Checks if all additions are columns that are NULL in every row, or have a default of the database. SQLite adds them
 * in place.
 */
function addsOnly(alteration: Alteration): boolean {
  const { before, after, added, defaults, withoutDefault, nullability, foreignKeys, primaryKey } = alteration;
  const newKeys = after.foreignKeys.filter(
    ({ columns: [only, ...others] }) => others.length === 0 && added.some(({ name }) => name === only),
  );
  const keysOnlyAdded = !foreignKeys || after.foreignKeys.length - newKeys.length === before.foreignKeys.length;
  const isFilled = (column: TableColumn): boolean =>
    defaults.includes(column) || (column.nullable && column.default === null);
  const { converted, retyped, dropped } = alteration;
  const kept = [converted, retyped, dropped, withoutDefault].every(({ length }) => length === 0);
  const inPlace = added.every(isFilled) && defaults.every((column) => added.includes(column));
  return keysOnlyAdded && inPlace && kept && !nullability && !primaryKey;
}

/** The tables that are dropped and created again, with another name for a moment: they lose their triggers. */
export function rebuiltTables(changes: readonly SchemaChange[]): ReadonlySet<string> {
  return new Set(
    changes.flatMap((change) => {
      if (change.kind === 'rename-table') return [change.to];
      return change.kind === 'alter-table' && !addsOnly(change.alteration) ? [change.alteration.after.name] : [];
    }),
  );
}

function alterTable(alteration: Alteration): readonly string[] {
  if (!addsOnly(alteration)) return rebuild(alteration);
  const { after, added, defaults } = alteration;
  return added.map(
    (column) => `alter table ${quote(after.name)} add column ${columnDefinition(sqlite, column, after, defaults)}`,
  );
}

const STATEMENTS: SchemaStatements = { ...standardStatements(sqlite), alterTable };

function estimateCost(change: SchemaChange): StepCost {
  const { rows } = change;
  if (change.kind === 'create-index') return { kind: 'reads', rows };
  if (change.kind === 'alter-table' && !addsOnly(change.alteration)) return { kind: 'rewrites', rows };
  return { kind: 'constant', rows };
}

/** The lock of every migration: one transaction that writes. Reads go on with the rows from before it. */
export function writeLock({ kind, rows }: StepCost): StepLock {
  return { mode: 'RESERVED', table: null, blocks: 'writes', momentary: kind === 'constant' || rows === 0 };
}

/**
 * The SQL of schema changes, one step per change, in order. Foreign keys must be disabled while it runs, because a
 * rebuilt table does not exist for a moment, and checked afterwards.
 *
 * @param existing names of the tables that the database has, before renaming
 * @param rows the changes of `versions` that the migration makes
 */
export function schemaSteps(
  changes: readonly SchemaChange[],
  declared: readonly TableSchema[],
  existing: ReadonlySet<string>,
  rows: readonly StoredRowChange[] = [],
): readonly SchemaStep[] {
  const tables = addRenamed({ declared, existing }, changes);
  return changes.map((change) => ({
    purpose: describeChange(change),
    statements: writeChange(change, STATEMENTS, tables),
    cost: estimateCost(change),
    lock: writeLock(estimateCost(change)),
    losses: change.losses,
    broken: change.broken,
    ...stepChanges(change, rows),
  }));
}

/**
 * The steps of a migration in their order. One transaction makes all of them.
 *
 * @param system the statements of system tables @param tables the steps of tables @param search the statements of
 *   search indexes
 */
export function listMigrationSteps(
  system: readonly string[],
  tables: readonly SchemaStep[],
  search: readonly string[],
): readonly SchemaStep[] {
  const lock = writeLock({ kind: 'constant', rows: 0 });
  const steps = [
    statementsStep('create or upgrade the system tables', system, lock),
    ...tables,
    statementsStep('create the search indexes and fill them', search, lock),
  ];
  return omitEmpty(heldTogether(steps));
}
