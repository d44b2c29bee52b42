import type { ValueType } from '../../../model/model.ts';
import type { PostgresType } from './column-type.ts';

/** The items of a bound JSON array, as an array of a type. */
function assignedArray({ sql }: PostgresType): (placeholder: string) => string {
  return (placeholder) =>
    `(select coalesce(array_agg(item.value order by item.place), '{}') from json_array_elements_text(${placeholder}::json) with ordinality as item(value, place))::text[]::${sql}[]`;
}

/** The members of a bound JSON object, as an hstore. */
function assignedMap(placeholder: string): string {
  return `(select hstore(array_agg(member.key), array_agg(member.value)) from json_each_text(${placeholder}::json) as member)`;
}

/**
 * Makes the expression that is assigned to a column for a bound value of a field. A parameter has the type of the
 * column that it is assigned to, so that most need none.
 */
export function assigned(field: ValueType, { kind, item }: PostgresType): (placeholder: string) => string {
  if (kind === 'array' && item !== null && field.kind === 'array') return assignedArray(item);
  if (kind === 'hstore' && field.kind !== 'text') return assignedMap;
  return (placeholder) => placeholder;
}
