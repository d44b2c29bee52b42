import type { Model } from '../../../model/model.ts';
import {
  convertedTables,
  type ConversionPlan,
  planConversions,
  withoutConverted,
} from '../../sql/conversion/conversion-plan.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import { type MigrationGoal, migrationGoal } from '../../sql/schema/current-models.ts';
import { changesFor, typesFor } from '../../sql/schema/expansion.ts';
import type { StorageTypes } from '../../sql/schema/migration.ts';
import type { TableSchema } from '../../sql/schema/schema.ts';
import type { SchemaChange } from '../../sql/schema/schema-changes.ts';
import type { StoredRows } from '../../sql/schema/stored-rows.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import { keptWords } from '../schema/convert-rows.ts';
import { type PlannedStep, schemaSteps } from '../schema/schema-steps.ts';
import type { SearchState } from '../schema/search-schema.ts';
import { findPair, type ModelPair, pairConversion, type PairRecords, pairTypes, withoutNewer } from './pair-plan.ts';
import {
  commonChanges,
  contractStatements,
  laterWords,
  newerIndexes,
  pairRows,
  type PairPlan,
  presentTables,
  revertStatements,
} from './pair-schema.ts';
import { convertProfile, sharedProblems } from './shared-problems.ts';
import type { SharedTables } from './shared-tables.ts';

/** Plans the migration of a database, which may be served with two models whose rows differ. */
export class PairPlanner {
  readonly goal: MigrationGoal;
  /** The tables without what only the newer model uses. */
  readonly current: readonly CurrentTable[];
  /** The conversion of the rows, in whatever way it is made. */
  readonly conversion: ConversionPlan;
  readonly #model: Model;
  readonly #records: PairRecords | null;
  readonly #found: readonly CurrentTable[];
  readonly #pair: ModelPair | null;
  readonly #shared: SharedTables | null;

  /** @param records null for an empty database */
  constructor(model: Model, records: PairRecords | null, found: readonly CurrentTable[]) {
    const { models = [], phase = null, version = null } = records ?? {};
    this.#model = model;
    this.#records = records;
    this.#found = found;
    this.#pair = records === null ? null : findPair(model, records);
    const shared = this.#pair?.shared ?? null;
    this.#shared = shared;
    this.goal = migrationGoal(
      { current: models, phase, isNew: records === null },
      model,
      shared === null ? undefined : (before) => sharedProblems(before, model, shared),
    );
    this.current = withoutNewer(found);
    this.conversion =
      shared === null
        ? planConversions(model, { goal: this.goal, models, version }, this.current, postgres)
        : pairConversion(shared, this.current);
  }

  /** The tables as the planner of changes finds them. */
  get tables(): readonly CurrentTable[] {
    const converted = convertedTables(this.current, this.conversion);
    if (this.#shared === null) return converted;
    const isShared = this.goal.kind === 'shared';
    return presentTables({ shared: this.#shared, found: this.#found, isShared }, converted);
  }

  withoutConverted(rows: StoredRows): StoredRows {
    return this.#shared !== null && this.#pair?.kind === 'contract'
      ? pairRows(rows, this.conversion, this.#shared)
      : withoutConverted(rows, this.conversion);
  }

  changes(all: readonly SchemaChange[], declared: readonly TableSchema[]): readonly SchemaChange[] {
    const { goal } = this;
    const shared = this.#shared;
    if (shared === null || goal.kind === 'alone') return changesFor(goal, all, declared);
    const other = convertProfile(goal.other, this.#model, shared);
    return commonChanges(changesFor({ kind: 'shared', other }, all, declared), shared);
  }

  types(declared: readonly TableSchema[], recorded: StorageTypes): StorageTypes {
    if (this.goal.kind === 'alone' || this.#pair === null) return typesFor(this.goal, declared, recorded);
    return this.#shared === null ? recorded : pairTypes(this.#model, this.#shared, recorded);
  }

  /** The steps of changes, with those that index the columns of the newer of two models. */
  steps(changes: readonly SchemaChange[], declared: readonly TableSchema[]): readonly PlannedStep[] {
    const shared = this.#shared;
    const steps = schemaSteps(
      changes,
      declared,
      new Set(this.current.map(({ name }) => name)),
      this.conversion.changes,
    );
    return shared === null || this.goal.kind === 'alone'
      ? steps
      : [...steps, ...newerIndexes(shared, declared, this.#found)];
  }

  words(words: SearchState): SearchState {
    return this.#shared === null ? keptWords(words, this.conversion.conversions) : laterWords(words, this.#shared);
  }

  /** The conversion in the transaction that alters the tables: that of a pair is made before. */
  get ownConversion(): ConversionPlan {
    if (this.#shared === null) return this.conversion;
    const from = this.#pair?.kind === 'contract' ? this.conversion.from : null;
    return { ...this.conversion, from, conversions: [] };
  }

  plan(words: SearchState): PairPlan | null {
    return this.#pair === null ? null : { ...this.#pair, conversion: this.conversion, before: this.#before(words) };
  }

  #before(words: SearchState): readonly string[] {
    const { kind, shared = null, expansion = null } = this.#pair ?? {};
    if (kind === 'contract' && shared !== null)
      return contractStatements(shared, this.conversion, { found: this.#found, words });
    const isOther = kind === 'expand' && expansion !== null && expansion.id !== shared?.names.id;
    if (expansion === null || (kind !== 'revert' && !isOther)) return [];
    return revertStatements(expansion, this.#records?.schema ?? '', this.#found);
  }
}
