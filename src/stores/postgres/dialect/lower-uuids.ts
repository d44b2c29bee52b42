import type { ValueType } from '../../../model/model.ts';
import { holdsUuids } from '../../sql/stored-uuids.ts';
import { quoteText } from '../../sql/standard-dialect.ts';

const UUID = '[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}';

/** An expression: a column with its UUIDs in lower case. Members keep their order, numbers their digits. */
export function lowerUuids(column: string, type: ValueType): string {
  if (type.kind === 'text') return `case when ${column} ~ '^${UUID}$' then lower(${column}) else ${column} end`;
  return lowerJson(`${column}::json`, type, 1);
}

/**
 * Writes the expression of a value inside JSON, as text.
 *
 * @param json an expression of the type `json`
 * @param depth makes the aliases of nested values different
 */
function lowerJson(json: string, type: ValueType, depth: number): string {
  if (!holdsUuids(type)) return `${json}::text`;
  const [inside, value] = [depth + 1, `${alias(depth)}.value`];
  if (type.kind === 'object') {
    const cases = type.members
      .filter((member) => holdsUuids(member.type))
      .map((member) => `when ${quoteText(member.name)} then ${lowerJson(value, member.type, inside)}`);
    return lowerMembers(json, depth, `case ${alias(depth)}.key ${cases.join(' ')} else ${value}::text end`);
  }
  if (type.kind === 'map') return lowerMembers(json, depth, lowerJson(value, type.value.type, inside));
  if (type.kind !== 'array') {
    return `case when ${json}::text ~ '^"${UUID}"$' then lower(${json}::text) else ${json}::text end`;
  }
  const items = `json_array_elements(${json}) with ordinality as ${alias(depth)}(value, at)`;
  const lowered = joined(lowerJson(value, type.item.type, inside), depth);
  return whereKind(json, 'array', `'[' || ${lowered} from ${items}`, `']'`);
}

/** @param value the expression of the value of a member */
function lowerMembers(json: string, depth: number, value: string): string {
  const name = alias(depth);
  const member = `to_json(${name}.key)::text || ':' || ${value}`;
  const members = `json_each(${json}) with ordinality as ${name}(key, value, at)`;
  return whereKind(json, 'object', `'{' || ${joined(member, depth)} from ${members}`, `'}'`);
}

/** Applies to values of one kind: null, and values of another type, stay as they are. */
function whereKind(json: string, kind: 'object' | 'array', query: string, end: string): string {
  return `case when json_typeof(${json}) = '${kind}' then (select ${query}) || ${end} else ${json}::text end`;
}

function joined(expression: string, depth: number): string {
  return `coalesce(string_agg((${expression}), ',' order by ${alias(depth)}.at), '')`;
}

const alias = (depth: number): string => `"nested ${depth}"`;
