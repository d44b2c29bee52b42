import type { Model } from '../../../model/model.ts';
import type { Observe } from '../../../observe/observation.ts';
import { monotonicNow } from '../../../platform/clock.ts';
import type { Random } from '../../../platform/random.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import { type ConversionPlan, unconvertedTables } from '../../sql/conversion/conversion-plan.ts';
import type { ConversionCheck } from '../../sql/conversion/problem-rows.ts';
import { ruleChecks } from '../../sql/schema/broken-rules.ts';
import { type MigrationGoal, type MigrationPhase, parseModels } from '../../sql/schema/current-models.ts';
import type { FieldRules } from '../../sql/schema/field-rules.ts';
import {
  databaseFormat,
  metadataChanges,
  parseSecret,
  recordStatements,
  requireConsent,
  type StorageTypes,
  systemTableChanges,
} from '../../sql/schema/migration.ts';
import { listDerivedTables } from '../../sql/schema/model-profile.ts';
import { adaptToModel, modelMetadata } from '../../sql/schema/model-records.ts';
import { ownerRecord, ownerSteps } from '../../sql/schema/owner-names.ts';
import { schemaAfter } from '../../sql/schema/earlier-names.ts';
import { schemaChanges } from '../../sql/schema/schema-changes.ts';
import type { Consent, SchemaStep } from '../../sql/schema/schema-errors.ts';
import { uuidSteps } from '../../sql/schema/uuid-conversion.ts';
import { METADATA } from '../../sql/system-statements.ts';
import { currentFormat } from '../../sql/schema/system-upgrades.ts';
import { excludeWrites } from '../commit/write-locks.ts';
import type { Statement } from '../../sql/dialect.ts';
import type { Tables } from '../../sql/tables.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { checkPair } from '../side-by-side/check-pair.ts';
import { RowExpansion } from '../side-by-side/expand-rows.ts';
import { parseExpansion } from '../side-by-side/pair-plan.ts';
import { PairPlanner } from '../side-by-side/pair-planner.ts';
import { endPair, pairSteps } from '../side-by-side/pair-schema.ts';
import { checkConversion, convertEvents, convertRecords, convertRows } from './convert-rows.ts';
import { currentTables, tableNames, unfinishedParts } from './introspection.ts';
import { listConversions, listStatements, type MigrationPlan } from './migration-plan.ts';
import { planWithRows } from './plan-with-rows.ts';
import { runApart, runStatement, runTogether } from './run-step.ts';
import { rowLocks } from './schema-steps.ts';
import { fillWords, searchChanges, searchState } from './search-schema.ts';

/** The format of the system tables of this version. */
const FORMAT = currentFormat(postgres);

const BATCH = 1_000;

interface DatabaseOptions {
  readonly model: Model;
  readonly tables: Tables;
  readonly phase?: MigrationPhase | null;
  /** The name of the schema. */
  readonly schema: string;
  readonly observe?: Observe | undefined;
}

/** Reads and changes one schema of a database. */
export class DatabaseSchema {
  readonly #session: PostgresConnection;
  readonly #model: Model;
  readonly #tables: Tables;
  readonly #phase: MigrationPhase | null;
  readonly #schema: string;
  readonly #observe: Observe;
  #current = 'read the schema';

  constructor(session: PostgresConnection, { model, tables, phase = null, schema, observe }: DatabaseOptions) {
    this.#session = session;
    this.#model = model;
    this.#tables = tables;
    this.#phase = phase;
    this.#schema = schema;
    this.#observe = observe ?? (() => undefined);
  }

  /** The current activity, for messages. */
  get current(): string {
    return this.#current;
  }

  /** @throws {UnusableDatabase} where the schema belongs to another program or to a newer version */
  async plan(): Promise<MigrationPlan> {
    const names = await tableNames(this.#session);
    const recorded = names.includes('restwright_meta') ? await this.#metadata(METADATA.format) : null;
    const format = databaseFormat(names, () => recorded, FORMAT);
    const types = await this.#json<StorageTypes>(METADATA.storageTypes, format);
    const models = format === 0 ? [] : parseModels(await this.#metadata(METADATA.models));
    const version = format === 0 ? null : await this.#metadata(METADATA.contract);
    const expansion = format === 0 ? null : await this.#metadata(METADATA.expansion);
    const records = { models, version, phase: this.#phase, schema: this.#schema, expansion: parseExpansion(expansion) };
    const found = format === 0 ? [] : await currentTables(this.#session, types);
    const planner = new PairPlanner(this.#model, format === 0 ? null : records, found);
    const { goal, current, conversion } = planner;
    const declared = schemaAfter(models, conversion.model);
    const unconverted = unconvertedTables(current, conversion);
    const all = await planWithRows(this.#session, (rows) =>
      schemaChanges(planner.tables, declared, planner.withoutConverted(rows), listDerivedTables(models)),
    );
    const words = await searchState(this.#session);
    const changes = planner.changes(all, declared);
    return {
      isNew: format === 0,
      format,
      models,
      goal,
      types: planner.types(declared, types),
      system: systemTableChanges(format, postgres),
      unfinished: format === 0 ? [] : await unfinishedParts(this.#session),
      conversion: planner.ownConversion,
      pair: planner.plan(words),
      words,
      changes,
      steps: planner.steps(changes, declared),
      checks: [
        ...(await this.#valueSteps(unconverted, goal, conversion)),
        ...(goal.kind === 'shared' ? [] : await this.#brokenRules(unconverted, conversion)),
      ],
      search: searchChanges(this.#model, planner.words(words), changes),
    };
  }

  /** Finds the problems of the rows that a plan converts. Changes nothing. */
  async check({ conversion, pair }: MigrationPlan, check: ConversionCheck): Promise<void> {
    this.#current = 'read the rows that are converted';
    const expanded = pair?.kind === 'expand' ? pair.conversion.conversions : [];
    for (const each of [...conversion.conversions, ...expanded]) await checkConversion(this.#session, each, check);
    if (pair?.kind === 'contract') await checkPair(this.#session, pair);
  }

  /** Checks if a plan changes nothing, not even the record of the model. */
  async isDone(plan: MigrationPlan): Promise<boolean> {
    if (plan.format < FORMAT || listStatements(plan).length > 0 || plan.checks.length > 0) return false;
    for (const [name, value] of modelMetadata({ ...plan, model: this.#model }))
      if ((await this.#metadata(name)) !== value) return false;
    return true;
  }

  /**
   * Applies a plan: in one transaction what takes a moment, or rewrites rows; then, step by step, what others need not
   * wait for. Where it is interrupted, the next plan has what is missing.
   *
   * @returns the statements that changed the schema
   * @throws {LossySchemaChange} {SchemaViolation}
   */
  async apply(plan: MigrationPlan, consent: Consent, random: Random): Promise<readonly string[]> {
    const expansion = this.#expansion(plan);
    if (expansion !== null || plan.pair?.kind === 'contract')
      await this.check(plan, { now: monotonicNow, report: null });
    const planned = [...plan.steps.map(({ step }) => step), ...plan.checks, ...pairSteps(plan.pair)];
    requireConsent(planned, consent, plan.conversion.advice);
    this.#current = 'remove what an interrupted migration has left';
    for (const statement of plan.unfinished) await runStatement(this.#session, statement);
    await this.#transaction(plan, random, () => requireConsent([...listConversions(plan), ...planned], consent, null));
    this.#current = 'convert the rows for both models';
    await expansion?.run();
    for (const each of plan.steps.filter(({ run }) => run !== 'together')) {
      this.#current = each.step.purpose;
      await runApart(this.#session, each);
    }
    for (const change of plan.search.filter(({ isFilled }) => isFilled)) {
      this.#current = `fill what searches of ${change.resource.name} use`;
      await fillWords(this.#session, this.#tables, change);
      for (const statement of change.after) await runStatement(this.#session, statement);
    }
    if (expansion !== null) await expansion.finish(this.#records(plan));
    else if (plan.conversion.from === null) {
      await this.#session.script('begin');
      await this.#recordModel(plan);
      await this.#session.script('commit');
    }
    return listStatements(plan);
  }

  /** @param requireConverted throws without consent to what the conversion of rows has found */
  async #transaction(plan: MigrationPlan, random: Random, requireConverted: () => void): Promise<void> {
    const { format, system, steps, search, changes, types } = plan;
    this.#current = 'change the tables';
    await this.#session.script('begin');
    // As every write does first, so that a write and this transaction never wait for each other.
    if (format > 0) await this.#session.script(excludeWrites(format));
    if (system.length > 0) await this.#session.script(system.join(';\n'));
    await this.#runAll(
      metadataChanges({ found: format, newest: FORMAT }, this.#tables.system, (bytes) => random.hex(bytes)),
    );
    await this.#convertValues(plan);
    for (const each of plan.conversion.conversions) {
      this.#current = `convert the rows of ${each.table.name}`;
      await convertRows(this.#session, each, plan.words);
    }
    requireConverted();
    this.#current = 'change the tables';
    if (plan.pair !== null)
      await endPair(this.#session, plan.pair, { system: this.#tables.system, observe: this.#observe });
    await runTogether(
      this.#session,
      steps.filter(({ run }) => run === 'together'),
    );
    const searched = search.flatMap(({ before, after, isFilled }) => [...before, ...(isFilled ? [] : after)]);
    await allAnswers(searched.map((statement) => this.#session.script(statement)));
    await this.#runAll(recordStatements(types, changes, this.#tables.system, postgres));
    // Before the steps that others need not wait for: from now on instances of both models may start. Converted rows
    // must not be converted again.
    const isShared = plan.goal.kind === 'shared' && plan.pair?.kind !== 'expand';
    if (isShared || plan.conversion.from !== null) await this.#recordModel(plan);
    await this.#session.script('commit');
  }

  /** The key that seals cursors, generated with the database. @throws {UnusableDatabase} where it is missing */
  async secret(): Promise<Uint8Array> {
    return parseSecret(await this.#metadata(METADATA.secret));
  }

  async #recordModel(plan: MigrationPlan): Promise<void> {
    const { from } = plan.conversion;
    // If the older of two models remains, its rows are as they were, but events of the newer one are not.
    const isReverted = plan.pair?.kind === 'revert';
    await convertEvents(this.#session, this.#model, isReverted ? (plan.pair?.expansion?.from ?? from) : from);
    await this.#runAll(this.#records(plan));
    await convertRecords(this.#session, this.#model, plan.conversion);
  }

  #records(plan: MigrationPlan): readonly Statement[] {
    const { model: renamed } = plan.conversion;
    const migrated = { ...plan, model: this.#model, renamed, converted: plan.conversion };
    const records = modelMetadata(migrated).map(([name, value]) => this.#tables.system.setMetadata(name, value));
    return [...adaptToModel(migrated, this.#tables), ...records];
  }

  /** The conversion of rows for two models; null where a plan has none. */
  #expansion({ pair, types }: MigrationPlan): RowExpansion | null {
    if (pair?.kind !== 'expand' || pair.shared === null) return null;
    const { shared, expansion, conversion } = pair;
    const from = conversion.from ?? '';
    const resumed = expansion?.id === shared.names.id ? expansion : null;
    const [session, tables, observe] = [this.#session, this.#tables, this.#observe];
    return new RowExpansion({ session, tables, shared, from, expansion: resumed, types, observe });
  }

  async #runAll(statements: readonly Statement[]): Promise<void> {
    await allAnswers(statements.map(({ text, values }) => this.#session.query(text, values)));
  }

  async #valueSteps(
    tables: readonly CurrentTable[],
    { kind }: MigrationGoal,
    { model }: ConversionPlan,
  ): Promise<readonly SchemaStep[]> {
    if (tables.length === 0) return [];
    const [owners, uuids] = [await this.#metadata(METADATA.owners), await this.#metadata(METADATA.uuids)];
    const database = { tables, dialect: postgres, lock: rowLocks };
    return planWithRows(this.#session, (rows) => [
      ...ownerSteps(model, { rows, ...database }, owners, kind === 'shared'),
      ...uuidSteps(model, { rows, ...database }, uuids, kind === 'shared'),
    ]);
  }

  /** Converts values. The form of owners is recorded together: converted ones must not be converted again. */
  async #convertValues({ checks }: MigrationPlan): Promise<void> {
    const statements = checks.flatMap((check) => check.statements);
    for (const statement of statements) await this.#session.script(statement);
    const record = statements.length === 0 ? null : ownerRecord(this.#model);
    if (record !== null) await this.#runAll([this.#tables.system.setMetadata(METADATA.owners, record)]);
  }

  /** The rules of the model that stored rows break, of those that have changed. */
  async #brokenRules(current: readonly CurrentTable[], { model }: ConversionPlan): Promise<readonly SchemaStep[]> {
    if (current.length === 0) return [];
    const recorded: FieldRules = await this.#json(METADATA.rules);
    const steps: SchemaStep[] = [];
    for (const { table, check } of ruleChecks(postgres, model, current, recorded)) {
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

  async #json<T>(name: string, format: number = FORMAT): Promise<T> {
    return JSON.parse((format === 0 ? null : await this.#metadata(name)) ?? '{}');
  }
}
