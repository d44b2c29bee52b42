import type { CreatePlan, DeletePlan, DetachPlan, RowPlan, UpdatePlan } from '../../../plan/plan.ts';
import { memoize, weakMemoize } from '../../../cache/memoize.ts';
import { linkFields, linkTable, referenceFields } from '../columns.ts';
import { type Dialect, BindParameters, type Statement } from '../dialect.ts';
import { rowExistsStatement } from '../read/read-statements.ts';
import type { Table, Tables } from '../tables.ts';

/** Inserts the row of a create plan. The text depends on the resource alone. */
export function insertStatement(tables: Tables, plan: CreatePlan, revision: number): Statement {
  const table = tables.of(plan.resource);
  const { id, at, updatedAt = at } = plan;
  const system: Record<string, string | number> = { id, created_at: at, updated_at: updatedAt, revision };
  const values = table.columns.map(({ name }) => table.encode(name, system[name] ?? plan.values[name]));
  return { text: insertText(table), values };
}

const insertText = weakMemoize((table: Table): string => {
  const { dialect, columns } = table;
  const names = columns.map(({ name }) => dialect.quote(name)).join(', ');
  const places = columns.map((_, index) => dialect.placeholder(index + 1)).join(', ');
  return `insert into ${table.name} (${names}) values (${places})`;
});

/**
 * Updates the row of a plan if it still has the expected revision, which the same statement compares (CACHE-3).
 *
 * @param revision the new revision
 */
export function updateStatement(
  tables: Tables,
  plan: UpdatePlan | DetachPlan,
  expected: number,
  revision: number,
): Statement {
  const table = tables.of(plan.resource);
  const names = Object.keys(plan.values);
  const values = names.map((name) => table.encode(name, plan.values[name]));
  values.push(table.encode('updated_at', plan.at), revision, plan.id, expected);
  return { text: updateText(table)(names.join(SEPARATOR)), values };
}

/** Characters of column names whose statements are memoized: clients choose which columns a PATCH changes. */
const MAX_MEMOIZED = 262_144;
/** No column name contains it. */
const SEPARATOR = ',';

const updateText = weakMemoize((table: Table) => {
  const { dialect } = table;
  return memoize((columns) => {
    const names = columns === '' ? [] : columns.split(SEPARATOR);
    const assigned = equalities(dialect, [...names, 'updated_at', 'revision'], 1);
    const found = equalities(dialect, FOUND_BY, assigned.length + 1);
    return `update ${table.name} set ${assigned.join(', ')} where ${found.join(' and ')}`;
  }, MAX_MEMOIZED);
});

/** Deletes the row of a plan if it still has the expected revision (CACHE-3). */
export function deleteStatement(tables: Tables, plan: DeletePlan, expected: number): Statement {
  const { name, dialect } = tables.of(plan.resource);
  const found = equalities(dialect, FOUND_BY, 1);
  return { text: `delete from ${name} where ${found.join(' and ')}`, values: [plan.id, expected] };
}

/** The columns that identify a row with the expected revision. */
const FOUND_BY = ['id', 'revision'];

/** `"name" = ?` for each of the columns. @param first the position of the first value, starting at 1 */
function equalities(dialect: Dialect, columns: readonly string[], first: number): readonly string[] {
  return columns.map((name, index) => `${dialect.quote(name)} = ${dialect.placeholder(first + index)}`);
}

/** A reference that a plan writes, under its dotted path: `supplier_id`, `related_ids[2]`. */
interface WrittenReference {
  readonly path: string;
  readonly resource: string;
  readonly id: string;
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** All references that a plan writes, in the order of the fields. */
export function writtenReferences(tables: Tables, plan: RowPlan): readonly WrittenReference[] {
  const { resource } = tables.of(plan.resource);
  const single = referenceFields(resource).map(({ field, target }) => ({
    path: field,
    resource: target,
    id: plan.values[field],
  }));
  const many = linkFields(resource).flatMap(({ field, target }) =>
    items(plan.values[field]).map((id, index) => ({ path: `${field}[${index}]`, resource: target, id })),
  );
  return [...single, ...many].flatMap(({ path, resource: target, id }) =>
    typeof id === 'string' ? [{ path, resource: target, id }] : [],
  );
}

/**
 * Updates the link tables to the arrays of references of a plan, so that foreign keys guard these references too. A repeated item is linked
 * once.
 */
export function linkStatements(tables: Tables, plan: RowPlan): readonly Statement[] {
  const { dialect } = tables;
  return linkFields(tables.of(plan.resource).resource).flatMap(({ field }) => {
    const targets = plan.values[field];
    if (targets === undefined) return [];
    const links = dialect.quote(linkTable(plan.resource, field));
    const [owner, target] = [dialect.quote('owner'), dialect.quote('target')];
    const places = `${dialect.placeholder(1)}, ${dialect.placeholder(2)}`;
    const cleared: Statement[] =
      plan.kind === 'create'
        ? []
        : [{ text: `delete from ${links} where ${owner} = ${dialect.placeholder(1)}`, values: [plan.id] }];
    const added = items(targets).flatMap((id): Statement[] =>
      typeof id === 'string'
        ? [
            {
              text: `insert into ${links} (${owner}, ${target}) values (${places}) on conflict do nothing`,
              values: [plan.id, id],
            },
          ]
        : [],
    );
    return [...cleared, ...added];
  });
}

/** Reads a row if another row has the plan's values in all of the fields. NULL is not equal to NULL. */
function takenStatement(table: Table, plan: RowPlan, fields: readonly string[]): Statement {
  const { quote } = table.dialect;
  const parameters = new BindParameters(table.dialect);
  const same = fields.map((field) => {
    const value = plan.values[field];
    if (value !== undefined) return `${table.column(field)} = ${parameters.add(table.encode(field, value))}`;
    const kept = `select kept.${quote(field)} from ${table.name} as kept where kept.${quote('id')} = ${parameters.add(plan.id)}`;
    return `${table.column(field)} = (${kept})`;
  });
  const other = `${table.column('id')} <> ${parameters.add(plan.id)}`;
  return { text: `select 1 from ${table.name} where ${same.join(' and ')} and ${other}`, values: parameters.values };
}

/** A conflict of a plan, and the statement that reads a row if it exists. */
export interface ConflictProbe {
  /** The fields that are unique together; null for the id. */
  readonly fields: readonly string[] | null;
  readonly statement: Statement;
}

/**
 * The statements that find out which constraint a plan violates, in the order of the model: databases report any of several violations, each with
 * its own messages, and responses must be the same on all (OPS-4, MET-10).
 */
export function conflictProbes(tables: Tables, plan: RowPlan): readonly ConflictProbe[] {
  const table = tables.of(plan.resource);
  const uniques = table.resource.uniques
    .filter((fields) => plan.kind === 'create' || fields.some((field) => plan.values[field] !== undefined))
    .map((fields) => ({ fields, statement: takenStatement(table, plan, fields) }));
  const id = { fields: null, statement: rowExistsStatement(tables, plan.resource, plan.id) };
  return plan.kind === 'create' ? [id, ...uniques] : uniques;
}
