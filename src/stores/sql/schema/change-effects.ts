import { counted } from '../../../model/values/messages.ts';
import { type TableColumn, typeAt } from '../columns.ts';
import { type Alteration, type CurrentTable, keyText } from './alteration.ts';
import { type ForeignKey, type Index, storageType, type TableSchema } from './schema.ts';
import type { BrokenRule } from './schema-errors.ts';
import type { FoundRows, KeyPart, StoredRows } from './stored-rows.ts';

/** The effects of a change on the rows of its table. */
export interface Effects {
  /** The number of rows of the table. */
  readonly rows: number;
  /** The data that it would lose, and how the model can keep it. */
  readonly losses: readonly string[];
  readonly broken: readonly BrokenRule[];
}

export const NO_EFFECTS: Effects = { rows: 0, losses: [], broken: [] };

/** The current name in the database of a table, or of a column, of the model. */
export type StoredName = (table: string, column: string | null) => string;

/** The rows of one table, with the names of the model. */
export class StoredTable {
  readonly #name: string;
  readonly #stored: StoredName;
  readonly #rows: StoredRows;

  constructor(name: string, stored: StoredName, rows: StoredRows) {
    this.#name = name;
    this.#stored = stored;
    this.#rows = rows;
  }

  count(): number {
    return this.#rows.count(this.#stored(this.#name, null));
  }

  all(): FoundRows {
    return this.#rows.all(this.#stored(this.#name, null));
  }

  countValues(column: string): number {
    return this.#rows.countValues(this.#stored(this.#name, null), this.#stored(this.#name, column));
  }

  withNull(column: string): FoundRows {
    return this.#rows.withNull(this.#stored(this.#name, null), this.#stored(this.#name, column));
  }

  duplicates(key: readonly KeyPart[]): FoundRows {
    const stored = key.map((part) => ({ ...part, column: this.#stored(this.#name, part.column) }));
    return this.#rows.duplicates(this.#stored(this.#name, null), stored);
  }

  /** @param target null for a table that the database does not have */
  dangling(column: string, target: string | null): FoundRows {
    const stored = target === null ? null : this.#stored(target, null);
    return this.#rows.dangling(this.#stored(this.#name, null), this.#stored(this.#name, column), stored);
  }
}

/**
 * Finds the effects of altering a table.
 *
 * @param known names of the tables that the database has, under the names of the model
 */
export function findEffects(alteration: Alteration, stored: StoredTable, known: ReadonlySet<string>): Effects {
  const all = stored.all();
  if (all.rows === 0) return NO_EFFECTS;
  return {
    rows: all.rows,
    losses: [...droppedValues(alteration, stored), ...retypedValues(alteration, stored)],
    broken: [...missingValues(alteration, all, stored), ...danglingReferences(alteration, stored, known)],
  };
}

/** Finds the effects of dropping a table. Links are derived from rows. */
export function dropEffects({ name, kind }: CurrentTable, stored: StoredTable): Effects {
  const rows = kind === 'links' ? 0 : stored.count();
  const fix = 'declare it, or name it in `was` of the resource that it became';
  return { rows, losses: rows === 0 ? [] : [`${name} is dropped with ${counted(rows, 'row')}; ${fix}`], broken: [] };
}

function droppedValues({ after, dropped }: Alteration, stored: StoredTable): readonly string[] {
  const fix = 'declare it, or name it in x-was of the field that it became';
  return dropped.flatMap(({ name }) => {
    const values = stored.countValues(name);
    return values === 0 ? [] : [`${after.name}.${name} is dropped with ${counted(values, 'value')}; ${fix}`];
  });
}

function retypedValues({ before, after, retyped }: Alteration, stored: StoredTable): readonly string[] {
  return retyped.flatMap(({ name, type, nullable, default: value }) => {
    if (!nullable && value === null) return [];
    const values = stored.countValues(name);
    const from = before.columns.find((column) => column.name === name)?.storageType ?? '';
    const change = `${after.name}.${name} changes from ${from} to ${storageType(type)}`;
    const lost = `${change}, which replaces ${counted(values, 'value')} by ${JSON.stringify(value)}`;
    return values === 0 ? [] : [`${lost}; declare a new field and copy the values`];
  });
}

/** Rows without a value for a column that requires one. */
function missingValues(alteration: Alteration, all: FoundRows, stored: StoredTable): readonly BrokenRule[] {
  const { before, after, retyped } = alteration;
  const previous = new Map(before.columns.map((column) => [column.name, column]));
  const find = ({ name }: TableColumn): FoundRows => {
    const column = previous.get(name);
    if (column === undefined || retyped.some((each) => each.name === name)) return all;
    return column.nullable ? stored.withNull(name) : { rows: 0, ids: [] };
  };
  return after.columns
    .filter((column) => !column.nullable && column.default === null)
    .filter(({ name }) => previous.has(name) || !after.sources.some(({ column }) => column === name))
    .flatMap((column) => {
      const found = find(column);
      const [rule, fix] = [`${after.name}.${column.name} is required`, 'declare a default, or fill them first'];
      return found.rows === 0 ? [] : [{ rule, ...found, fix, blocking: true }];
    });
}

/**
 * Rows whose values of a new reference are no ids of its target. References of several columns are checked once the
 * tables are migrated.
 */
function danglingReferences(
  { before, after, added, retyped }: Alteration,
  stored: StoredTable,
  known: ReadonlySet<string>,
): readonly BrokenRule[] {
  const kept = new Set(before.foreignKeys.map(keyText));
  const changed = new Set([...added, ...retyped].map(({ name }) => name));
  return after.foreignKeys
    .filter((key) => !kept.has(keyText(key)))
    .flatMap(({ columns: [column = '', ...others], table }: ForeignKey) => {
      if (others.length > 0 || changed.has(column)) return [];
      const found = stored.dangling(column, known.has(table) ? table : null);
      const rule = `${after.name}.${column} refers to ${table}`;
      return found.rows === 0 ? [] : [{ rule, ...found, fix: 'change them first', blocking: true }];
    });
}

/** Rows with the same value of a new unique key, where the database has its columns. */
export function findDuplicates(
  { unique, keys }: Index,
  { name, columns }: TableSchema,
  before: CurrentTable,
  stored: StoredTable,
): readonly BrokenRule[] {
  const current = new Map(before.columns.map((column) => [column.name, column.storageType]));
  const parts = keys.map(({ path }): KeyPart => {
    const [column = '', ...members] = path.split('.');
    return { column, members, type: typeAt(columns, [column, ...members]) };
  });
  const isStored = ({ column }: KeyPart): boolean => current.get(column) === storageType(typeAt(columns, [column]));
  if (!unique || !parts.every(isStored)) return [];
  const found = stored.duplicates(parts);
  const rule = `${name} has unique ${keys.map(({ path }) => path).join(', ')}`;
  return found.rows === 0 ? [] : [{ rule, ...found, fix: 'change them first', blocking: true }];
}
