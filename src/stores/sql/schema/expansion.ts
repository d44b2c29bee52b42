import type { Model } from '../../../model/model.ts';
import type { TableColumn } from '../columns.ts';
import type { Alteration } from './alteration.ts';
import type { MigrationGoal } from './current-models.ts';
import { type StorageTypes, listStorageTypes } from './migration.ts';
import type { ModelProfile, ResourceProfile } from './model-profile.ts';
import { isCompact, storageType, type TableSchema } from './schema.ts';
import type { SchemaChange } from './schema-changes.ts';

/**
 * Selects the changes after which instances of another model still read and write a database as before (OPS-6). Columns
 * that they do not know are nullable or have a default in the database, and columns that only they know stay. The phase
 * `contract` makes the other changes.
 *
 * @param other the model of these instances, which has no {@link neighbourProblems} with the model
 */
function expandingChanges(
  changes: readonly SchemaChange[],
  declared: readonly TableSchema[],
  other: ModelProfile,
): readonly SchemaChange[] {
  const created = new Set(changes.flatMap((change) => (change.kind === 'create-table' ? [change.table.name] : [])));
  return changes.flatMap((change): readonly SchemaChange[] => {
    switch (change.kind) {
      case 'create-table':
        return [change];
      case 'create-index': {
        const known = other.resources[change.table.name];
        const isExpanding =
          !change.index.unique || created.has(change.table.name) || isUnset(change.index.keys, change.table, known);
        return isExpanding ? [{ ...change, broken: [] }] : [];
      }
      case 'drop-index':
        return isViolated(change.name, declared, other) ? [change] : [];
      case 'alter-table': {
        const known = other.resources[change.alteration.after.name];
        const isKept = (index: string): boolean => !isViolated(index, declared, other);
        const alteration = known === undefined ? null : expandingAlteration(change.alteration, known, isKept);
        return alteration === null ? [] : [{ ...change, alteration, losses: [], broken: [] }];
      }
      // A table of links that is created again.
      case 'drop-table':
        return created.has(change.table.name) ? [change] : [];
      case 'rename-table':
      case 'rename-column':
        return [];
    }
  });
}

const UNCHANGED = {
  retyped: [],
  dropped: [],
  withoutDefault: [],
  nullability: false,
} as const;

/** Checks if a unique key has a column that the other instances leave unset: null is not equal to null. */
function isUnset(
  keys: readonly { readonly path: string }[],
  table: TableSchema,
  known: ResourceProfile | undefined,
): boolean {
  return keys.some(({ path }) => {
    const [name = ''] = path.split('.');
    const column = table.columns.find((each) => each.name === name);
    return known?.fields[name] === undefined && column?.nullable === true && column.default === null;
  });
}

/**
 * Checks if rows of a model without a unique index could violate it: the model writes all of its columns, or the
 * database does.
 */
function isViolated(index: string, declared: readonly TableSchema[], other: ModelProfile): boolean {
  const found = /^(?<table>\S+) unique \((?<keys>.*)\)$/.exec(index)?.groups;
  const table = declared.find(({ name }) => name === found?.['table']);
  if (found === undefined || table === undefined) return false;
  const columns = (found['keys'] ?? '').split(', ').map((key) => key.split(/[.: ]/)[0] ?? key);
  const known = other.resources[table.name]?.fields ?? {};
  return columns.every((name) => {
    const field = known[name];
    return table.columns.some((column) => column.name === name) || (field?.required === true && field.default !== null);
  });
}

/** Selects the additions of an alteration, and keeps the columns of the other model; null if nothing is added. */
function expandingAlteration(
  alteration: Alteration,
  known: ResourceProfile,
  isKept: (index: string) => boolean,
): Alteration | null {
  const { before, after, added, dropped } = alteration;
  const existing = new Map(before.columns.map((column) => [column.name, column]));
  const kept = dropped.flatMap(({ name }) => profileColumn(name, known));
  const defaults = [
    ...added.filter((column) => column.default !== null),
    ...kept.filter(({ name, nullable }) => !nullable && existing.get(name)?.hasDefault === false),
  ];
  // Their form follows from the build, whatever its model: the other instances are of this build, too.
  const converted = alteration.converted.filter(({ type }) => isCompact(type));
  if (added.length + defaults.length + converted.length === 0) return null;
  const isNew = new Set(added.map(({ name }) => name));
  const foreignKeys = after.foreignKeys.filter(({ columns }) => columns.some((column) => isNew.has(column)));
  return {
    ...UNCHANGED,
    before: { ...before, indexes: before.indexes.filter(isKept) },
    after: {
      ...after,
      columns: [...after.columns, ...kept],
      foreignKeys: [...before.foreignKeys, ...foreignKeys],
      primaryKey: before.primaryKey,
    },
    added,
    converted,
    defaults,
    primaryKey: converted.some(({ name }) => before.primaryKey.includes(name)),
    foreignKeys: foreignKeys.length > 0,
  };
}

/** The column of a field of the other model. */
function profileColumn(name: string, { fields }: ResourceProfile): readonly TableColumn[] {
  const field = fields[name];
  if (field === undefined) return [];
  return [{ name, type: field.type, nullable: !field.required, was: null, default: field.default }];
}

/** The changes that a migration makes for its goal. */
export function changesFor(
  goal: MigrationGoal,
  changes: readonly SchemaChange[],
  declared: readonly TableSchema[],
): readonly SchemaChange[] {
  return goal.kind === 'alone' ? changes : expandingChanges(changes, declared, goal.other);
}

/** The resources of the other model alone, whose tables stay as they are. */
export function foreignResources(goal: MigrationGoal, { resources }: Model): readonly string[] {
  return goal.kind === 'alone' ? [] : Object.keys(goal.other.resources).filter((name) => !resources.has(name));
}

/**
 * The storage types of the columns of a model, and of another one that is served, too.
 *
 * @param recorded those of the database
 */
export function typesFor(goal: MigrationGoal, declared: readonly TableSchema[], recorded: StorageTypes): StorageTypes {
  if (goal.kind === 'alone') return listStorageTypes(declared);
  const tables = declared.map(({ name, columns }) => [
    name,
    { ...recorded[name], ...Object.fromEntries(columns.map((column) => [column.name, storageType(column.type)])) },
  ]);
  return { ...recorded, ...Object.fromEntries(tables) };
}
