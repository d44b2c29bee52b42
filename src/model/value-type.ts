import type { Json } from '../conventions/json/json.ts';

/** The formats of string fields. All of them are asserted. */
export type TextFormat = 'date' | 'time' | 'duration' | 'uuid' | 'email' | 'uri' | 'hostname' | 'ipv4' | 'ipv6';

/**
 * The type of a value: a closed union, so that the compiler finds every store and format that must handle a new type.
 * `date-time`, `decimal` and `int64` are JSON strings and compare by value (REP-3, REP-7, QRY-7).
 */
export type ValueType =
  /**
   * `ids` is set for ids of rows, by their origin: UUIDs of the server are read in any case (REP-2). All values of a
   * `compact` text are UUIDs in lower case. With `digits`, an integer is read as its digits.
   */
  | {
      readonly kind: 'text';
      readonly format: TextFormat | null;
      readonly ids?: 'server' | 'client';
      readonly compact?: true;
      readonly digits?: true;
    }
  | { readonly kind: 'integer' }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  /** With `micros`, values have six decimals where three do not suffice: those of tables of other programs. */
  | { readonly kind: 'date-time'; readonly micros?: true }
  /** `precision` counts all digits, `scale` those after the decimal point; null means no bound. */
  | { readonly kind: 'decimal'; readonly precision: number | null; readonly scale: number | null }
  | { readonly kind: 'int64' }
  | { readonly kind: 'binary'; readonly mediaType: string | null }
  | { readonly kind: 'object'; readonly members: readonly Member[] }
  | { readonly kind: 'map'; readonly value: Shape }
  | { readonly kind: 'array'; readonly item: Shape; readonly compact?: true }
  /** Any value of JSON but null, which is the unset field. Members of objects keep their order. */
  | { readonly kind: 'json' };

/** A type, and whether null (unset) is allowed. */
export interface Shape {
  readonly type: ValueType;
  readonly nullable: boolean;
}

/** A member of an object. An optional member may be null (REP-4). */
export interface Member extends Shape {
  readonly name: string;
  readonly required: boolean;
  /** Absent if none is declared; null is a valid default. */
  readonly default?: Json;
}

/** A declared pattern. It matches in linear time (LIM-1). */
export interface Pattern {
  readonly source: string;
  test(text: string): boolean;
}
