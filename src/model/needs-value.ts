import type { Field } from './model.ts';

/** True for a field that clients have to give a value in a new row. */
export function needsValue(field: Field): boolean {
  return (
    field.required && field.default === undefined && !field.readOnly && field.generator === null && field.fill === null
  );
}
