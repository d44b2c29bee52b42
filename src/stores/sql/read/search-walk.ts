import { isUnindexed } from '../../../plan/list/effort.ts';
import type { SearchCondition } from '../../../plan/condition.ts';
import type { ListPlan } from '../../../plan/plan.ts';
import { visibleConditions } from '../../../plan/visibility.ts';
import type { BindParameters, DeadlineChecks, Statement, WordTest } from '../dialect.ts';
import type { Table, Tables } from '../tables.ts';
import { listScan, listStatement, orderBy, rowConditions } from './read-statements.ts';

/** Matches up to which the index of words is read first: it takes about 0.1 s. */
const FEW_MATCHES = 20_000;

/** Rows in the order of the list of which the texts are compared before the index of words is read: some 0.02 s. */
const MAX_WALKED = 5_000;

/**
 * The statements of which exactly one reads the page; the others have no rows. A search collects all its matches, then
 * sorts them. If very many rows match, and an index serves the order, the first rows in that order contain a page of
 * matches. The texts of these rows are then compared instead. The database counts both before it decides (QRY-3).
 */
export function pageStatements(tables: Tables, plan: ListPlan, checks: DeadlineChecks): readonly Statement[] {
  const table = tables.of(plan.resource);
  const { wordTest } = table.dialect;
  const search = plan.filter.find((condition) => condition.operator === 'search');
  if (wordTest === null || search === undefined || !mayWalk(table, plan)) {
    return [listStatement(tables, plan, checks)];
  }
  const walk: SearchWalk = { tables, plan, checks, search, wordTest };
  const walks = (parameters: BindParameters): string => walkCondition(walk, parameters);
  const searches = (parameters: BindParameters): string => `not (${walks(parameters)})`;
  return [
    listStatement(tables, plan, checks, { readsTexts: true, condition: walks }),
    listStatement(tables, plan, checks, { readsTexts: false, condition: searches }),
  ];
}

/** A list that may be read in its order, comparing the texts of each row. */
interface SearchWalk {
  readonly tables: Tables;
  readonly plan: ListPlan;
  readonly checks: DeadlineChecks;
  readonly search: SearchCondition;
  readonly wordTest: WordTest;
}

/** True if an index serves the list without its search, and the page is near the start of the walk. */
function mayWalk({ resource }: Table, plan: ListPlan): boolean {
  const { within, order, visible, effort } = plan;
  if (effort !== 'unbounded' || lastRow(plan) > MAX_WALKED) return false;
  const filter = [...visibleConditions(visible), ...withoutSearch(plan)];
  return !isUnindexed(resource, within.length > 0, filter, order);
}

function withoutSearch({ filter }: ListPlan): ListPlan['filter'] {
  return filter.filter(({ operator }) => operator !== 'search');
}

/** The number of matches up to the end of the page, and one more, which shows if others follow. */
function lastRow({ window }: ListPlan): number {
  return window.limit + 1 + (window.kind === 'offset' ? window.offset : 0);
}

/** The condition: many rows match, and the first rows of the walk contain the whole page. */
function walkCondition({ tables, plan, checks, search, wordTest }: SearchWalk, parameters: BindParameters): string {
  const table = tables.of(plan.resource);
  const { resource, name, source } = table;
  const scan = listScan(table, { ...plan, filter: withoutSearch(plan) }, checks);
  const many = wordTest.matchesMoreThan(FEW_MATCHES, resource, search.words, parameters);
  const fields = new Set(resource.search.map((path) => table.column(path.split('.')[0] ?? path)));
  const conditions = [...rowConditions(tables, scan, parameters), ...first(scan.ranges, parameters)];
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  // The alias is the name of the table, so that the condition of the search reads the rows of the walk.
  const walked = `(select ${[...fields].join(', ')} from ${source}${where}${orderBy(table, scan.order)} limit ${MAX_WALKED}) as ${name}`;
  const matches = `select 1 from ${walked} where ${wordTest.holds(resource, search.words, parameters)}`;
  const rows = lastRow(plan);
  return `${many} and (select count(*) from (${matches} limit ${parameters.add(rows)}) as matches) = ${parameters.add(rows)}`;
}

/** The first of several consecutive ranges: if it has the page, the others are not read. */
function first([range]: ReturnType<typeof listScan>['ranges'], parameters: BindParameters): readonly string[] {
  return range === undefined ? [] : [range.condition(parameters)];
}
