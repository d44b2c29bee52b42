import type { Member, ValueType } from '../../../model/model.ts';
import { listMembers } from '../../sql/compact-list.ts';
import { quoteText } from '../../sql/standard-dialect.ts';

/** An expression: a column of arrays of objects as lists of the values of these. */
export function compactList(column: string, type: Extract<ValueType, { readonly kind: 'array' }>): string {
  const values = listMembers(type).map(memberValue).join(', ');
  const items = `json_array_elements(${column}::json) with ordinality as item(value, at)`;
  return `(select coalesce(json_agg(json_build_array(${values}) order by item.at)::text, '[]') from ${items})`;
}

function memberValue({ name, type }: Member): string {
  if (type.kind !== 'date-time') return `item.value -> ${quoteText(name)}`;
  return `(extract(epoch from (item.value ->> ${quoteText(name)})::timestamptz) * 1000)::bigint`;
}
