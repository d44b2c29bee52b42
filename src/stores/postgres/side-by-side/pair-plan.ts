import type { Model } from '../../../model/model.ts';
import { type ConversionPlan, describeContract } from '../../sql/conversion/conversion-plan.ts';
import { TableConversion } from '../../sql/conversion/table-conversion.ts';
import { findRowForm } from '../../sql/conversion/former-names.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import type { CurrentModels, MigrationPhase } from '../../sql/schema/current-models.ts';
import { isSameProfile, type ModelProfile, profileModel } from '../../sql/schema/model-profile.ts';
import type { StorageTypes } from '../../sql/schema/migration.ts';
import { deriveSchema, storageType } from '../../sql/schema/schema.ts';
import { NEW } from '../../sql/conversion/table-conversion.ts';
import { IncompatibleModels } from '../../sql/schema/schema-errors.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import { SharedTables } from './shared-tables.ts';

/** The record of a database whose rows are converted for a second model. */
export interface RecordedExpansion {
  /** The id of the newer model, and the schema of its views. */
  readonly id: string;
  readonly views: string;
  /** The version whose rows the older model has. */
  readonly from: string;
  /** The tables with columns of the newer model. */
  readonly tables: readonly string[];
  /** True once instances of both models may start. */
  readonly done: boolean;
  /** The key of the last row that was converted, by table. Absent for a table of which none was. */
  readonly after: Readonly<Record<string, readonly string[]>>;
}

/** @param json as it is recorded; null where nothing is */
export function parseExpansion(json: string | null): RecordedExpansion | null {
  return json === null ? null : JSON.parse(json);
}

/** The records of a database about the models that it is served with. */
export interface PairRecords {
  readonly models: CurrentModels;
  readonly version: string | null;
  readonly expansion: RecordedExpansion | null;
  readonly phase: MigrationPhase | null;
  readonly schema: string;
}

/**
 * The state of two models whose rows differ. `expand`: the rows are to be converted for the second one. `serve`: both
 * are served. `contract`: the newer one remains. `revert`: the older one remains, or the conversion was given up.
 */
export interface ModelPair {
  readonly kind: 'expand' | 'serve' | 'contract' | 'revert';
  /** Null where the model is the older one, or is no longer the one that the rows were converted for. */
  readonly shared: SharedTables | null;
  readonly expansion: RecordedExpansion | null;
}

/** Finds the pair of a database; null where its models store their rows alike. */
export function findPair(model: Model, records: PairRecords): ModelPair | null {
  const { models, expansion, phase } = records;
  const [before, newer] = models;
  const own = profileModel(model);
  if (expansion?.done === true && before !== undefined && newer !== undefined) {
    if (!isSameProfile(own, newer))
      return isSameProfile(own, before)
        ? { kind: phase === 'contract' ? 'revert' : 'serve', shared: null, expansion }
        : null;
    const shared = findShared(model, { ...records, version: expansion.from });
    if (shared === null) return null;
    return { kind: phase === 'contract' ? 'contract' : 'serve', shared, expansion };
  }
  if (before === undefined || newer !== undefined) return null;
  const isOwn = isSameProfile(own, before);
  const shared = phase === 'expand' ? findShared(model, records) : null;
  if (shared !== null && isOwn) requireDistinct(shared);
  if (shared !== null && !isOwn) return { kind: 'expand', shared, expansion };
  return expansion === null || (isOwn && phase !== 'contract') ? null : { kind: 'revert', shared: null, expansion };
}

function findShared(model: Model, { models, version, schema }: PairRecords): SharedTables | null {
  const [before = null] = models;
  const form = findRowForm(model, { version, profile: before });
  if (form === null || before === null) return null;
  // Former names of fields alone convert no rows: old instances do not find the columns that they name.
  if (form.former?.changes.length === 0) return null;
  const shared = new SharedTables(model, { form, profile: before }, schema);
  const isShared = shared.tables.length > 0 || fillsFields(model, shared) || renamesTables(before, shared);
  return isShared ? shared : null;
}

/** Checks if the newer model has other names for tables of the older one, as it lists them. */
function renamesTables({ resources: before }: ModelProfile, { difference }: SharedTables): boolean {
  return [...difference.model.resources.values()].some(
    ({ name, was }) => was !== null && before[name] === undefined && before[was] !== undefined,
  );
}

/**
 * Models with equal profiles are one model: no session and no start shows which one it is of.
 *
 * @throws {IncompatibleModels} where rows of the two still differ, such as after an exchange of two values
 */
function requireDistinct({ tables }: SharedTables): void {
  const problems = tables.flatMap(({ name, conversion }) =>
    conversion === null
      ? []
      : conversion.to.map(
          (field) =>
            `${name}.${field.name} has the same type and values as before, with another meaning: stop all instances and apply it without --phase`,
        ),
  );
  if (problems.length > 0) throw new IncompatibleModels(problems);
}

/** Checks if rows of the older model have other values in new fields than rows without a value do. */
function fillsFields(model: Model, { difference }: SharedTables): boolean {
  return [...difference.model.resources.values()].some(({ name, fields }) => {
    const declared = model.resources.get(name);
    return fields.some((field) => field.default !== declared?.field.get(field.name)?.default);
  });
}

/** The tables without the columns and indexes that only instances of the newer model use. */
export function withoutNewer(current: readonly CurrentTable[]): readonly CurrentTable[] {
  return current.map((table) => ({
    ...table,
    columns: table.columns.filter(({ name }) => !name.startsWith(NEW)),
    indexes: table.indexes.filter((name) => !name.startsWith(NEW)),
  }));
}

/** The conversions of a pair. @param current without what only the newer model uses */
export function pairConversion({ difference, form }: SharedTables, current: readonly CurrentTable[]): ConversionPlan {
  const contract = describeContract(form, difference);
  const { version: from, changes } = contract;
  const tables = new Map(current.map((table) => [table.name, table]));
  const conversions = [...difference.conversions].flatMap(([name, conversion]) => {
    const table = tables.get(name);
    return table === undefined ? [] : [new TableConversion(conversion, table, postgres, contract)];
  });
  return { from, form, model: difference.model, conversions, changes, advice: null };
}

/** The names under which the storage types of the views of the newer model are recorded. */
export function viewTypes(id: string): string {
  return `${id} `;
}

/** The storage types of the columns of both models, and of the views of the newer one. */
export function pairTypes(model: Model, { tables, names }: SharedTables, recorded: StorageTypes): StorageTypes {
  const shared = new Map(tables.map((table) => [table.name, table]));
  const types: Record<string, Readonly<Record<string, string>>> = { ...recorded };
  for (const { name, columns } of deriveSchema(model)) {
    const own = Object.fromEntries(columns.map((column) => [column.name, storageType(column.type)]));
    const table = shared.get(name);
    if (table !== undefined) types[`${viewTypes(names.id)}${name}`] = own;
    const stored = columns.map((column) => [table?.column(column.name) ?? column.name, storageType(column.type)]);
    types[name] = { ...recorded[name], ...Object.fromEntries(stored) };
  }
  return types;
}
