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

/** An expression of a type that a database compares, and how values are written for comparing with it. */
export interface Comparable {
  readonly expression: string;
  readonly encode: Encode;
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

  /** The expression under which a column is read, without losing digits. */
  selection(column: string, type: ValueType): string;

  /** From what `selection` reads to JSON; null where it is the JSON value already. */
  decode(type: ValueType): Decode | null;

  /** A member of a JSON column, compared by value (QRY-7); null and absent members are NULL. */
  member(column: string, path: readonly string[], type: ValueType): Comparable;

  /** A condition: one of the items of a JSON array column equals a value (QRY-7). `placeholder` stands for the encoded value. */
  contains(column: string, item: ValueType): { condition(placeholder: string): string; readonly encode: Encode };

  /** A key of an order, NULLs first ascending and last descending (PAGE-5); also as a key of an index. */
  order(expression: string, descending: boolean): string;

  /** A condition that is always true and fails the statement once its deadline has passed; null where the database keeps time itself. */
  readonly deadline: string | null;
}

/** Collects the values of a statement while its text is written. */
export class Parameters {
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
