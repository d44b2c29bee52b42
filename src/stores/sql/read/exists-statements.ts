import { keyIds } from '../../../plan/row-address.ts';
import type { RowAddress, VisibleAncestor, VisibleReference } from '../../../plan/plan.ts';
import { visibleConditions } from '../../../plan/visibility.ts';
import { type Statement, BindParameters } from '../dialect.ts';
import type { Table, Tables } from '../tables.ts';
import { ancestorExists } from './ancestor-conditions.ts';
import { conditionContext } from './condition-context.ts';
import { filterConditions } from './conditions.ts';
import { compileFilter } from './filter.ts';

/** Reads for each ancestor if it exists and is visible, in the column `0` for the nearest one, `1` for the next. */
export function ancestorsStatement(tables: Tables, within: readonly VisibleAncestor[]): Statement {
  const parameters = new BindParameters(tables.dialect);
  const exist = within.map(
    (_, level) => `${ancestorExists(tables, within, level, parameters)} as ${tables.dialect.quote(String(level))}`,
  );
  return { text: `select ${exist.join(', ')}`, values: parameters.values };
}

/** Reads a row where the ancestor at a level (0 for the nearest) exists below the one above it. */
export function ancestorStatement(tables: Tables, within: readonly VisibleAncestor[], level: number): Statement {
  const parameters = new BindParameters(tables.dialect);
  return { text: `select 1 where ${ancestorExists(tables, within, level, parameters)}`, values: parameters.values };
}

/** Reads a row where a row exists and is visible. */
export function rowExistsStatement(tables: Tables, reference: VisibleReference): Statement {
  const table = tables.of(reference.resource);
  const parameters = new BindParameters(tables.dialect);
  const conditions = [
    hasKey(table, reference, parameters),
    ...filterConditions(
      conditionContext(tables, table, parameters),
      compileFilter(table, [], visibleConditions(reference.visible)),
    ),
  ];
  return { text: `select 1 from ${table.source} where ${conditions.join(' and ')}`, values: parameters.values };
}

/** A condition: a row is the one with an address. */
export function hasKey(table: Table, address: RowAddress, parameters: BindParameters): string {
  const ids = table.encodeKey(keyIds(table.resource, address));
  return table.key.map((name, index) => `${table.column(name)} = ${parameters.add(ids[index] ?? null)}`).join(' and ');
}
