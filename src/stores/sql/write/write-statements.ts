import type { ValueType } from '../../../model/model.ts';
import {
  type CreatePlan,
  type DeletePlan,
  type DetachPlan,
  EVERYTHING,
  type ReferencedRow,
  type UpdatePlan,
} from '../../../plan/plan.ts';
import { type RowPlan } from '../../../plan/write-unit.ts';
import { keyIds } from '../../../plan/row-address.ts';
import { memoize, weakMemoize } from '../../../cache/memoize.ts';
import { linkColumns, linkFields, linkTable, referenceFields, typeAt } from '../columns.ts';
import { type DerivedColumn, type Dialect, BindParameters, type SqlValue, type Statement } from '../dialect.ts';
import { hasKey, rowExistsStatement } from '../read/exists-statements.ts';
import type { Table, Tables } from '../tables.ts';

/** Inserts the row of a create plan. The text depends on the resource alone. */
export function insertStatement(tables: Tables, plan: CreatePlan, revision: number): Statement {
  const table = tables.of(plan.resource);
  const { id, at, updatedAt = at, within } = plan;
  const system: Record<string, string | number> = { id, created_at: at, updated_at: updatedAt, revision };
  for (const [level, name] of table.resource.parentKey.entries()) {
    const ancestor = within[level];
    if (level > 0 && ancestor !== undefined) system[name] = ancestor.id;
  }
  const values = table.columns.map(({ name }) => table.encode(name, system[name] ?? plan.values[name]));
  for (const { field, encode } of table.derived) values.push(encode(plan.values[field]));
  return { ...insertText(table), values };
}

/** The text of a statement for one row, and for many. */
type RowText = Pick<Statement, 'text' | 'many'>;

/** The expression of a value of a row by its position, starting at 1: a placeholder, or a column of arrays. */
type RowExpression = (position: number) => string;

/** The bound value of a derived column. */
const TEXT: ValueType = { kind: 'text', format: null };

const insertText = weakMemoize((table: Table): RowText => {
  const { dialect, columns, derived } = table;
  const names = [...columns, ...derived].map(({ name }) => dialect.quote(name)).join(', ');
  const values = (place: RowExpression): string => {
    const further = derived.map(({ expression }, index) => expression(place(columns.length + index + 1)));
    return [...columns.map((_, index) => place(index + 1)), ...further].join(', ');
  };
  const start = `insert into ${table.name} (${names})`;
  const text = `${start} values (${values(dialect.placeholder)})`;
  const { rowArrays } = dialect;
  if (rowArrays === null) return { text };
  const types = [...columns.map(({ type }) => type), ...derived.map(() => TEXT)];
  return { text, many: `${start} select ${values(rowArrays.value)} from ${rowArrays.source(types)}` };
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
  for (const { field, encode } of derivedFrom(table, names)) values.push(encode(plan.values[field]));
  values.push(
    table.encode('updated_at', plan.at),
    revision,
    ...table.encodeKey(keyIds(table.resource, plan)),
    expected,
  );
  return { ...updateText(table)(names.join(SEPARATOR)), values };
}

/** Characters of column names whose statements are memoized: clients choose which columns a PATCH changes. */
const MAX_MEMOIZED = 262_144;
/** No column name contains it. */
const SEPARATOR = ',';

const updateText = weakMemoize((table: Table) => {
  const { rowArrays, placeholder } = table.dialect;
  return memoize((columns): RowText => {
    const names = columns === '' ? [] : columns.split(SEPARATOR);
    const text = writeUpdateText(table, names, { place: placeholder, from: '' });
    if (rowArrays === null) return { text };
    const written = [
      ...names.map((name) => typeAt(table.columns, [name])),
      ...derivedFrom(table, names).map(() => TEXT),
    ];
    const system = [...CHANGED, ...foundBy(table)].map((name) => typeAt(table.columns, [name]));
    const from = ` from ${rowArrays.source([...written, ...system])}`;
    return { text, many: writeUpdateText(table, names, { place: rowArrays.value, from }) };
  }, MAX_MEMOIZED);
});

/** The columns that every update assigns. */
const CHANGED: readonly string[] = ['updated_at', 'revision'];

function writeUpdateText(
  table: Table,
  names: readonly string[],
  { place, from }: { readonly place: RowExpression; readonly from: string },
): string {
  const { quote } = table.dialect;
  const derived = derivedFrom(table, names);
  const writes = names.length + derived.length;
  const assigned = [
    ...names.map((name, index) => `${quote(name)} = ${place(index + 1)}`),
    ...derived.map(({ name, expression }, index) => `${quote(name)} = ${expression(place(names.length + index + 1))}`),
    ...CHANGED.map((name, index) => `${quote(name)} = ${place(writes + index + 1)}`),
  ];
  const found = foundBy(table).map((name, index) => `${table.column(name)} = ${place(assigned.length + index + 1)}`);
  return `update ${table.name} set ${assigned.join(', ')}${from} where ${found.join(' and ')}`;
}

/** The derived columns that follow from one of several fields. */
function derivedFrom({ derived }: Table, names: readonly string[]): readonly DerivedColumn[] {
  return derived.length === 0 ? derived : derived.filter(({ field }) => names.includes(field));
}

/** Deletes the row of a plan if it still has the expected revision (CACHE-3). */
export function deleteStatement(tables: Tables, plan: DeletePlan, expected: number): Statement {
  const table = tables.of(plan.resource);
  const found = equalities(table.dialect, foundBy(table), 1);
  const values = [...table.encodeKey(keyIds(table.resource, plan)), expected];
  return { text: `delete from ${table.name} where ${found.join(' and ')}`, values };
}

/** The columns that identify a row with the expected revision. */
function foundBy({ key }: Table): readonly string[] {
  return [...key, 'revision'];
}

/** `"name" = ?` for each of the columns. @param first the position of the first value, starting at 1 */
function equalities(dialect: Dialect, columns: readonly string[], first: number): readonly string[] {
  return columns.map((name, index) => `${dialect.quote(name)} = ${dialect.placeholder(first + index)}`);
}

/** A reference that a plan writes, under its dotted path: `supplier_id`, `related_ids[2]`. */
export interface WrittenReference extends ReferencedRow {
  readonly path: string;
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** All references that a plan writes, in the order of the fields. */
export function writtenReferences(tables: Tables, plan: RowPlan): readonly WrittenReference[] {
  const { resource } = tables.of(plan.resource);
  const { within } = plan;
  const single = referenceFields(resource).map(({ field, target }) => ({
    path: field,
    resource: target,
    id: plan.values[field],
    within: field === resource.parent?.field ? within.slice(1) : within,
  }));
  const many = linkFields(resource).flatMap(({ field, target }) =>
    items(plan.values[field]).map((id, index) => ({ path: `${field}[${index}]`, resource: target, id, within })),
  );
  return [...single, ...many].flatMap(({ id, ...reference }) => (typeof id === 'string' ? [{ ...reference, id }] : []));
}

/**
 * Updates the link tables to the arrays of references of a plan, so that foreign keys guard these references too. A
 * repeated item is linked once.
 */
export function linkStatements(tables: Tables, plan: RowPlan): readonly Statement[] {
  const owners = tables.of(plan.resource);
  const { resource } = owners;
  return linkFields(resource).flatMap(({ field, target }) => {
    const values = plan.values[field];
    if (values === undefined) return [];
    const targets = tables.of(target);
    const link = linkText({ owners, field, targets });
    const owner = owners.encodeKey(keyIds(resource, plan));
    const cleared: Statement[] = plan.kind === 'create' ? [] : [{ text: link.clear, values: owner }];
    const ids = new Set(items(values).filter((id) => typeof id === 'string'));
    const referred = [...ids].map((id) => targets.encodeKey(keyIds(targets.resource, { id, within: plan.within })));
    return referred.length === 0 ? cleared : [...cleared, link.add(owner, referred)];
  });
}

/** The text that clears the links of a row, and the statement that adds links of a row to others. */
interface LinkStatements {
  readonly clear: string;
  readonly add: (owner: readonly SqlValue[], referred: readonly (readonly SqlValue[])[]) => Statement;
}

/** The text that clears the links of a row, and the statement that adds all of them. */
function linkText({
  owners,
  field,
  targets,
}: {
  readonly owners: Table;
  readonly field: string;
  readonly targets: Table;
}): LinkStatements {
  const { dialect } = owners;
  const links = dialect.quote(linkTable(owners.resource.name, field));
  const owner = linkColumns('owner', owners.key.length);
  const names = [...owner, ...linkColumns('target', targets.key.length)].map(dialect.quote).join(', ');
  return {
    clear: `delete from ${links} where ${equalities(dialect, owner, 1).join(' and ')}`,
    add: (own, referred) => {
      const parameters = new BindParameters(dialect);
      const places = own.map((id, at) => dialect.cast(parameters.add(id), owners.keyTypes[at] ?? TEXT));
      const { source, ids } = dialect.keyRows(referred, { alias: 'one id', types: targets.keyTypes }, parameters);
      // SQLite reads `on conflict` after a table as a part of the join, unless there is a condition.
      const rows = `select ${[...places, ...ids].join(', ')} from ${source} where true`;
      return { text: `insert into ${links} (${names}) ${rows} on conflict do nothing`, values: parameters.values };
    },
  };
}

/** Reads a row if another row has the plan's values in all of the fields. NULL is not equal to NULL. */
function takenStatement(table: Table, plan: RowPlan, fields: readonly string[]): Statement {
  const { quote } = table.dialect;
  const parameters = new BindParameters(table.dialect);
  const ids = table.encodeKey(keyIds(table.resource, plan));
  const same = fields.map((field) => {
    const value = plan.values[field];
    if (value !== undefined) return `${table.column(field)} = ${parameters.add(table.encode(field, value))}`;
    const own = table.key.map((name, index) => `kept.${quote(name)} = ${parameters.add(ids[index] ?? null)}`);
    const kept = `select kept.${quote(field)} from ${table.rows} as kept where ${own.join(' and ')}`;
    return `${table.column(field)} = (${kept})`;
  });
  // No row has the id of a new one yet, which the database may make.
  const other = plan.kind === 'create' ? [] : [`not (${hasKey(table, plan, parameters)})`];
  const conditions = [...same, ...other].join(' and ');
  return { text: `select 1 from ${table.source} where ${conditions}`, values: parameters.values };
}

/** A conflict of a plan, and the statement that reads a row if it exists. */
export interface ConflictProbe {
  /** The fields that are unique together; null for the id. */
  readonly fields: readonly string[] | null;
  readonly statement: Statement;
}

/**
 * Makes the statements that find the constraint that a plan violates, in the order of the model. Databases report any
 * of several violations, each with its own messages, but responses must be the same on all (OPS-4, MET-10).
 */
export function conflictProbes(tables: Tables, plan: RowPlan): readonly ConflictProbe[] {
  const table = tables.of(plan.resource);
  const uniques = table.resource.uniques
    .filter((fields) => plan.kind === 'create' || fields.some((field) => plan.values[field] !== undefined))
    .map((fields) => ({ fields, statement: takenStatement(table, plan, fields) }));
  const id = { fields: null, statement: rowExistsStatement(tables, { ...plan, visible: EVERYTHING }) };
  return plan.kind === 'create' ? [id, ...uniques] : uniques;
}
