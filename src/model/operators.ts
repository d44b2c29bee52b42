import type { ValueType } from './value-type.ts';

/** The operators by type of property (QRY-1). */
const SCALAR_OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'exists'] as const;
const ARRAY_OPERATORS = ['contains', 'exists'] as const;

/** All operators: those of strings, and of JSON that may hold strings. */
export const OPERATORS = [...SCALAR_OPERATORS, 'contains', 'starts_with'] as const;

/** The operator of a comparison. */
export type ComparisonOperator = (typeof OPERATORS)[number];

/** The operators that compare values of a type. @param type a `ValueType` */
export function listOperators({ kind }: { readonly kind: string }): readonly ComparisonOperator[] {
  if (kind === 'array') return ARRAY_OPERATORS;
  return kind === 'text' || kind === 'json' ? OPERATORS : SCALAR_OPERATORS;
}

/** True if policies can compare the values of a type, or the items of an array. */
export function isComparable(type: ValueType): boolean {
  const { kind } = type.kind === 'array' ? type.item.type : type;
  return kind !== 'binary' && kind !== 'object' && kind !== 'map' && kind !== 'array' && kind !== 'json';
}
