import type { Model } from '../../../model/model.ts';
import type { Random } from '../../../platform/random.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import { ruleCheck } from '../../sql/schema/broken-rules.ts';
import { type FieldRules, fieldRules } from '../../sql/schema/field-rules.ts';
import {
  brokenReference,
  databaseFormat,
  metadataChanges,
  recordStatements,
  requireConsent,
  requireMigrated,
  systemTableChanges,
  violatedStep,
} from '../../sql/schema/migration.ts';
import { declaredOwnerForm, ownerStep } from '../../sql/schema/owner-names.ts';
import { schemaOf } from '../../sql/schema/schema.ts';
import { type SchemaChange, schemaChanges } from '../../sql/schema/schema-changes.ts';
import { type Consent, type SchemaStep, UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { FORMAT, METADATA } from '../../sql/schema/system-tables.ts';
import type { Statement } from '../../sql/dialect.ts';
import type { Tables } from '../../sql/tables.ts';
import { postgres } from '../dialect.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { isConstraintFailure } from '../driver/postgres-errors.ts';
import { currentTables, tableNames } from './introspection.ts';
import { type PlannedStep, schemaSteps } from './schema-steps.ts';
import { fillWords, type SearchChange, searchChanges, searchState } from './search-schema.ts';
import { planWithRows } from './stored-rows.ts';

/** The rows of one read that checks rules. */
const BATCH = 1_000;

/** What migrates a database to a model. */
interface MigrationPlan {
  /** Whether the database is empty. */
  readonly isNew: boolean;
  readonly format: number;
  readonly system: readonly string[];
  readonly steps: readonly PlannedStep[];
  /** Steps without statements: what the model would lose, and the rules that rows break. */
  readonly checks: readonly SchemaStep[];
  readonly search: readonly SearchChange[];
}

/** Reads and changes one schema of a database, in a transaction of the session. */
export class DatabaseSchema {
  readonly #session: PostgresConnection;
  readonly #model: Model;
  readonly #tables: Tables;

  constructor(session: PostgresConnection, model: Model, tables: Tables) {
    this.#session = session;
    this.#model = model;
    this.#tables = tables;
  }

  /** @throws {UnusableDatabase} where the schema belongs to another program or to a newer version */
  async plan(): Promise<MigrationPlan> {
    const names = await tableNames(this.#session);
    const recorded = names.includes('restwright_meta') ? await this.#metadata(METADATA.format) : null;
    const format = databaseFormat(names, () => recorded);
    const current = format === 0 ? [] : await currentTables(this.#session, await this.#json(METADATA.storageTypes));
    const declared = schemaOf(this.#model);
    const changes = await planWithRows(this.#session, (rows) => schemaChanges(current, declared, rows));
    const state = await searchState(this.#session);
    return {
      isNew: format === 0,
      format,
      system: systemTableChanges(format, postgres),
      steps: schemaSteps(changes, declared, new Set(current.map(({ name }) => name))),
      checks: [...(await this.#ownerSteps(current)), ...(await this.#brokenRules(current))],
      search: searchChanges(this.#model, state, alteredTables(changes)),
    };
  }

  /** Applies a plan. @returns the statements that changed the schema @throws {LossySchemaChange} {SchemaViolation} */
  async apply(plan: MigrationPlan, consent: Consent, random: Random): Promise<readonly string[]> {
    const { format, system, steps, checks, search } = plan;
    requireConsent([...steps.map(({ step }) => step), ...checks], consent);
    if (system.length > 0) await this.#session.script(system.join(';\n'));
    const metadata = metadataChanges(format, this.#tables.system, (bytes) => random.hex(bytes));
    await this.#runAll(metadata);
    await this.#runSteps(steps);
    const statements = steps.flatMap(({ step }) => step.statements);
    if (statements.length > 0) await this.#record();
    for (const change of search) await this.#search(change);
    await this.#setMetadata(METADATA.rules, JSON.stringify(fieldRules(this.#model)));
    const form = declaredOwnerForm(this.#model);
    if (form !== null) await this.#setMetadata(METADATA.owners, form);
    return [...system, ...statements, ...searchStatements(search)];
  }

  /** The key that seals cursors, generated with the database. @throws {UnusableDatabase} where it is missing */
  async secret(): Promise<Uint8Array> {
    const secret = await this.#metadata(METADATA.secret);
    if (secret === null) throw new UnusableDatabase('Its secret is missing. Restore it from a backup.');
    return new Uint8Array(Buffer.from(secret, 'hex'));
  }

  /** Sends all steps together. The first error is that of the step that failed: later ones only say that the transaction has failed. */
  async #runSteps(steps: readonly PlannedStep[]): Promise<void> {
    const sent = steps.map(async ({ step, key }) => {
      try {
        await this.#session.script(step.statements.join(';\n'));
      } catch (error) {
        if (!isConstraintFailure(error)) throw error;
        if (key === null) throw violatedStep(step);
        throw brokenReference(key.table, key.of.table, key.of.columns.length > 1);
      }
    });
    await allAnswers(sent);
  }

  async #runAll(statements: readonly Statement[]): Promise<void> {
    await allAnswers(statements.map(({ text, values }) => this.#session.query(text, values)));
  }

  async #search(change: SearchChange): Promise<void> {
    for (const statement of change.before) await this.#session.script(statement);
    await fillWords(this.#session, this.#tables, change);
    for (const statement of change.after) await this.#session.script(statement);
  }

  async #record(): Promise<void> {
    await this.#runAll(recordStatements(schemaOf(this.#model), this.#tables.system, postgres));
  }

  async #ownerSteps(current: readonly CurrentTable[]): Promise<readonly SchemaStep[]> {
    if (current.length === 0) return [];
    const recorded = await this.#metadata(METADATA.owners);
    const step = await planWithRows(this.#session, (rows) => ownerStep(rows, this.#model, current, recorded));
    return step === null ? [] : [step];
  }

  /** The rules of the model that stored rows break, of those that have changed. */
  async #brokenRules(current: readonly CurrentTable[]): Promise<readonly SchemaStep[]> {
    if (current.length === 0) return [];
    const tables = new Map(current.map((table) => [table.name, table]));
    const recorded: FieldRules = await this.#json(METADATA.rules);
    const steps: SchemaStep[] = [];
    for (const resource of this.#model.resources.values()) {
      const table = tables.get(resource.name) ?? tables.get(resource.was ?? '');
      const check = table === undefined ? null : ruleCheck(postgres, resource, table, recorded);
      if (check === null || table === undefined) continue;
      const key = table.primaryKey.map(postgres.quote).join(', ');
      const text = `select ${check.selection} from ${postgres.quote(table.name)} order by ${key} limit ${BATCH} offset $1`;
      for (let offset = 0; ; offset += BATCH) {
        const { rows } = await this.#session.query(text, [offset]);
        for (const row of rows) check.check(row);
        if (rows.length < BATCH) break;
      }
      const step = check.step();
      if (step !== null) steps.push(step);
    }
    return steps;
  }

  async #metadata(name: string): Promise<string | null> {
    const { text, values } = this.#tables.system.metadata(name);
    const [row] = (await this.#session.query(text, values)).rows;
    return row === undefined ? null : String(row['value']);
  }

  async #json<T>(name: string): Promise<T> {
    return JSON.parse((await this.#metadata(name)) ?? '{}');
  }

  async #setMetadata(name: string, value: string): Promise<void> {
    const statement = this.#tables.system.setMetadata(name, value);
    await this.#session.query(statement.text, statement.values);
  }
}

/** All steps of a plan, for people. */
export function stepsOf({ system, steps, checks, search }: MigrationPlan): readonly SchemaStep[] {
  return [
    statementsStep('create or upgrade the system tables', system),
    ...steps.map(({ step }) => step),
    ...checks,
    statementsStep('create the search indexes and fill them', searchStatements(search)),
  ].filter(({ statements, losses, broken }) => statements.length + losses.length + broken.length > 0);
}

/** Verifies that a database matches a model. @throws {UnusableDatabase} where it does not */
export function requireCurrent({ format, system, steps, search, isNew }: MigrationPlan): void {
  if (isNew) throw new UnusableDatabase('It is empty. Restore it, or restart all processes.');
  const recorded = format < FORMAT ? [`-- format ${FORMAT}`] : [];
  requireMigrated([
    ...system,
    ...recorded,
    ...steps.flatMap(({ step }) => step.statements),
    ...searchStatements(search),
  ]);
}

function statementsStep(purpose: string, statements: readonly string[]): SchemaStep {
  return { purpose, statements, cost: { kind: 'constant', rows: 0 }, losses: [], broken: [] };
}

function searchStatements(changes: readonly SearchChange[]): readonly string[] {
  return changes.flatMap(({ before, after }) => [...before, ...after]);
}

/** Tables whose values a migration changes. */
function alteredTables(changes: readonly SchemaChange[]): ReadonlySet<string> {
  return new Set(changes.flatMap((change) => (change.kind === 'alter-table' ? [change.alteration.after.name] : [])));
}
