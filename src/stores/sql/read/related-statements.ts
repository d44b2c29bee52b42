import type { SortKey, ValueType } from '../../../model/model.ts';
import { referringMembers } from '../../../model/row-key.ts';
import type {
  Ancestor,
  LocatedRow,
  LookupPlan,
  RelatedPlan,
  RelatedRows,
  RowAddress,
  Visibility,
} from '../../../plan/plan.ts';
import { visibleConditions } from '../../../plan/visibility.ts';
import { keyIds } from '../../../plan/row-address.ts';
import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import { runSteps, type Steps } from '../../../platform/time-slices.ts';
import { type AncestorId, ancestorIds } from '../ancestor-ids.ts';
import {
  type DeadlineChecks,
  BindParameters,
  type Encode,
  type KeyRows,
  type SqlRow,
  type Statement,
} from '../dialect.ts';
import { orderByKey } from '../existing/existing-table.ts';
import { conditionContext, type ConditionContext } from './condition-context.ts';
import { filterConditions } from './conditions.ts';
import { compileFilter } from './filter.ts';
import { typedKeyRows } from './key-rows.ts';
import { deadlineCheck, orderBy } from './read-statements.ts';
import type { Table, Tables } from '../tables.ts';
import { RowsTooLarge } from '../../store.ts';
import { sizeOfAll } from './size-bound.ts';

/** No member of a row has these names. */
const OWNER = 'the owner';
const ancestorColumn = (level: number): string => `the ancestor ${level}`;

/** The levels above the rows of a table, nearest first. */
function listLevels({ context }: Tables, table: Table): readonly AncestorId[] {
  return ancestorIds(context, table.resource, (name) => table.column(name));
}

/** The selected columns of a row and the ids above it. */
function located(tables: Tables, table: Table): string {
  const ids = listLevels(tables, table).map(
    ({ id }, level) => `${id} as ${table.dialect.quote(ancestorColumn(level))}`,
  );
  return [table.selection(), ...ids].join(', ');
}

/** Rows of a driver, and the order that they were read in. */
interface OrderedReads {
  readonly reads: readonly SqlRow[];
  /** Absent where they are in any order. */
  readonly order?: readonly SortKey[];
}

/** The rows of a driver, with the ids above them. */
function* locatedRows(tables: Tables, table: Table, { reads, order }: OrderedReads): Steps<readonly LocatedRow[]> {
  const levels = listLevels(tables, table);
  const rows: LocatedRow[] = [];
  for (const read of reads) {
    const { own, within } = splitLevels(tables, levels, read);
    rows.push({ row: table.decode(own, order), within });
    yield;
  }
  return rows;
}

/** Splits the row of a driver into its own values and the ids above it. */
function splitLevels(
  tables: Tables,
  levels: readonly AncestorId[],
  read: SqlRow,
): { readonly own: SqlRow; readonly within: readonly Ancestor[] } {
  const within = levels.map(({ resource }, level): Ancestor => {
    return { resource, id: tables.of(resource).decodeId(read[ancestorColumn(level)]) };
  });
  const other = new Set([OWNER, ...levels.map((_, level) => ancestorColumn(level))]);
  return { own: Object.fromEntries(Object.entries(read).filter(([name]) => !other.has(name))), within };
}

/** Reads the rows with given keys. The text does not depend on their number. */
export function lookupStatement(tables: Tables, plan: LookupPlan): Statement {
  const table = tables.of(plan.resource);
  const parameters = new BindParameters(tables.dialect);
  const keys = plan.rows.map((address) => table.encodeKey(keyIds(table.resource, address)));
  const { source, ids } = typedKeyRows(table, keys, 'one id', parameters);
  const selection = located(tables, table);
  const listed = `${table.keyExpression} in (select ${ids.join(', ')} from ${source})`;
  const conditions = [listed, ...visible(conditionContext(tables, table, parameters), plan.visible)];
  return {
    text: `select ${selection} from ${table.source} where ${conditions.join(' and ')}`,
    values: parameters.values,
    ...boundSize(table, plan.maxSize),
  };
}

/** The conditions on visible rows. */
function visible(context: ConditionContext, visibility: Visibility): readonly string[] {
  return filterConditions(context, compileFilter(context.table, [], visibleConditions(visibility)));
}

/** The bound of a statement that fails where its rows are too large. */
function boundSize(table: Table, size: number | undefined): Pick<Statement, 'bound'> {
  return size === undefined ? {} : { bound: { columns: table.sized(), size, guarded: false } };
}

/** @throws {RowsTooLarge} */
function checkSize(table: Table, reads: readonly SqlRow[], maxSize: number | undefined): void {
  if (maxSize !== undefined && sizeOfAll(reads, table.sized()) > maxSize) {
    throw new RowsTooLarge(`The rows have more than ${maxSize} characters`);
  }
}

/** The rows of a lookup statement; large rows are decoded in time slices. @throws {RowsTooLarge} */
export function lookupRows(
  tables: Tables,
  plan: LookupPlan,
  reads: readonly SqlRow[],
): MaybePromise<readonly LocatedRow[]> {
  const table = tables.of(plan.resource);
  checkSize(table, reads, plan.maxSize);
  return runSteps(locatedRows(tables, table, { reads }));
}

/**
 * Reads for each of the owners the first rows that refer to it, or that it refers to, and one more. Each owner has a
 * subquery with a limit. With an index on the field and then the order, an owner with a million rows costs no more than
 * one with twenty. In any other order, and for an array field, all rows of an owner are collected and sorted. The
 * statement must then check its deadline.
 */
export function relatedStatement(tables: Tables, plan: RelatedPlan, checks: DeadlineChecks = 'never'): Statement {
  const table = tables.of(plan.resource);
  const { dialect } = tables;
  const parameters = new BindParameters(dialect);
  const owner = ownerRows(tables, plan, parameters);
  const deadline = deadlineCheck(table.dialect, checks);
  const conditions = [
    ...deadline.row,
    ...ownedRows(tables, plan, owner.ids, deadline.found),
    ...visible(conditionContext(tables, table, parameters, deadline), plan.visible),
  ];
  // The rows of one owner may lie below several parents, where the order of a collection is not total.
  const columns = plan.ownedBy === undefined ? referringMembers(table.resource, plan.field) : [];
  const keyed = orderByKey(table, { order: plan.order, after: null });
  const ordered = [...columns, ...keyed.order.map(({ path }) => path)];
  const others = table.key.slice(1).filter((name) => !ordered.includes(name));
  const order = orderBy(table, [...keyed.order, ...others.map((path) => ({ path, descending: false }))]);
  const key = table.key.map((name) => table.column(name));
  const ids = `select ${key.join(', ')} from ${table.source} where ${conditions.join(' and ')}${order} limit ${parameters.add(plan.limit + 1)}`;
  const selection = `${owner.position} as ${dialect.quote(OWNER)}, ${located(tables, table)}`;
  return {
    text: `select ${selection} from ${owner.source} ${dialect.joinEach(ids, table.source, key)}${order}`,
    values: parameters.values,
    ...boundSize(table, withFurtherRows(plan)),
  };
}

/** Reads the positions of the owners that a row refers to. */
export function referredStatement(tables: Tables, plan: RelatedOwners): Statement {
  const table = tables.of(plan.resource);
  const parameters = new BindParameters(tables.dialect);
  const owner = ownerRows(tables, plan, parameters);
  const conditions = ownedRows(tables, plan, owner.ids, null);
  const exists = `select 1 from ${table.source} where ${conditions.join(' and ')}`;
  const text = `select ${owner.position} as ${tables.dialect.quote(OWNER)} from ${owner.source} where exists (${exists})`;
  return { text, values: parameters.values };
}

/** The keys of owners as rows of a statement. */
function ownerRows(tables: Tables, plan: RelatedOwners, parameters: BindParameters): KeyRows {
  const holders = ownerForms(tables, plan);
  const keys = distinctOwners(holders.length, plan).map((key) => key.map((id, at) => holders[at]?.encode(id) ?? null));
  return tables.dialect.keyRows(keys, { alias: 'one owner', types: holders.map(({ type }) => type) }, parameters);
}

/** The bound with the row more that each owner has. */
function withFurtherRows({ maxSize }: RelatedPlan): number | undefined {
  return maxSize === undefined ? undefined : 2 * maxSize;
}

/** Owners, and the field by which they are related. */
type RelatedOwners = Pick<RelatedPlan, 'resource' | 'field' | 'ownedBy' | 'owners'>;

/** The form of an id that identifies an owner. */
interface OwnerIdForm {
  readonly type: ValueType;
  readonly encode: Encode;
}

/** The forms of the ids that identify an owner: those that referring rows hold, or its key. */
function ownerForms(tables: Tables, { resource, field, ownedBy }: RelatedOwners): readonly OwnerIdForm[] {
  const { dialect } = tables;
  if (ownedBy !== undefined) return tables.of(ownedBy).keyTypes.map((type) => ({ type, encode: dialect.encode(type) }));
  const table = tables.of(resource);
  return referringMembers(table.resource, field).map((name) => {
    const { type, encode } = table.operand(name);
    return type.kind === 'array' ? { type: type.item.type, encode: dialect.encode(type.item.type) } : { type, encode };
  });
}

/**
 * The conditions on the rows of one owner.
 *
 * @param ids the expressions of its key
 * @param found checks the deadline at each row of a link table
 */
function ownedRows(
  tables: Tables,
  { resource, field, ownedBy }: RelatedOwners,
  ids: readonly string[],
  found: string | null,
): readonly string[] {
  const table = tables.of(resource);
  if (ownedBy !== undefined)
    return [`${table.keyExpression} in (${selectItemTargets(tables.of(ownedBy), field, ids)})`];
  return referringMembers(table.resource, field).map((name, at) => {
    const id = ids[at] ?? '';
    const isArray = table.operand(name).type.kind === 'array';
    return isArray ? table.membership(name).condition(id, found) : `${table.column(name)} = ${table.typed(name, id)}`;
  });
}

/** The keys that are in the array of one row. @param ids the expressions of its key */
function selectItemTargets(owners: Table, field: string, ids: readonly string[]): string {
  const links = owners.links(field);
  if (links === null) throw new Error(`The plan reads the rows of ${field}, which is no array of references`);
  const own = links.owner.map((column, at) => `${column} = ${ids[at] ?? ''}`).join(' and ');
  return `select ${links.target.join(', ')} from ${links.name} where ${own}`;
}

/** The part of an owner's key that referring rows hold. */
function heldKey(width: number, { id, within }: RowAddress): readonly string[] {
  return [id, ...within.map((ancestor) => ancestor.id)].slice(0, width);
}

/** The keys of the owners, each once. */
function distinctOwners(width: number, { owners }: RelatedOwners): readonly (readonly string[])[] {
  return [...new Map(owners.map((owner) => heldKey(width, owner)).map((key) => [JSON.stringify(key), key])).values()];
}

/**
 * The rows of a related statement for each of the owners, in the order of the plan, decoded like those of a lookup.
 *
 * @throws {RowsTooLarge}
 */
export async function relatedRows(
  tables: Tables,
  plan: RelatedPlan,
  reads: readonly SqlRow[],
): Promise<readonly RelatedRows[]> {
  const table = tables.of(plan.resource);
  checkSize(table, reads, withFurtherRows(plan));
  const byPosition = Map.groupBy(reads, (read) => Number(read[OWNER]));
  const first = [...byPosition.values()].flatMap((owned) => owned.slice(0, plan.limit));
  checkSize(table, first, plan.maxSize);
  const all = await runSteps(locatedRows(tables, table, { reads: first, order: plan.order }));
  let start = 0;
  const found = new Map<number, RelatedRows>();
  for (const [position, { length }] of byPosition) {
    const end = start + Math.min(length, plan.limit);
    found.set(position, { rows: all.slice(start, end), more: length > plan.limit });
    start = end;
  }
  return ofEachOwner(ownerForms(tables, plan).length, plan, found);
}

/** @param found by the position of a distinct owner */
function ofEachOwner(
  width: number,
  plan: RelatedPlan,
  found: ReadonlyMap<number, RelatedRows>,
): readonly RelatedRows[] {
  const positions = new Map(distinctOwners(width, plan).map((key, position) => [JSON.stringify(key), position]));
  return plan.owners.map((owner) => {
    const position = positions.get(JSON.stringify(heldKey(width, owner)));
    return found.get(position ?? -1) ?? { rows: [], more: false };
  });
}
