import type { ValueType } from '../../../model/model.ts';

/** The declaration of a field of a type in a model. That of items follows for arrays. */
export const DECLARED: Readonly<Record<ValueType['kind'], string>> = {
  text: 'type: string',
  integer: 'type: integer',
  number: 'type: number',
  boolean: 'type: boolean',
  'date-time': 'type: string, format: date-time',
  decimal: 'type: string, format: decimal',
  int64: 'type: string, format: int64',
  binary: 'type: string, contentEncoding: base64',
  object: 'type: object',
  map: 'type: object, additionalProperties: { type: string }',
  array: 'type: array',
  json: 'type: json',
};

/** Writes the declaration of an array. @param item that of its items */
export function declareArray(item: string): string {
  return `${DECLARED.array}, items: { ${item} }`;
}

/** Writes the declaration of a field of a type. */
export function declareType(type: ValueType): string {
  return type.kind === 'array' ? declareArray(declareType(type.item.type)) : DECLARED[type.kind];
}
