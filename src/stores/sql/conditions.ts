import type { Ancestor, Condition } from '../../plan/plan.ts';
import type { Parameters, SqlValue } from './dialect.ts';
import type { Table, Tables } from './tables.ts';

/** Holds for no row. */
const NEVER = '1 = 0';

function anyOf(table: Table, { path, values }: Condition & { operator: 'in' }, parameters: Parameters): string {
  const { expression, encode } = table.operand(path);
  const encoded = values.flatMap((value): SqlValue[] => {
    const each = value === null ? undefined : encode(value);
    return each === undefined ? [] : [each];
  });
  const alternatives: string[] = [];
  if (encoded.length === 1) alternatives.push(`${expression} = ${encoded.map((each) => parameters.add(each)).join()}`);
  if (encoded.length > 1) {
    alternatives.push(`${expression} in (${encoded.map((each) => parameters.add(each)).join(', ')})`);
  }
  if (values.includes(null)) alternatives.push(`${expression} is null`);
  if (alternatives.length === 0) return NEVER;
  return alternatives.length === 1 ? alternatives.join() : `(${alternatives.join(' or ')})`;
}

/** One comparison of a plan. A value that the column could never hold equals no row's (QRY-7). */
export function condition(table: Table, comparison: Condition, parameters: Parameters): string {
  switch (comparison.operator) {
    case 'in':
      return anyOf(table, comparison, parameters);
    case 'contains': {
      const membership = table.membership(comparison.path);
      const encoded = comparison.value === null ? undefined : membership.encode(comparison.value);
      return encoded === undefined ? NEVER : membership.condition(parameters.add(encoded));
    }
  }
}

/** The field that holds the id of a resource's parent. @throws {Error} where the plan walks up from a resource without one */
function parentField(table: Table): string {
  if (table.resource.parent === null)
    throw new Error(`The plan puts ${table.resource.name} below a parent; it has none`);
  return table.resource.parent.field;
}

/** That the row of an ancestor stands, below the ancestor after it where the plan names one (URL-7). */
export function ancestorStands(
  tables: Tables,
  within: readonly Ancestor[],
  index: number,
  parameters: Parameters,
): string {
  const [ancestor, above] = within.slice(index, index + 2);
  if (ancestor === undefined) throw new RangeError('The path has no such ancestor');
  const table = tables.of(ancestor.resource);
  const conditions = [`${table.column('id')} = ${parameters.add(ancestor.id)}`];
  if (above !== undefined) conditions.push(`${table.column(parentField(table))} = ${parameters.add(above.id)}`);
  return `exists (select 1 from ${table.name} where ${conditions.join(' and ')})`;
}

/** That rows sit below the ancestors that the path names: the nearest holds by the row's own field, the chain above it by itself. */
export function belowAncestors(
  tables: Tables,
  table: Table,
  within: readonly Ancestor[],
  parameters: Parameters,
): string[] {
  const [nearest] = within;
  if (nearest === undefined) return [];
  const own = `${table.column(parentField(table))} = ${parameters.add(nearest.id)}`;
  const chain = within.slice(0, -1).map((_, index) => ancestorStands(tables, within, index, parameters));
  return [own, ...chain];
}
