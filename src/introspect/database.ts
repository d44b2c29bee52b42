/** The kinds of values that a column can have in a model. The values of an `unreadable` column cannot be selected. */
export type ColumnKind =
  | 'integer'
  | 'int64'
  | 'number'
  | 'boolean'
  | 'text'
  | 'date'
  | 'date-time'
  | 'uuid'
  | 'binary'
  | 'json'
  | 'unreadable';

/** The type of a column, as its database declares it and as its values are. */
export interface ColumnType {
  readonly kind: ColumnKind;
  /** The reason for the kind, where a reader would expect another one; null where none is needed. */
  readonly note: string | null;
}

/** A column of a table. */
export interface DescribedColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly notNull: boolean;
  /** True for a generated column: the database computes its values. */
  readonly isComputed: boolean;
  /** The default, where it is a literal of the type; else null. */
  readonly default: string | number | boolean | null;
  /** The only values that a constraint allows; null where there is no such constraint. */
  readonly choices: readonly (string | number)[] | null;
}

/** A foreign key as the database declares it. */
export interface DeclaredForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  /** The columns of the other table; empty for its primary key. */
  readonly keys: readonly string[];
}

/** A table whose rows a resource can show. */
export interface DescribedTable {
  readonly name: string;
  readonly columns: readonly DescribedColumn[];
  /** Empty for a table without one. */
  readonly primaryKey: readonly string[];
  /** True if the primary key is null in some rows, as SQLite permits. */
  readonly hasNullKeys: boolean;
  /** The columns of each unique index on columns of all rows. */
  readonly uniqueKeys: readonly (readonly string[])[];
  readonly foreignKeys: readonly DeclaredForeignKey[];
  /** The name by which the number of a row is selected, where the database numbers rows; else null. */
  readonly rowNumber: string | null;
}

/**
 * The reason why no resource can show a table. It belongs to the database, to Restwright or to one of its models, or is
 * a virtual table or the storage of one.
 */
export type ClosedReason = 'system' | 'virtual' | 'shadow' | 'restwright' | 'model';

/** A table or a view of a database. */
export interface CatalogueEntry {
  readonly name: string;
  readonly kind: 'table' | 'view';
  /** Null where a resource can show it. */
  readonly closed: ClosedReason | null;
}

/** The catalogue of a database of any kind. */
export interface DatabaseCatalogue {
  /** Lists all tables and views by name. */
  list(): Promise<readonly CatalogueEntry[]>;
  /** Describes tables by their names in `list`, in the given order. */
  describe(names: readonly string[]): Promise<readonly DescribedTable[]>;
  close(): Promise<void>;
}

/** True if two names of tables or columns are equal without regard to case. */
export function isSameName(one: string | undefined, other: string | undefined): boolean {
  return one?.toLowerCase() === other?.toLowerCase();
}
