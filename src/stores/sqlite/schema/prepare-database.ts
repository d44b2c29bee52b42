import type { Model } from '../../../model/model.ts';
import type { Random } from '../../../platform/random.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import {
  type CurrentModels,
  type MigrationGoal,
  migrationGoal,
  type MigrationPhase,
  parseModels,
  recordedModels,
} from '../../sql/schema/current-models.ts';
import { renameEvents } from '../../sql/schema/rename-events.ts';
import { changesFor, foreignResources, typesFor } from '../../sql/schema/expansion.ts';
import { type FieldRules, fieldRules } from '../../sql/schema/field-rules.ts';
import { declaredOwnerForm, ownerStep } from '../../sql/schema/owner-names.ts';
import {
  brokenReference,
  databaseFormat,
  metadataChanges,
  recordStatements,
  requireConsent,
  requireMigrated,
  type StorageTypes,
  systemTableChanges,
  violatedStep,
} from '../../sql/schema/migration.ts';
import { schemaAfter } from '../../sql/schema/earlier-names.ts';
import { schemaOf } from '../../sql/schema/schema.ts';
import { type SchemaChange, schemaChanges } from '../../sql/schema/schema-changes.ts';
import {
  type Consent,
  heldTogether,
  type SchemaStep,
  type StepCost,
  UnusableDatabase,
} from '../../sql/schema/schema-errors.ts';
import { FORMAT } from '../../sql/schema/system-tables.ts';
import { METADATA, SystemStatements } from '../../sql/system-statements.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { isConstraintFailure } from '../driver/sqlite-errors.ts';
import { sqlite } from '../dialect.ts';
import { ruleStep } from './broken-rules.ts';
import { currentTables, tableNames } from './introspection.ts';
import { rebuiltTables, schemaSteps, writeLock } from './schema-sql.ts';
import { prepareSearch, searchChanges } from './search-indexes.ts';
import { SqliteStoredRows } from './stored-rows.ts';

const system = new SystemStatements(sqlite);

const NO_COST: StepCost = { kind: 'constant', rows: 0 };

function readMetadata(connection: SqliteConnection, name: string): string | null {
  const { text, values } = system.metadata(name);
  const row = connection.get(text, values);
  return row === null ? null : String(row['value']);
}

function formatOf(connection: SqliteConnection): number {
  return databaseFormat(tableNames(connection), () => readMetadata(connection, METADATA.format));
}

function prepareSystemTables(connection: SqliteConnection, random: Random): readonly string[] {
  const format = formatOf(connection);
  const statements = systemTableChanges(format, sqlite);
  for (const statement of statements) connection.script(statement);
  const metadata = metadataChanges(format, system, (bytes) => random.hex(bytes));
  for (const { text, values } of metadata) connection.run(text, values);
  return statements;
}

/** The models that are recorded. */
function modelsOf(connection: SqliteConnection, format: number): CurrentModels {
  return format === 0 ? [] : parseModels(readMetadata(connection, METADATA.models));
}

/** What migrates the tables to the model. */
interface TablePlan {
  readonly goal: MigrationGoal;
  readonly current: readonly CurrentTable[];
  readonly changes: readonly SchemaChange[];
  readonly steps: readonly SchemaStep[];
}

/** @param format that of the database */
function planTables(connection: SqliteConnection, model: Model, format: number, goal: MigrationGoal): TablePlan {
  const declared = schemaAfter(modelsOf(connection, format), model);
  const current = format === 0 ? [] : currentTables(connection, readJson(connection, METADATA.storageTypes));
  const all = schemaChanges(current, declared, new SqliteStoredRows(connection));
  const changes = changesFor(goal, all, declared);
  const steps = schemaSteps(changes, declared, new Set(current.map(({ name }) => name)));
  return { goal, current, changes, steps };
}

/** What the model would lose, and the rules that rows break. Next to another model nothing is narrowed. */
function checkSteps(connection: SqliteConnection, model: Model, plan: TablePlan): readonly SchemaStep[] {
  if (plan.goal.kind === 'shared') return [];
  return [...ownerSteps(connection, model, plan), ...brokenRules(connection, model, plan)];
}

/** The rules of the model that stored rows break, of those that have changed. A database of an older version has no recorded rules. */
function brokenRules(connection: SqliteConnection, model: Model, { current }: TablePlan): readonly SchemaStep[] {
  const tables = new Map(current.map((table) => [table.name, table]));
  const recorded: FieldRules = current.length === 0 ? {} : readJson(connection, METADATA.rules);
  return [...model.resources.values()].flatMap((resource) => {
    const table = tables.get(resource.name) ?? tables.get(resource.was ?? '');
    const step = table === undefined ? null : ruleStep(connection, resource, table, recorded);
    return step === null ? [] : [step];
  });
}

/** A JSON object in the metadata; empty where it is missing. */
function readJson(connection: SqliteConnection, name: string): StorageTypes | FieldRules {
  return JSON.parse(readMetadata(connection, name) ?? '{}');
}

/** Migrates the tables to the model. @throws {LossySchemaChange} {SchemaViolation} before anything is lost */
function prepareTables(
  connection: SqliteConnection,
  model: Model,
  goal: MigrationGoal,
  consent: Consent,
): readonly string[] {
  const plan = planTables(connection, model, FORMAT, goal);
  const { steps, changes } = plan;
  requireConsent([...steps, ...checkSteps(connection, model, plan)], consent);
  const statements = steps.flatMap((step) => step.statements);
  if (statements.length > 0) {
    for (const step of steps) runStep(connection, step);
    checkReferences(connection);
    const types = typesFor(goal, schemaOf(model), readJson(connection, METADATA.storageTypes));
    for (const { text, values } of recordStatements(types, changes, system, sqlite)) connection.run(text, values);
  }
  return statements;
}

/** Records the model that the database matches now. */
function recordModel(connection: SqliteConnection, model: Model, goal: MigrationGoal): void {
  const current = modelsOf(connection, FORMAT);
  record(connection, METADATA.models, recordedModels(goal, current, model));
  if (goal.kind === 'shared') return;
  for (const { text, values } of renameEvents(current, model, sqlite)) connection.run(text, values);
  record(connection, METADATA.rules, JSON.stringify(fieldRules(model)));
  const form = declaredOwnerForm(model);
  if (form !== null) record(connection, METADATA.owners, form);
  // Another model may have been represented in the same epoch.
  const { text, values } = system.deleteMetadata(METADATA.cacheEpoch);
  if (current.length === 2) connection.run(text, values);
}

function ownerSteps(connection: SqliteConnection, model: Model, { current }: TablePlan): readonly SchemaStep[] {
  const step =
    current.length === 0
      ? null
      : ownerStep(new SqliteStoredRows(connection), model, current, readMetadata(connection, METADATA.owners));
  return step === null ? [] : [step];
}

function runStep(connection: SqliteConnection, step: SchemaStep): void {
  try {
    for (const statement of step.statements) connection.script(statement);
  } catch (error) {
    throw isConstraintFailure(error) ? violatedStep(step) : error;
  }
}

function record(connection: SqliteConnection, name: string, value: string): void {
  if (readMetadata(connection, name) === value) return;
  const { text, values } = system.setMetadata(name, value);
  connection.run(text, values);
}

function checkReferences(connection: SqliteConnection): void {
  const [broken] = connection.all('select "table", parent, fkid from pragma_foreign_key_check limit 1');
  if (broken === undefined) return;
  const { table, parent, fkid } = broken;
  const columns = connection.all('select seq from pragma_foreign_key_list(?) where id = ?', [
    String(table),
    Number(fkid),
  ]);
  throw brokenReference(String(table), String(parent), columns.length > 1);
}

/** What was done to a database before it is used. */
export interface Preparation {
  /** Whether it was empty. */
  readonly isNew: boolean;
  /** The statements that changed the schema. */
  readonly statements: readonly string[];
  /** Whether instances of another model may serve it, too. */
  readonly isShared: boolean;
}

interface PrepareOptions {
  /** Creates the secret of a new database. */
  readonly random: Random;
  /** What may happen to stored rows. */
  readonly consent: Consent;
  /** Default: none. */
  readonly phase?: MigrationPhase | null;
}

/**
 * Migrates a database to the model in one transaction that holds the write lock. Of processes that start together the first one migrates; the
 * others find nothing to do.
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
    const format = formatOf(connection);
    const isNew = format === 0;
    const goal = migrationGoal(modelsOf(connection, format), model, phase, isNew);
    const statements = [
      ...prepareSystemTables(connection, random),
      ...prepareTables(connection, model, goal, consent),
      ...prepareSearch(connection, model, foreignResources(goal, model)),
    ];
    recordModel(connection, model, goal);
    connection.script('commit');
    connection.script('pragma foreign_keys = on');
    return { isNew, statements, isShared: goal.kind === 'shared' };
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
  phase: MigrationPhase | null,
): readonly SchemaStep[] {
  connection.script('begin');
  try {
    const format = formatOf(connection);
    const goal = migrationGoal(modelsOf(connection, format), model, phase, format === 0);
    const tables = planTables(connection, model, format, goal);
    const rebuilt = rebuiltTables(tables.changes);
    const search = searchChanges(connection, model, { rebuilt, foreign: foreignResources(goal, model) });
    return heldTogether([
      statementsStep('create or upgrade the system tables', systemTableChanges(format, sqlite)),
      ...tables.steps,
      ...checkSteps(connection, model, tables),
      statementsStep('create the search indexes and fill them', search),
    ]).filter(({ statements, losses, broken }) => statements.length + losses.length + broken.length > 0);
  } finally {
    connection.script('rollback');
  }
}

function statementsStep(purpose: string, statements: readonly string[]): SchemaStep {
  return { purpose, statements, cost: NO_COST, lock: writeLock(NO_COST), losses: [], broken: [] };
}

/** Verifies that a database matches the model, without changing it. @throws {UnusableDatabase} where it does not */
export function verifyDatabase(connection: SqliteConnection, model: Model): Preparation {
  connection.script('begin');
  try {
    const format = formatOf(connection);
    if (format === 0) throw new UnusableDatabase('It is empty. Restore it, or restart all processes.');
    const goal = migrationGoal(modelsOf(connection, format), model, null, false);
    requireMigrated(missingStatements(connection, model, format, goal));
    return { isNew: false, statements: [], isShared: goal.kind === 'shared' };
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
  const mode = connection.pragma('journal_mode') === 'wal' ? [] : ['pragma journal_mode = wal'];
  if (format < FORMAT) return [...mode, ...systemTableChanges(format, sqlite), `-- format ${FORMAT}`];
  const steps = planTables(connection, model, format, goal).steps.flatMap(({ statements }) => statements);
  return [...mode, ...steps, ...searchChanges(connection, model, { foreign: foreignResources(goal, model) })];
}

/** The key that seals cursors, generated with the database. @throws {UnusableDatabase} where it is missing */
export function readSecret(connection: SqliteConnection): Uint8Array {
  const secret = readMetadata(connection, METADATA.secret);
  if (secret === null) throw new UnusableDatabase('Its secret is missing. Restore it from a backup.');
  return new Uint8Array(Buffer.from(secret, 'hex'));
}
