import { versionText } from '../../../conventions/versioning.ts';
import type { Model } from '../../../model/model.ts';
import { findReturnDifference } from '../../../versions/return-conversion.ts';
import type { StoredRowChange } from '../../../versions/row-changes.ts';
import { findStoredDifference, type StoredDifference } from '../../../versions/row-conversion.ts';
import type { Dialect } from '../dialect.ts';
import type { CurrentTable } from '../schema/alteration.ts';
import type { CurrentModels, MigrationGoal } from '../schema/current-models.ts';
import { UnusableDatabase } from '../schema/schema-errors.ts';
import type { FoundRows, StoredRows } from '../schema/stored-rows.ts';
import { findRowForm, type RowForm } from './former-names.ts';
import { adviseOnVersion } from './stored-contract.ts';
import { type StoredContract, TableConversion } from './table-conversion.ts';

/** The conversion of a database from the contract whose rows it holds to the newest one. */
export interface ConversionPlan {
  /** The version of that contract; null for the newest one. */
  readonly from: string | null;
  /** That contract; null for the newest one, and on the way back to an older one. */
  readonly form: RowForm | null;
  /** The model, with the names that its resources and fields have in that contract. */
  readonly model: Model;
  readonly conversions: readonly TableConversion[];
  /** The changes of all versions from that contract to the newest. */
  readonly changes: readonly StoredRowChange[];
  /** The advice where the rows are of a version that the model does not convert; null for one that it does. */
  readonly advice: string | null;
}

/** The contract that a plan converts rows from or, on the way back, to. */
export type ConvertedContract = Pick<ConversionPlan, 'from' | 'form'>;

/** Finds the contracts between which a migration converts; null where it converts nothing. */
export function convertedContract(
  model: Model,
  { from, form }: ConvertedContract,
): NonNullable<Model['returnFrom']> | null {
  if (from === null) return null;
  return model.returnFrom ?? (form === null ? null : { newest: model, version: form.version });
}

/** The records of a database about its rows. */
export interface RecordedRows {
  readonly goal: MigrationGoal;
  readonly models: CurrentModels;
  /** The version of the model that it was migrated to last; null where none is recorded. */
  readonly version: string | null;
}

/**
 * Plans the conversion of stored rows. Two models that are served side by side store them alike.
 *
 * @param current the tables of the database
 */
export function planConversions(
  model: Model,
  { goal, models, version: recorded }: RecordedRows,
  current: readonly CurrentTable[],
  dialect: Dialect,
): ConversionPlan {
  if (model.returnFrom !== undefined) return planReturn(model, model.returnFrom, { recorded, current, dialect });
  const [profile = null, other] = models;
  const isAlone = goal.kind === 'alone' && other === undefined;
  const form = isAlone ? findRowForm(model, { version: recorded, profile }) : null;
  if (form === null)
    return { from: null, form, model, conversions: [], changes: [], advice: adviseOnVersion(model, recorded) };
  const difference = findStoredDifference(model, form.version);
  return {
    from: versionText(form.version.version),
    form,
    model: difference.model,
    conversions: convertTables(difference, { current, dialect, contract: describeContract(form, difference) }),
    changes: form.changes(difference),
    advice: form.former === null ? null : adviseOnVersion(model, recorded),
  };
}

function convertTables(
  { model, conversions }: StoredDifference,
  {
    current,
    dialect,
    contract,
  }: {
    readonly current: readonly CurrentTable[];
    readonly dialect: Dialect;
    readonly contract: StoredContract;
  },
): readonly TableConversion[] {
  const tables = new Map(current.map((table) => [table.name, table]));
  return [...conversions].flatMap(([name, conversion]) => {
    const { was } = model.resources.get(name) ?? { was: null };
    const table = tables.get(was ?? name) ?? tables.get(name);
    return table === undefined ? [] : [new TableConversion(conversion, table, dialect, contract)];
  });
}

/** The contract of stored rows, for the steps that convert them. */
export function describeContract(form: RowForm, difference: StoredDifference): StoredContract {
  const version = versionText(form.version.version);
  return { version, changes: form.changes(difference), isFormer: form.former !== null };
}

/**
 * Plans the conversion of rows of the newest contract back to an older one.
 *
 * @throws {UnusableDatabase} for rows of another contract
 */
function planReturn(
  target: Model,
  source: NonNullable<Model['returnFrom']>,
  database: { readonly recorded: string | null; readonly current: readonly CurrentTable[]; readonly dialect: Dialect },
): ConversionPlan {
  const [older, newest] = [versionText(target.version), versionText(source.newest.version)];
  const { recorded, current, dialect } = database;
  if (isSameContract(recorded, older) || current.length === 0)
    return { from: null, form: null, model: target, conversions: [], changes: [], advice: null };
  if (!isSameContract(recorded, newest))
    throw new UnusableDatabase(
      `It holds rows of version ${recorded ?? 'unknown'} of the model, and only those of ${newest} can go back to ${older}. Migrate it to ${newest} first, without --to.`,
    );
  const difference = findReturnDifference(target, source);
  const conversions = convertTables(difference, {
    current,
    dialect,
    contract: { version: older, changes: [], isFormer: false },
  });
  return { from: newest, form: null, model: difference.model, conversions, changes: [], advice: null };
}

/** The patch of a version never selects a contract. */
function isSameContract(one: string | null, other: string): boolean {
  return one?.split('.', 2).join('.') === other.split('.', 2).join('.');
}

/** The tables once all rows are converted. */
export function convertedTables(
  current: readonly CurrentTable[],
  { conversions }: ConversionPlan,
): readonly CurrentTable[] {
  const converted = new Map(conversions.map((each) => [each.table.name, each.converted]));
  return current
    .filter(({ name }) => !conversions.some((each) => each.isLinks(name)))
    .map((table) => converted.get(table.name) ?? table);
}

/** The tables without the columns that are converted. */
export function unconvertedTables(
  current: readonly CurrentTable[],
  { conversions }: ConversionPlan,
): readonly CurrentTable[] {
  const kept = new Map(conversions.map((each) => [each.table.name, each.unconverted]));
  return current.map((table) => kept.get(table.name) ?? table);
}

const NOTHING: FoundRows = { rows: 0, ids: [] };

/** Stored rows, of which what is converted is neither lost nor missing: the conversion counts that itself. */
export function withoutConverted(rows: StoredRows, { conversions }: ConversionPlan): StoredRows {
  const tables = new Map(conversions.map((each) => [each.table.name, each]));
  const isConverted = (table: string, column: string): boolean => tables.get(table)?.isConverted(column) ?? false;
  return {
    ...rows,
    countValues: (table, column) => (isConverted(table, column) ? 0 : rows.countValues(table, column)),
    withNull: (table, column) => (isConverted(table, column) ? NOTHING : rows.withNull(table, column)),
    duplicates: (table, key) =>
      key.some(({ column }) => isConverted(table, column)) ? NOTHING : rows.duplicates(table, key),
    dangling: (table, column, target) => (isConverted(table, column) ? NOTHING : rows.dangling(table, column, target)),
  };
}
