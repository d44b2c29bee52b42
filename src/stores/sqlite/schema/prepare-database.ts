import type { Model } from '../../../model/model.ts';
import type { Random } from '../../../platform/random.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import {
  type CurrentModels,
  type MigrationGoal,
  migrationGoal,
  type MigrationPhase,
  parseModels,
} from '../../sql/schema/current-models.ts';
import { listDerivedTables } from '../../sql/schema/model-profile.ts';
import { adaptToModel, modelMetadata } from '../../sql/schema/model-records.ts';
import {
  convertedTables,
  type ConversionPlan,
  planConversions,
  unconvertedTables,
  withoutConverted,
} from '../../sql/conversion/conversion-plan.ts';
import type { ConversionCheck } from '../../sql/conversion/problem-rows.ts';
import { ruleChecks } from '../../sql/schema/broken-rules.ts';
import { changesFor, foreignResources, typesFor } from '../../sql/schema/expansion.ts';
import type { FieldRules } from '../../sql/schema/field-rules.ts';
import {
  databaseFormat,
  metadataChanges,
  parseSecret,
  recordStatements,
  requireConsent,
  requireExisting,
  requireMigrated,
  type StorageTypes,
  systemTableChanges,
  violatedStep,
} from '../../sql/schema/migration.ts';
import { schemaAfter } from '../../sql/schema/earlier-names.ts';
import { deriveSchema } from '../../sql/schema/schema.ts';
import { SYSTEM_PREFIX } from '../../sql/schema/system-tables.ts';
import { showsTables } from '../../../model/table-source.ts';
import { type SchemaChange, schemaChanges } from '../../sql/schema/schema-changes.ts';
import type { Consent, SchemaStep } from '../../sql/schema/schema-errors.ts';
import { currentFormat } from '../../sql/schema/system-upgrades.ts';
import { METADATA, SystemStatements } from '../../sql/system-statements.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { isConstraintFailure } from '../driver/sqlite-errors.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';
import { checkReferences } from './check-references.ts';
import { checkConversion, conversionStatements, convertEvents, convertRows, convertRecords } from './convert-rows.ts';
import { currentTables, requireFreeNames, tableNames } from './introspection.ts';
import { readJsonMetadata, readMetadata } from './metadata.ts';
import { readBatches } from './read-batches.ts';
import { listMigrationSteps, rebuiltTables, schemaSteps } from './schema-sql.ts';
import { prepareSearch, searchChanges } from './search-indexes.ts';
import { sqliteStoredRows } from './stored-rows.ts';
import { storedValueSteps } from './stored-values.ts';

/** The format of the system tables of this version. */
const FORMAT = currentFormat(sqlite);

const system = new SystemStatements(sqlite);

/** The format of the system tables; 0 without any. The tables that a model shows are of another program. */
function readFormat(connection: SqliteConnection, model: Model): number {
  const names = tableNames(connection);
  const own = showsTables(model) ? names.filter((name) => name.startsWith(SYSTEM_PREFIX)) : names;
  return databaseFormat(own, () => readMetadata(connection, METADATA.format), FORMAT);
}

/** @param format that of the database */
function prepareSystemTables(connection: SqliteConnection, format: number, random: Random): readonly string[] {
  const statements = systemTableChanges(format, sqlite);
  for (const statement of statements) connection.script(statement);
  const metadata = metadataChanges({ found: format, newest: FORMAT }, system, (bytes) => random.hex(bytes));
  for (const { text, values } of metadata) connection.run(text, values);
  return statements;
}

/** The models that are recorded. */
function readModels(connection: SqliteConnection, format: number): CurrentModels {
  return format === 0 ? [] : parseModels(readMetadata(connection, METADATA.models));
}

/** The migration of the tables to the model. */
interface TablePlan {
  readonly goal: MigrationGoal;
  readonly conversion: ConversionPlan;
  readonly current: readonly CurrentTable[];
  readonly changes: readonly SchemaChange[];
  readonly steps: readonly SchemaStep[];
}

/** The tables of rows and links. @throws {UnusableDatabase} for those of another program that no resource shows */
function readTables(connection: SqliteConnection, model: Model): readonly CurrentTable[] {
  const storage: StorageTypes = readJsonMetadata(connection, METADATA.storageTypes);
  if (!showsTables(model)) return currentTables(connection, tableNames(connection), storage);
  const current = currentTables(connection, Object.keys(storage), storage);
  requireFreeNames(connection, deriveSchema(model), current);
  return current;
}

/** @param format that of the database */
function planTables(connection: SqliteConnection, model: Model, format: number, goal: MigrationGoal): TablePlan {
  const models = readModels(connection, format);
  const current = format === 0 ? [] : readTables(connection, model);
  const version = format === 0 ? null : readMetadata(connection, METADATA.contract);
  const conversion = planConversions(model, { goal, models, version }, current, sqlite);
  const declared = schemaAfter(models, conversion.model);
  const rows = withoutConverted(sqliteStoredRows(connection), conversion);
  const all = schemaChanges(convertedTables(current, conversion), declared, rows, listDerivedTables(models));
  const changes = changesFor(goal, all, declared);
  const steps = schemaSteps(changes, declared, new Set(current.map(({ name }) => name)), conversion.changes);
  return { goal, conversion, current, changes, steps };
}

/**
 * The rules of the model that stored rows break, of those that have changed. A database of an older version has no
 * recorded rules. Next to another model nothing is narrowed.
 */
function brokenRules(connection: SqliteConnection, { conversion, current, goal }: TablePlan): readonly SchemaStep[] {
  if (goal.kind === 'shared') return [];
  const recorded: FieldRules = current.length === 0 ? {} : readJsonMetadata(connection, METADATA.rules);
  return ruleChecks(sqlite, conversion.model, unconvertedTables(current, conversion), recorded).flatMap(
    ({ table, check }) => {
      for (const rows of readBatches(connection, table.name, check.selection)) for (const row of rows) check.check(row);
      return check.step() ?? [];
    },
  );
}

/** Migrates the tables to the model. @throws {LossySchemaChange} {SchemaViolation} before anything is lost */
function prepareTables(
  connection: SqliteConnection,
  model: Model,
  goal: MigrationGoal,
  consent: Consent,
): { readonly steps: readonly SchemaStep[]; readonly conversion: ConversionPlan } {
  const plan = planTables(connection, model, FORMAT, goal);
  const { changes, conversion } = plan;
  const changed = valueSteps(connection, plan);
  const broken = brokenRules(connection, plan);
  for (const step of changed) runStep(connection, step);
  const converted = conversion.conversions.map((each) => convertRows(connection, each));
  const steps = [...changed, ...converted, ...plan.steps];
  requireConsent([...steps, ...broken], consent, conversion.advice);
  if (steps.some(({ statements }) => statements.length > 0)) {
    for (const step of plan.steps) runStep(connection, step);
    checkReferences(connection, model);
    const types = typesFor(goal, deriveSchema(model), readJsonMetadata(connection, METADATA.storageTypes));
    for (const { text, values } of recordStatements(types, changes, system, sqlite)) connection.run(text, values);
  }
  return { steps: [...steps, ...broken], conversion };
}

/** Records the model that the database matches now. */
function recordModel(
  connection: SqliteConnection,
  model: Model,
  { goal, conversion }: { readonly goal: MigrationGoal; readonly conversion: ConversionPlan },
): void {
  const { from, model: renamed } = conversion;
  const migrated = { goal, models: readModels(connection, FORMAT), model, renamed, converted: conversion };
  const records = modelMetadata(migrated)
    .filter(([name, value]) => readMetadata(connection, name) !== value)
    .map(([name, value]) => system.setMetadata(name, value));
  convertEvents(connection, model, from);
  const statements = [...adaptToModel(migrated, { dialect: sqlite, system }), ...records];
  for (const { text, values } of statements) connection.run(text, values);
  convertRecords(connection, model, conversion);
}

/** The steps that give stored values another form. Those of converted rows get it with the conversion. */
function valueSteps(connection: SqliteConnection, { conversion, current, goal }: TablePlan): readonly SchemaStep[] {
  return storedValueSteps(connection, conversion.model, { current: unconvertedTables(current, conversion), goal });
}

function runStep(connection: SqliteConnection, step: SchemaStep): void {
  try {
    for (const statement of step.statements) connection.script(statement);
  } catch (error) {
    throw isConstraintFailure(error) ? violatedStep(step) : error;
  }
}

/** The preparation of a database before it is used. */
export interface Preparation {
  /** True if it was empty. */
  readonly isNew: boolean;
  /** The steps that changed the schema. */
  readonly steps: readonly SchemaStep[];
  /** True if instances of another model may serve it, too. */
  readonly isShared: boolean;
}

interface PrepareOptions {
  /** Creates the secret of a new database. */
  readonly random: Random;
  /** Consent to losses of stored rows. */
  readonly consent: Consent;
  /** Default: none. */
  readonly phase?: MigrationPhase | null;
}

/**
 * Migrates a database to the model in one transaction that holds the write lock. Of processes that start together the
 * first one migrates; the others find nothing to do.
 *
 * @throws {LossySchemaChange} {SchemaViolation} {IncompatibleModels} {UnusableDatabase} with the database unchanged
 */
export function prepareDatabase(
  connection: SqliteConnection,
  model: Model,
  { random, consent, phase = null }: PrepareOptions,
): Preparation {
  connection.script('pragma foreign_keys = off');
  connection.script('begin immediate');
  try {
    const format = readFormat(connection, model);
    const isNew = format === 0;
    const goal = migrationGoal({ current: readModels(connection, format), phase, isNew }, model);
    const created = prepareSystemTables(connection, format, random);
    const tables = prepareTables(connection, model, goal, consent);
    const search = prepareSearch(connection, model, foreignResources(goal, model));
    recordModel(connection, model, { goal, conversion: tables.conversion });
    connection.script('commit');
    connection.script('pragma foreign_keys = on');
    return { isNew, steps: listMigrationSteps(created, tables.steps, search), isShared: goal.kind === 'shared' };
  } catch (error) {
    if (connection.inTransaction) connection.script('rollback');
    throw error;
  }
}

/**
 * The steps that {@link prepareDatabase} would make, without changing the database.
 *
 * @throws {IncompatibleModels} {UnusableDatabase} as it does
 */
export function planMigration(
  connection: SqliteConnection,
  model: Model,
  { phase, ...check }: ConversionCheck & { readonly phase: MigrationPhase | null },
): readonly SchemaStep[] {
  connection.script('begin');
  try {
    const format = readFormat(connection, model);
    const goal = migrationGoal({ current: readModels(connection, format), phase, isNew: format === 0 }, model);
    const tables = planTables(connection, model, format, goal);
    const rebuilt = rebuiltTables(tables.changes);
    const search = searchChanges(connection, model, { rebuilt, foreign: foreignResources(goal, model) });
    const steps = [
      ...valueSteps(connection, tables),
      ...tables.conversion.conversions.map((each) => checkConversion(connection, each, check)),
      ...tables.steps,
      ...brokenRules(connection, tables),
    ];
    return listMigrationSteps(systemTableChanges(format, sqlite), steps, search);
  } finally {
    connection.script('rollback');
  }
}

/** Verifies that a database matches the model, without changing it. @throws {UnusableDatabase} where it does not */
export function verifyDatabase(connection: SqliteConnection, model: Model): Preparation {
  connection.script('begin');
  try {
    const format = readFormat(connection, model);
    requireExisting(format);
    const goal = migrationGoal({ current: readModels(connection, format), phase: null, isNew: false }, model);
    requireMigrated(missingStatements(connection, model, format, goal));
    return { isNew: false, steps: [], isShared: goal.kind === 'shared' };
  } finally {
    connection.script('rollback');
  }
}

function missingStatements(
  connection: SqliteConnection,
  model: Model,
  format: number,
  goal: MigrationGoal,
): readonly string[] {
  // A restored copy may have another journal mode, which only a process that migrates changes.
  const keepsMode = showsTables(model) || connection.pragma('journal_mode') === 'wal';
  const mode = keepsMode ? [] : ['pragma journal_mode = wal'];
  if (format < FORMAT) return [...mode, ...systemTableChanges(format, sqlite), `-- format ${FORMAT}`];
  const plan = planTables(connection, model, format, goal);
  const converted = plan.conversion.conversions.flatMap(conversionStatements);
  const steps = [...valueSteps(connection, plan), ...plan.steps].flatMap(({ statements }) => statements);
  const search = searchChanges(connection, model, { foreign: foreignResources(goal, model) });
  return [...mode, ...converted, ...steps, ...search];
}

/** The key that seals cursors, generated with the database. @throws {UnusableDatabase} where it is missing */
export function readSecret(connection: SqliteConnection): Uint8Array {
  return parseSecret(readMetadata(connection, METADATA.secret));
}
