import type { Ancestor, LocatedRow, LookupPlan, RelatedPlan, RelatedRows } from '../../../plan/plan.ts';
import { type DeadlineChecks, BindParameters, type SqlRow, type Statement } from '../dialect.ts';
import { deadlineConditions, orderBy } from './read-statements.ts';
import type { Table, Tables } from '../tables.ts';

/** No field name has a space. */
const OWNER = 'the owner';
const ancestorColumn = (level: number): string => `above ${level}`;

/** A resource above another one, and the expression of its row's id in a query of the lower one. */
interface AncestorLevel {
  readonly resource: string;
  readonly id: string;
}

/** The levels above the rows of a table, nearest first: a field of the row holds the parent's id, the parent's row the id above it. */
function ancestorLevels(tables: Tables, table: Table): readonly AncestorLevel[] {
  const chain: AncestorLevel[] = [];
  let lower = table;
  for (let { parent } = table.resource; parent !== null; parent = lower.resource.parent) {
    const field = lower.column(parent.field);
    const below = chain.at(-1);
    const id =
      below === undefined ? field : `(select ${field} from ${lower.name} where ${lower.column('id')} = ${below.id})`;
    chain.push({ resource: parent.resource, id });
    lower = tables.of(parent.resource);
  }
  return chain;
}

/** The selected columns of a row and the ids above it. */
function located(tables: Tables, table: Table): string {
  const chain = ancestorLevels(tables, table).map(
    ({ id }, level) => `${id} as ${table.dialect.quote(ancestorColumn(level))}`,
  );
  return [table.selection(), ...chain].join(', ');
}

/** The row of a driver, with the ids above it. */
function locatedRow(table: Table, chain: readonly AncestorLevel[], read: SqlRow): LocatedRow {
  const within = chain.map(({ resource }, level): Ancestor => ({ resource, id: String(read[ancestorColumn(level)]) }));
  const own = Object.entries(read).filter(([name]) => !name.includes(' '));
  return { row: table.decode(Object.fromEntries(own)), within };
}

/** Reads the rows with given ids. The text does not depend on their number. */
export function lookupStatement(tables: Tables, plan: LookupPlan): Statement {
  const table = tables.of(plan.resource);
  const { dialect } = tables;
  const parameters = new BindParameters(dialect);
  const of = dialect.quote('one id');
  const ids = `select ${of}.value from ${dialect.textRows(parameters.add(JSON.stringify(plan.ids)))} as ${of}`;
  const selection = located(tables, table);
  return {
    text: `select ${selection} from ${table.name} where ${table.column('id')} in (${ids})`,
    values: parameters.values,
  };
}

/** The rows of a lookup statement. */
export function lookupRows(tables: Tables, plan: LookupPlan, reads: readonly SqlRow[]): readonly LocatedRow[] {
  const table = tables.of(plan.resource);
  const chain = ancestorLevels(tables, table);
  return reads.map((read) => locatedRow(table, chain, read));
}

/**
 * Reads for each of the owners the first rows that refer to it, and one more. Each owner has a subquery with a limit: with an index on the field
 * and then the order, an owner with a million rows costs no more than one with twenty. In any other order, and for a field that is an array, all
 * rows that refer to an owner are collected and sorted: the statement must check its deadline.
 */
export function relatedStatement(tables: Tables, plan: RelatedPlan, checks: DeadlineChecks = 'never'): Statement {
  const table = tables.of(plan.resource);
  const { dialect } = tables;
  const parameters = new BindParameters(dialect);
  const of = dialect.quote('one owner');
  const owner = `${of}.value`;
  const owners = `${dialect.textRows(parameters.add(JSON.stringify([...new Set(plan.owners)])))} as ${of}`;
  const { type, expression } = table.operand(plan.field);
  const { row, found } = deadlineConditions(dialect, checks);
  const isArray = type.kind === 'array';
  const refers = isArray ? table.membership(plan.field).condition(owner, found) : `${expression} = ${owner}`;
  const order = orderBy(table, plan.order);
  const id = table.column('id');
  const ids = `select ${id} from ${table.name} where ${[...row, refers].join(' and ')}${order} limit ${parameters.add(plan.limit + 1)}`;
  const selection = `${owner} as ${dialect.quote(OWNER)}, ${located(tables, table)}`;
  return {
    text: `select ${selection} from ${owners} ${dialect.joinEach(ids, table.name, id)}${order}`,
    values: parameters.values,
  };
}

/** The rows of a related statement by owner, in the order of the plan. */
export function relatedRows(
  tables: Tables,
  plan: RelatedPlan,
  reads: readonly SqlRow[],
): ReadonlyMap<string, RelatedRows> {
  const table = tables.of(plan.resource);
  const chain = ancestorLevels(tables, table);
  const byOwner = Map.groupBy(reads, (read) => String(read[OWNER]));
  return new Map(
    [...byOwner].map(([owner, owned]) => {
      const rows = owned.slice(0, plan.limit).map((read) => locatedRow(table, chain, read));
      return [owner, { rows, more: owned.length > plan.limit }];
    }),
  );
}
