import type { Field, Resource } from './model.ts';

/** True for a field that clients have to give a value in a new row. */
export function needsValue(field: Field): boolean {
  return (
    field.required && field.default === undefined && !field.readOnly && field.generator === null && field.fill === null
  );
}

/** True for a resource whose clients have to choose the id of a new row. */
export function needsId({ id }: Pick<Resource, 'id'>): boolean {
  return id.kind === 'client' && !id.optional;
}
