import { type TableColumn } from '../columns.ts';
import { convertsTo, type ForeignKey, type TableSchema, storageType } from './schema.ts';

/** A column of the database. */
interface CurrentColumn {
  readonly name: string;
  /** As `storageType` returns it. */
  readonly storageType: string;
  readonly nullable: boolean;
  /** True if the database gives it a value in rows that leave it out: while two models are served (OPS-6). */
  readonly hasDefault: boolean;
}

/** A table of the database. */
export interface CurrentTable {
  readonly name: string;
  readonly kind: 'rows' | 'links';
  readonly columns: readonly CurrentColumn[];
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  /** Names of its indexes. */
  readonly indexes: readonly string[];
  /** The SQL of its indexes by name, where the database has it. */
  readonly definitions?: Readonly<Record<string, string>>;
}

/** The changes of a table; `before` has the names after renaming. */
export interface Alteration {
  readonly before: CurrentTable;
  readonly after: TableSchema;
  readonly added: readonly TableColumn[];
  /** Columns of both with another storage type, to which their values are converted. */
  readonly converted: readonly TableColumn[];
  /** Columns of both with another storage type, to which values cannot be converted. */
  readonly retyped: readonly TableColumn[];
  readonly dropped: readonly CurrentColumn[];
  /** Columns whose default becomes one of the database, for rows of instances that do not know them. */
  readonly defaults: readonly TableColumn[];
  /** Columns that have such a default no longer. */
  readonly withoutDefault: readonly string[];
  /** True if a column of both became required or optional. */
  readonly nullability: boolean;
  readonly foreignKeys: boolean;
  readonly primaryKey: boolean;
}

/** A foreign key as a text, for comparisons. */
export function keyText({ columns, table, keys, cascade }: ForeignKey): string {
  return `${columns.join()} ${table} ${keys.join()} ${cascade}`;
}

/** The changes that a table needs; null where there are none. */
export function compareTables(before: CurrentTable, after: TableSchema): Alteration | null {
  const existing = new Map(before.columns.map((column) => [column.name, column]));
  const wanted = new Set(after.columns.map(({ name }) => name));
  const both = after.columns.flatMap((column) => {
    const previous = existing.get(column.name);
    return previous === undefined ? [] : [{ column, previous }];
  });
  const restored = both.filter(({ column, previous }) => storageType(column.type) !== previous.storageType);
  const converts = ({ column, previous }: (typeof both)[number]): boolean =>
    convertsTo(previous.storageType, column.type);
  const alteration: Alteration = {
    before,
    after,
    added: after.columns.filter(({ name }) => !existing.has(name)),
    converted: restored.filter(converts).map(({ column }) => column),
    retyped: restored.filter((each) => !converts(each)).map(({ column }) => column),
    dropped: before.columns.filter(({ name }) => !wanted.has(name)),
    defaults: [],
    withoutDefault: both.filter(({ previous }) => previous.hasDefault).map(({ column }) => column.name),
    nullability: both.some(({ column, previous }) => column.nullable !== previous.nullable),
    foreignKeys: before.foreignKeys.map(keyText).sort().join() !== after.foreignKeys.map(keyText).sort().join(),
    primaryKey:
      before.primaryKey.join() !== after.primaryKey.join() ||
      restored.some(({ column }) => after.primaryKey.includes(column.name)),
  };
  const { added, converted, retyped, dropped, withoutDefault } = alteration;
  const changed =
    [added, converted, retyped, dropped, withoutDefault].some(({ length }) => length > 0) ||
    alteration.nullability ||
    alteration.foreignKeys ||
    alteration.primaryKey;
  return changed ? alteration : null;
}
