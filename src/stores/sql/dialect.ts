import type { Json } from '../../conventions/json.ts';
import type { ValueType } from '../../model/model.ts';

/** A value as a database driver binds and returns it. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array;

/** A statement and the values of its placeholders, in order. Equal shapes of plan give equal texts, so that a text is prepared once. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** A JSON value in the form in which a database keeps or compares it; undefined where it can hold no such value. Never asked about null. */
export type Encode = (value: Json) => SqlValue | undefined;

/** The JSON value of what was read. Never asked about null. */
export type Decode = (value: SqlValue) => Json;

/**
 * Where a value lies among those that a database can hold: at one of them or between two, of which `floor` is the lower, or outside of
 * all. 1.005 lies between two decimals of two places, 10^19 above all integers of 64 bits.
 */
export type Placement =
  | { readonly kind: 'within'; readonly floor: SqlValue; readonly exact: boolean }
  | { readonly kind: 'below' }
  | { readonly kind: 'above' };

/** Where a JSON value lies; undefined where it is of another type. Never asked about null. */
export type Locate = (value: Json) => Placement | undefined;

/** Locates the values of a type of which a database can hold every one. */
export function exactLocate(encode: Encode): Locate {
  return (value) => {
    const floor = encode(value);
    return floor === undefined ? undefined : { kind: 'within', floor, exact: true };
  };
}

/** An expression of a type that a database compares, and how values are written for comparing with it. */
export interface ComparableExpression {
  readonly expression: string;
  readonly encode: Encode;
  readonly locate: Locate;
}

/** How one database differs from another; everything else about SQL is shared. */
export interface Dialect {
  /** The placeholder of the value at a position, counted from 1. */
  placeholder(position: number): string;

  /** A name as an identifier. */
  readonly quote: (name: string) => string;

  /** A value as it stands in a statement that takes no placeholders: a default in DDL. */
  literal(value: SqlValue): string;

  /** The type of the column that holds values of a type. */
  columnType(type: ValueType): string;

  /** How a value is written to its column. */
  encode(type: ValueType): Encode;

  /** Where a value lies among those of its column. */
  locate(type: ValueType): Locate;

  /** The expression under which a column is read, without losing digits. */
  selection(column: string, type: ValueType): string;

  /** From what `selection` reads to JSON; null where it is the JSON value already. */
  decode(type: ValueType): Decode | null;

  /** A member of a JSON column, compared by value (QRY-7); null and absent members are NULL. */
  member(column: string, path: readonly string[], type: ValueType): ComparableExpression;

  /** A condition: one of the items of a JSON array equals a value (QRY-7). `placeholder` stands for the encoded value. */
  contains(array: string, item: ValueType): { condition(placeholder: string): string; readonly encode: Encode };

  /**
   * A query of one column: values of one type, none of them null, as one parameter. A statement that compares with a list has one text, however
   * long the list is.
   */
  valueList(values: readonly SqlValue[], parameters: BindParameters): string;

  /** A condition: a text has another one as a part, character by character (QRY-7). `placeholder` stands for the part. */
  hasSubstring(expression: string, placeholder: string): string;

  /**
   * A condition: each of the words begins a word of a searched field of a row (QRY-6).
   *
   * @param look the deadline's `always` where the statement has one: for what is found before any row is looked at
   */
  search(resource: string, words: readonly string[], parameters: BindParameters, look: string | null): string;

  /**
   * A source of rows for `from`: the texts of the JSON array that the placeholder stands for, one to a row, in the column `value`. A
   * statement about many ids has one text, however many there are.
   */
  textRows(placeholder: string): string;

  /**
   * What joins each row of a source with those rows of a table whose ids a subquery gives, which names the source and has a limit of its
   * own: it is run once for each row of the source.
   *
   * @param ids a query of one column
   */
  joinEach(ids: string, table: string, id: string): string;

  /** A key of an order, NULLs first ascending and last descending (PAGE-5); also as a key of an index. */
  order(expression: string, descending: boolean): string;

  /** How a statement looks at its deadline; null where the database keeps time itself. */
  readonly deadline: DeadlineConditions | null;
}

/** Conditions that are always true and fail the statement once its deadline has passed. */
export interface DeadlineConditions {
  /** Asks at some of the rows that a statement reads: for many rows. */
  readonly sampled: string;
  /** Asks at each: for few rows of any size, and for what is no row of a table. */
  readonly always: string;
}

/** At which rows a statement looks at its deadline. */
export type DeadlineChecks = 'never' | keyof DeadlineConditions;

/** Collects the values of a statement while its text is written. */
export class BindParameters {
  readonly values: SqlValue[] = [];
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Adds a value and returns its placeholder. */
  add(value: SqlValue): string {
    this.values.push(value);
    return this.#dialect.placeholder(this.values.length);
  }
}
