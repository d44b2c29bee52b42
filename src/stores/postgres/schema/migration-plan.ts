import type { ConversionPlan } from '../../sql/conversion/conversion-plan.ts';
import type { CurrentModels, MigrationGoal } from '../../sql/schema/current-models.ts';
import {
  omitEmpty,
  requireExisting,
  requireMigrated,
  statementsStep,
  type StorageTypes,
} from '../../sql/schema/migration.ts';
import type { SchemaChange } from '../../sql/schema/schema-changes.ts';
import type { SchemaStep } from '../../sql/schema/schema-errors.ts';
import { currentFormat } from '../../sql/schema/system-upgrades.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import { exclusiveLock, type PlannedStep, rowLocks } from './schema-steps.ts';
import { describeConversion } from './convert-rows.ts';
import { type PairPlan, pairSteps } from '../side-by-side/pair-schema.ts';
import type { SearchChange, SearchState } from './search-schema.ts';

/** The format of the system tables of this version. */
const FORMAT = currentFormat(postgres);

/** The migration of a database to a model. */
export interface MigrationPlan {
  /** True if the database is empty. */
  readonly isNew: boolean;
  readonly format: number;
  readonly models: CurrentModels;
  readonly goal: MigrationGoal;
  /** The storage types of the columns of its tables, once they are migrated. */
  readonly types: StorageTypes;
  readonly system: readonly string[];
  /** The statements that remove the remains of an interrupted migration. */
  readonly unfinished: readonly string[];
  readonly conversion: ConversionPlan;
  /** Two models whose rows differ; null where there is none. */
  readonly pair: PairPlan | null;
  /** The columns with words that tables have. */
  readonly words: SearchState;
  readonly changes: readonly SchemaChange[];
  readonly steps: readonly PlannedStep[];
  /** The conversions of owners and UUIDs, what the model would lose, and the rules that rows break. */
  readonly checks: readonly SchemaStep[];
  readonly search: readonly SearchChange[];
}

/** All steps of a plan, in their order. */
export function listSteps(plan: MigrationPlan): readonly SchemaStep[] {
  const { system, unfinished, steps, checks, search, pair } = plan;
  const inTransaction = steps.filter(({ run }) => run === 'together');
  const later = steps.filter(({ run }) => run !== 'together');
  return omitEmpty([
    statementsStep('remove what an interrupted migration has left', unfinished, exclusiveLock('its tables')),
    statementsStep('create or upgrade the system tables', system, exclusiveLock('the system tables')),
    ...checks.filter(({ statements }) => statements.length > 0),
    ...listConversions(plan),
    ...pairSteps(pair),
    ...inTransaction.map(({ step }) => step),
    ...checks.filter(({ statements }) => statements.length === 0),
    ...search.map(({ resource: { name }, before }) =>
      statementsStep(`change what searches of ${name} use`, before, exclusiveLock(name)),
    ),
    ...later.map(({ step }) => step),
    ...search.map(({ resource: { name }, after }) =>
      statementsStep(`fill what searches of ${name} use`, after, rowLocks(name)),
    ),
  ]);
}

/** The steps of the conversions of rows, with what they have found by now. */
export function listConversions({ conversion, words }: MigrationPlan): readonly SchemaStep[] {
  return conversion.conversions.map((each) => describeConversion(each, words));
}

/** All statements of a plan. */
export function listStatements(plan: MigrationPlan): readonly string[] {
  const { system, unfinished, steps, checks, search, pair } = plan;
  return [
    ...system,
    ...unfinished,
    ...checks.flatMap(({ statements }) => statements),
    ...listConversions(plan).flatMap(({ statements }) => statements),
    ...pairSteps(pair).flatMap(({ statements }) => statements),
    ...steps.flatMap(({ step }) => step.statements),
    ...search.flatMap(({ before, after }) => [...before, ...after]),
  ];
}

/**
 * Verifies that a database matches a model. Remains of a migration are no difference: it may still run.
 *
 * @throws {UnusableDatabase} where it does not
 */
export function requireCurrent(plan: MigrationPlan): void {
  requireExisting(plan.format);
  const recorded = plan.format < FORMAT ? [`-- format ${FORMAT}`] : [];
  requireMigrated([...recorded, ...listStatements({ ...plan, unfinished: [] })]);
}
