/**
 * The kinds of values that a column can have in a model. A `map` has texts or null. The values of an `unreadable`
 * column cannot be selected.
 */
export type ColumnKind =
  | 'integer'
  | 'int64'
  | 'number'
  | 'decimal'
  | 'boolean'
  | 'text'
  | 'date'
  | 'date-time'
  | 'duration'
  | 'uuid'
  | 'binary'
  | 'json'
  | 'map'
  | 'array'
  | 'unreadable';

/** Limits of values, by the keyword of a schema. */
export type ColumnLimits = Readonly<
  Partial<
    Record<
      'maxLength' | 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'x-precision' | 'x-scale',
      number
    >
  >
>;

/** The type of a column, as its database declares it and as its values are. */
export interface ColumnType {
  readonly kind: ColumnKind;
  /** The reason for the kind, where a reader would expect another one; null where none is needed. */
  readonly note: string | null;
  /** Limits that the database enforces. Default: none. */
  readonly limits?: ColumnLimits;
  /** The type of the items of an `array`. */
  readonly items?: ColumnType;
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
  /** True if the database fills the column of a new row that has no value for it, by any default but NULL. */
  readonly hasDefault: boolean;
  /** The only values that a constraint allows, for an array those of its items; null for no such constraint. */
  readonly choices: readonly (string | number)[] | null;
  /** The comment that the database stores on the column; null for none. */
  readonly comment: string | null;
}

/** A foreign key. Its names are those of the tables and columns, with their case. */
export interface DeclaredForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  /** The columns of the other table; empty for its primary key. */
  readonly keys: readonly string[];
}

/** The name of a table or a view. */
export interface TableName {
  /** The name that `table` of a model has. It begins with that of the schema and a dot if there is one. */
  readonly name: string;
  /** Null in a database without schemas. */
  readonly schema: string | null;
}

/** The query of a view, as far as it decides on the key and the use of the view. */
export interface DescribedView {
  /** True if its rows are stored. */
  readonly isMaterialized: boolean;
  /** The names of the tables and views that it reads. */
  readonly sources: readonly string[];
  /** True if several rows of its sources can be one of its own. */
  readonly isGrouped: boolean;
  /** True if it may repeat rows of its sources in a way that no reference shows, as a union does. */
  readonly repeatsRows: boolean;
}

/** A table or a view whose rows a resource can show. */
export interface DescribedTable extends TableName {
  readonly columns: readonly DescribedColumn[];
  /** Empty for a table without one. */
  readonly primaryKey: readonly string[];
  /** True if the primary key is null in some rows, as SQLite permits. */
  readonly hasNullKeys: boolean;
  /** The columns of each unique index on columns of all rows. */
  readonly uniqueKeys: readonly (readonly string[])[];
  /** The columns of each index that has all rows in their order, the primary key included. */
  readonly indexes: readonly (readonly string[])[];
  /** About the number of rows; null where the database does not know it. */
  readonly rowCount: number | null;
  readonly foreignKeys: readonly DeclaredForeignKey[];
  /** True if the database can insert, update and delete its rows. */
  readonly isWritable: boolean;
  /** The name by which the number of a row is selected, where the database numbers rows; else null. */
  readonly rowNumber: string | null;
  /** True if the database can identify rows by digests of their columns, to read them. */
  readonly hasDigests: boolean;
  /** The comment that the database stores on the table; null for none. */
  readonly comment: string | null;
  /** Null for a table. */
  readonly view: DescribedView | null;
}

/**
 * The reason why no resource can show a table. It belongs to the database, to an extension, to Restwright or to one of
 * its models. Or it may not be read, or is a virtual table or the storage of one.
 */
export type ClosedReason = 'system' | 'extension' | 'virtual' | 'shadow' | 'restwright' | 'model' | 'denied';

/** A table or a view of a database. */
export interface CatalogueEntry extends TableName {
  readonly kind: 'table' | 'view';
  /** Null where a resource can show it. */
  readonly closed: ClosedReason | null;
  /** The SQL that permits to read a `denied` table. */
  readonly grant?: string;
}

/** The catalogue of a database of any kind. */
export interface DatabaseCatalogue {
  /** The schema whose tables are used unless others are named; null for a database without schemas. */
  readonly defaultSchema: string | null;
  /** Lists all tables and views by name, those of the default schema first. */
  list(): Promise<readonly CatalogueEntry[]>;
  /** Describes tables and views by their names in `list`, in the given order. A view that fails has no columns. */
  describe(names: readonly string[]): Promise<readonly DescribedTable[]>;
  /** The statement that creates an index on columns of a table, in the order of a sort by the first one. */
  writeIndex(table: DescribedTable, columns: readonly string[]): string;
  close(): Promise<void>;
}

/** The name of a table in its schema. */
export function unqualifiedName({ name, schema }: TableName): string {
  return schema === null ? name : name.slice(schema.length + 1);
}
