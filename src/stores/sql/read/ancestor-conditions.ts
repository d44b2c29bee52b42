import type { PathCondition } from '../../../plan/condition.ts';
import type { Ancestor, VisibleAncestor } from '../../../plan/plan.ts';
import { visibleConditions } from '../../../plan/visibility.ts';
import type { BindParameters } from '../dialect.ts';
import type { Table, Tables } from '../tables.ts';
import { conditionContext } from './condition-context.ts';
import { filterConditions } from './conditions.ts';
import { compileFilter } from './filter.ts';

/**
 * The columns that hold the key of a row's parent, each with the id that a path names; none for a path without
 * ancestors.
 *
 * @throws {Error} where the resource has no parent, or the path names too few ancestors
 */
function parentIds(
  { resource }: Table,
  within: readonly Ancestor[],
): readonly (readonly [column: string, id: string])[] {
  if (within.length === 0) return [];
  if (resource.parent === null) throw new Error(`${resource.name} has no parent, but the plan names one`);
  return resource.parentKey.map((column, level) => {
    const id = within[level]?.id;
    if (id === undefined) throw new Error(`The plan names too few of the rows above ${resource.name}`);
    return [column, id];
  });
}

/** A condition: an ancestor exists, is visible, and is below the next one where the plan names it (URL-7). */
export function ancestorExists(
  tables: Tables,
  within: readonly VisibleAncestor[],
  index: number,
  parameters: BindParameters,
): string {
  const [ancestor, ...above] = within.slice(index);
  if (ancestor === undefined) throw new RangeError(`The path has no ancestor ${index}`);
  const table = tables.of(ancestor.resource);
  const conditions = [`${table.column('id')} = ${parameters.add(table.encodeId('id', ancestor.id))}`];
  for (const [level, id] of parentIds(table, above)) {
    conditions.push(`${table.column(level)} = ${parameters.add(table.encodeId(level, id))}`);
  }
  const visible = compileFilter(table, [], visibleConditions(ancestor.visible));
  conditions.push(...filterConditions(conditionContext(tables, table, parameters), visible));
  return `exists (select 1 from ${table.source} where ${conditions.join(' and ')})`;
}

/** The conditions on rows below a path: their columns hold the key of the nearest ancestor. */
export function belowParent(table: Table, within: readonly Ancestor[]): readonly PathCondition[] {
  return parentIds(table, within).map(([path, id]) => ({ path, operator: 'in', values: [id] }));
}

/**
 * Conditions: each ancestor of a path is visible and below the next. Rows below the nearest ancestor prove that the
 * outermost one exists.
 */
export function ancestorChain(
  tables: Tables,
  within: readonly VisibleAncestor[],
  parameters: BindParameters,
): readonly string[] {
  return within.flatMap(({ visible }, index) => {
    const isProven = index === within.length - 1 && visible.kind === 'everything';
    return isProven ? [] : [ancestorExists(tables, within, index, parameters)];
  });
}
