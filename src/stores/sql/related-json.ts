import { weakMemoize } from '../../cache/memoize.ts';
import { referringMembers } from '../../model/row-key.ts';
import { type ReferenceKeys, type RelatedFields, relatedMember } from '../../plan/related-values.ts';
import { hasAnyLength, typeAt } from './columns.ts';
import type { BindParameters } from './dialect.ts';
import type { Table, Tables } from './tables.ts';

/**
 * Bytes of a recorded value of a related row. A longer one is left out: it is a part of every event of the rows that
 * lead to it.
 */
const MAX_VALUE = 16_384;

/**
 * An expression: the recorded values of the rows that references of a row lead to, as members of a JSON object, each
 * after a comma. A row that is not there (any more) is left out, as an unset reference is not: nothing is known of it.
 */
export function relatedMembers(
  tables: Tables,
  related: readonly RelatedFields[],
  keys: ReferenceKeys,
  parameters: BindParameters,
): string {
  const members = related.flatMap((each): readonly string[] => {
    const key = keys[each.field];
    if (key === undefined) return [];
    const name = memberName(tables, each);
    if (key === null) return [`${name} || 'null'`];
    const table = tables.of(each.resource);
    const ids = table.encodeKey(key);
    const found = table.key.map((column, at) => `${table.column(column)} = ${parameters.add(ids[at] ?? null)}`);
    return [rowMember(name, rowQuery(tables)(table)(each), found)];
  });
  return concatenate(members);
}

function concatenate(members: readonly string[]): string {
  return members.length === 0 ? `''` : members.join(' || ');
}

/** An expression: a JSON object of members that each follow a comma. */
export function wrapObject(members: string): string {
  return `'{' || substr(${members}, 2) || '}'`;
}

/** The query of the recorded values of the rows of a table, without its conditions. */
const rowQuery = weakMemoize((tables: Tables) =>
  weakMemoize((table: Table) =>
    weakMemoize(({ fields, related }: RelatedFields): string => {
      const own = fields.map((name) => fieldMember(table, name));
      const others = related.map((each) => referenceMember(tables, table, each));
      return `select ${wrapObject(concatenate([...own, ...others]))} from ${table.source}`;
    }),
  ),
);

function fieldMember(table: Table, name: string): string {
  const { dialect, columns } = table;
  const type = typeAt(columns, [name]);
  const column = table.column(name);
  const member = `${memberLiteral(table, name)} || coalesce(${dialect.json(column, type)}, 'null')`;
  return hasAnyLength(type) ? `case when octet_length(${column}) > ${MAX_VALUE} then '' else ${member} end` : member;
}

/** The row that a reference of a related row leads to. */
function referenceMember(tables: Tables, from: Table, each: RelatedFields): string {
  const table = tables.related(each.resource, from);
  const columns = referringMembers(from.resource, each.field).slice(0, table.key.length);
  const found = columns.map((name, at) => `${table.column(table.key[at] ?? '')} = ${from.column(name)}`);
  const name = memberName(tables, each);
  const member = rowMember(name, rowQuery(tables)(table)(each), found);
  return `case when ${from.column(each.field)} is null then ${name} || 'null' else ${member} end`;
}

function rowMember(name: string, query: string, found: readonly string[]): string {
  return `coalesce(${name} || (${query} where ${found.join(' and ')}), '')`;
}

function memberName(tables: Tables, { field }: RelatedFields): string {
  return memberLiteral(tables, relatedMember(field));
}

/** The name of a member with the comma before it, as a literal. */
function memberLiteral({ dialect }: Pick<Tables, 'dialect'>, name: string): string {
  return dialect.literal(`,${JSON.stringify(name)}:`);
}
