import type { Json } from '../../conventions/json/json.ts';
import type { Resource, ValueType } from '../../model/model.ts';
import type { JsonPlace } from '../../plan/condition.ts';

/** A value that a database driver binds or returns. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array;

/** A row that a driver returned: values by column name. */
export type SqlRow = Record<string, SqlValue>;

/**
 * A statement and the values of its placeholders, in order. Plans of the same shape have the same text, so that drivers
 * prepare it once.
 */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** Default: all rows are read. */
  readonly bound?: SizeBound;
  /**
   * The text that does the same for many rows: each of its values is an array of those of the rows. Absent where the
   * dialect has no such arrays.
   */
  readonly many?: string;
}

/** The size at which the rows of a statement end early, so that no more of them are in memory (LIM-1). */
export interface SizeBound {
  /** The columns that count: those whose values can have any length. */
  readonly columns: readonly string[];
  /**
   * Characters of text and bytes of blobs. The row that exceeds them is the last that is read, or the second if the
   * first alone does.
   */
  readonly size: number;
  /** True if the statement has the dialect's `largeRow` condition: all rows are small unless it fails. */
  readonly guarded: boolean;
}

/**
 * Converts a JSON value other than null to the form that a column stores and compares; undefined where the column
 * cannot hold the value.
 */
export type Encode = (value: Json) => SqlValue | undefined;

/** Converts a value other than NULL that was read to JSON. */
export type Decode = (value: SqlValue) => Json;

/**
 * The position of a value among the values that a column can hold: equal to one, between two, or out of range. `floor`
 * is the lower one of two. 1.005 lies between two decimals with two digits after the point, 10^19 above all 64-bit
 * integers.
 */
export type Placement =
  | { readonly kind: 'within'; readonly floor: SqlValue; readonly exact: boolean }
  | { readonly kind: 'below' }
  | { readonly kind: 'above' };

/** Finds the placement of a JSON value other than null; undefined where the value has another type. */
export type Locate = (value: Json) => Placement | undefined;

/** Locates values of a type whose values the column can all hold. */
export function exactLocate(encode: Encode): Locate {
  return (value) => {
    const floor = encode(value);
    return floor === undefined ? undefined : { kind: 'within', floor, exact: true };
  };
}

/** An expression that the database compares, and how values are encoded for the comparison. */
export interface ComparableExpression {
  readonly expression: string;
  readonly encode: Encode;
  readonly locate: Locate;
}

/** An expression that is compared with values of a type which it can all hold. */
export function comparableExpression(expression: string, encode: Encode): ComparableExpression {
  return { expression, encode, locate: exactLocate(encode) };
}

/** The options of a table expression of keys. */
export interface KeyRowsOptions {
  readonly alias: string;
  /** The types of the members of each key. */
  readonly types: readonly ValueType[];
}

/** A table expression of keys for `from`, and the expressions of its columns. */
export interface KeyRows {
  readonly source: string;
  /** The index of the key, from 0. */
  readonly position: string;
  /** The members of the key. */
  readonly ids: readonly string[];
}

/** Rows whose values are bound as one array for each column. */
export interface RowArrays {
  /** The table expression of the rows. */
  readonly source: (types: readonly ValueType[]) => string;
  /** The value of a row, which takes the place of the placeholder at a position. */
  readonly value: (position: number) => string;
}

/** The differences between databases. All other SQL is shared. */
export interface Dialect {
  /** The placeholder of the value at a position, starting at 1. */
  readonly placeholder: (position: number) => string;

  /** Quotes an identifier. */
  readonly quote: (name: string) => string;

  /** A value as a literal, for statements without placeholders, such as a default in DDL. */
  literal(value: SqlValue): string;

  /** The column type for values of a type. */
  readonly columnType: (type: ValueType) => string;

  /**
   * The options of `create table`, after the columns: of tables with many rows, and of small ones that are clustered by
   * their primary key.
   */
  readonly tableOptions: { readonly rows: string; readonly clustered: string };

  /** Encodes values for their column. */
  encode(type: ValueType): Encode;

  /** Locates values among those that their column can hold. */
  locate(type: ValueType): Locate;

  /** The expression that reads a column without a loss of digits. */
  selection(column: string, type: ValueType): string;

  /** Decodes what `selection` reads; null where that is the JSON value. */
  decode(type: ValueType): Decode | null;

  /** An expression: the JSON of the values of a column, as text; NULL for NULL. For types that policies compare. */
  json(column: string, type: ValueType): string;

  /** A member of a JSON column, compared by value (QRY-7). Members that are null or absent are NULL. */
  member(column: string, path: readonly string[], type: ValueType): ComparableExpression;

  /**
   * The value at a place in JSON: NULL where there is none, or one of another type. A path leads through objects only.
   * Of the type `json`, all that can be said is that there is a value.
   */
  inside(column: string, path: readonly string[], type: JsonPlace['type']): ComparableExpression;

  /** An expression: the values of a column of texts as texts, where they are stored in another form. */
  readonly text: (column: string, type: ValueType) => string;

  /** An expression: a bound value with the type of its column. */
  cast(placeholder: string, type: ValueType): string;

  /** An expression: a column of the usual form of a compact type, in the compact one. */
  compact(column: string, type: ValueType): string;

  /** An expression: a column with the UUIDs of its values in lower case, for types that have any. */
  lowerUuids(column: string, type: ValueType): string;

  /** A condition: a JSON array has an item equal to a value (QRY-7). `placeholder` is that of the encoded value. */
  contains(array: string, item: ValueType): { condition(placeholder: string): string; readonly encode: Encode };

  /**
   * A condition: the value of an expression is one of a list, which has one type and no null. The list is bound as one
   * parameter, so that the text of a statement does not depend on its length.
   */
  inList(expression: string, values: readonly SqlValue[], parameters: BindParameters): string;

  /**
   * A condition: a text contains another one, compared character by character (QRY-7). `placeholder` is that of the
   * substring.
   */
  readonly hasSubstring: (expression: string, placeholder: string) => string;

  /**
   * A condition: a text begins with another one, compared character by character (QRY-7). Null where texts with a
   * common prefix are adjacent in the order of every column, so that an index serves them.
   */
  readonly hasPrefix: ((expression: string, placeholder: string) => string) | null;

  /**
   * A condition: each word is the prefix of a word in a searched field of the row (QRY-6).
   *
   * @param deadlineCheck the deadline's `always` where the statement has a deadline: for a search that comes before the
   *   rows
   */
  search(
    resource: Resource,
    words: readonly string[],
    parameters: BindParameters,
    deadlineCheck: string | null,
  ): string;

  /** A second way to search, for words that many rows have; null where the database itself chooses the way. */
  readonly wordTest: WordTest | null;

  /** A table expression for `from`: the items of a JSON array, one per row, in the column `value` of an alias. */
  arrayItems(array: string, alias: string): string;

  /**
   * A table expression for `from`: the strings of a JSON array that is bound to the placeholder, one per row, in the
   * column `value`. The text of the statement does not depend on their number.
   */
  textRows(placeholder: string): string;

  /** Keys as rows, bound as one parameter. The text of the statement does not depend on their number. */
  keyRows(keys: readonly (readonly SqlValue[])[], of: KeyRowsOptions, parameters: BindParameters): KeyRows;

  /**
   * A lateral join: for each row of the source, the rows of a table whose keys a correlated subquery returns. The
   * subquery has a limit.
   *
   * @param keys a query of the columns of the key
   * @param key the columns of the key of the table
   */
  joinEach(keys: string, table: string, key: readonly string[]): string;

  /**
   * The origin of revisions and sequences: `counted` by one transaction after the other, or `allocated` to several that
   * overlap. Those add up what they change in slots of their own.
   */
  readonly numbers: 'counted' | 'allocated';

  /** Rows as arrays, so that one statement writes all of them; null where as many statements are as fast. */
  readonly rowArrays: RowArrays | null;

  /** The smaller, or the greater, of two values. */
  either(which: 'least' | 'greatest', one: string, other: string): string;

  /**
   * The columns that statements write in addition to those of the model, because the database cannot derive them
   * itself.
   */
  derivedColumns(resource: Resource): readonly DerivedColumn[];

  /**
   * A sort key, NULLs first ascending and last descending (PAGE-5); also as the key of an index.
   *
   * @param path what it sorts by; `id` is never NULL, and the index of the primary key has its default order
   */
  order(path: string, expression: string, descending: boolean): string;

  /**
   * A condition that holds for every row, and fails the statement before it reads a row whose columns have more bytes
   * than `placeholder`. Null if the driver reads rows one by one as fast as all together.
   */
  readonly largeRow: ((columns: readonly string[], placeholder: string) => string) | null;

  /** The conditions that check a statement's deadline; null where the database has statement timeouts. */
  readonly deadline: DeadlineConditions | null;
}

/** A search that reads the texts of rows. */
export interface WordTest {
  /** The condition of `search`, for rows that are read in another order than that of the index of words. */
  holds(resource: Resource, words: readonly string[], parameters: BindParameters): string;
  /** A condition of a whole statement: more rows than a number match. */
  matchesMoreThan(rows: number, resource: Resource, words: readonly string[], parameters: BindParameters): string;
}

/** A column whose values follow from those of one field. */
export interface DerivedColumn {
  readonly name: string;
  /** The field. */
  readonly field: string;
  /** Encodes a value of the field for its placeholder. */
  readonly encode: (value: Json | undefined) => SqlValue;
  /** The value of the column for the bound value. */
  readonly expression: (placeholder: string) => string;
}

/** Conditions that hold for every row, and fail the statement after its deadline. */
interface DeadlineConditions {
  /** Checks at a sample of the rows: for reads of many rows. */
  readonly sampled: string;
  /** Checks at each row: for few rows of any size, and for results of table-valued functions. */
  readonly always: string;
}

/** The rows at which a statement checks its deadline. */
export type DeadlineChecks = 'never' | keyof DeadlineConditions;

/** Collects the bound values of a statement while its text is generated. */
export class BindParameters {
  readonly values: SqlValue[] = [];
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Binds a value and returns its placeholder. */
  add(value: SqlValue): string {
    this.values.push(value);
    return this.#dialect.placeholder(this.values.length);
  }
}
