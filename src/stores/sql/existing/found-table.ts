import { weakMemoize } from '../../../cache/memoize.ts';
import { closestMatch } from '../../../conventions/text/closest-match.ts';
import type { Observe } from '../../../observe/observation.ts';
import type { Resource, ValueType } from '../../../model/model.ts';
import { findColumn, type TableSource, timeType } from '../../../model/table-source.ts';
import { declareType } from './declared-type.ts';

/** A column of a table of another program. */
export interface NamedColumn {
  readonly name: string;
  /** True if it is never NULL. */
  readonly required: boolean;
  /** Its place in the primary key, from 1; 0 for another column. */
  readonly place: number;
}

/** A table of another program. */
export interface NamedTable<C extends NamedColumn> {
  readonly name: string;
  readonly columns: readonly C[];
}

/** A table that a resource shows, with its columns found. */
export interface FoundTable<C extends NamedColumn, T extends NamedTable<C>> {
  readonly resource: Resource;
  readonly source: TableSource;
  readonly table: T;
  /** The columns of the key. */
  readonly key: readonly C[];
  /** The columns of fields and times, by their names in the row. */
  readonly columns: ReadonlyMap<string, C>;
}

/** A column of which no value is of the type of its field. */
export interface ColumnMisfit {
  /** The type of its values, as the database writes it. */
  readonly holds: string;
  /** The declaration of a field that has them. */
  readonly write: string;
}

/** The differences between databases in how a table is found. */
export interface FindRules<C, T> {
  /** The column of a row number, which no list of columns has; null where the table has none. */
  readonly rowNumber: (table: T) => C | null;
  /** Describes a column of which no value is of a type; null for another one. */
  readonly describeMisfit: (type: ValueType, column: C) => ColumnMisfit | null;
}

/** Finds a name. One with a different case is the same where there is no other. */
export function findName(name: string, known: readonly string[]): string | null {
  return known.find((each) => each === name) ?? known.find((each) => each.toLowerCase() === name.toLowerCase()) ?? null;
}

/** Suggests the nearest of names, or lists some of them. */
export function suggestNearest(name: string, known: readonly string[]): string {
  const near = closestMatch(name, known);
  return near === null
    ? `it has ${known.length === 0 ? 'none' : known.slice(0, 10).join(', ')}`
    : `did you mean ${near}?`;
}

/** The columns of the fields and times of a resource, by their names in the row. */
export const wantedColumns = weakMemoize((resource: Resource): ReadonlyMap<string, string> => {
  const { table } = resource;
  if (table === null) return new Map();
  const times = [
    ['created_at', table.createdAt],
    ['updated_at', table.updatedAt],
  ] as const;
  return new Map([
    ...resource.fields.map(({ name }) => [name, findColumn(table, name)] as const),
    ...times.flatMap(([name, column]) => (column === null ? [] : [[name, column] as const])),
  ]);
});

/** Finds the columns that a resource shows of a table. @param problems receives what is missing, or has another type */
export function findColumns<C extends NamedColumn, T extends NamedTable<C>>(
  resource: Resource,
  table: T,
  { rowNumber, describeMisfit }: FindRules<C, T>,
  problems: string[],
): readonly FoundTable<C, T>[] {
  const { table: source } = resource;
  if (source === null) return [];
  const before = problems.length;
  const known = table.columns.map(({ name }) => name);
  const find = (name: string): readonly C[] => {
    const found = findName(name, known);
    const column = table.columns.find((each) => each.name === found);
    if (column !== undefined) return [column];
    problems.push(`${resource.name}: the table ${table.name} has no column ${name}; ${suggestNearest(name, known)}`);
    return [];
  };
  const columns = [...wantedColumns(resource)].flatMap(([member, name]) =>
    find(name).map((column) => [member, column] as const),
  );
  const row = rowNumber(table);
  const findKey = (name: string): readonly C[] => (row?.name === name.toLowerCase() ? [row] : find(name));
  const key = source.key?.flatMap(findKey) ?? findPrimaryKey(table, row);
  if (key.length === 0 && problems.length === before)
    problems.push(`${resource.name}: ${table.name} has no primary key; name one with key`);
  for (const [member, column] of columns) {
    const type = resource.field.get(member)?.type ?? null;
    const misfit = describeMisfit(type ?? timeType(resource), column);
    if (misfit === null) continue;
    const [wanted, fix] =
      type === null
        ? ['times', `name another column, or remove ${member}`]
        : [`what the model declares (${declareType(type)})`, `write ${misfit.write}`];
    problems.push(`${resource.name}.${member}: the column ${column.name} holds ${misfit.holds}, not ${wanted}; ${fix}`);
  }
  return problems.length > before ? [] : [{ resource, source, table, key, columns: new Map(columns) }];
}

/** The primary key of a table; else its row number. */
function findPrimaryKey<C extends NamedColumn>({ columns }: NamedTable<C>, row: C | null): readonly C[] {
  const primary = columns.filter(({ place }) => place > 0).toSorted((one, other) => one.place - other.place);
  if (primary.length > 0) return primary;
  return row === null ? [] : [row];
}

/** Reports references to rows that several columns identify: one column cannot hold them. */
export function referenceProblems<C extends NamedColumn, T extends NamedTable<C>>(
  { resource }: FoundTable<C, T>,
  all: readonly FoundTable<C, T>[],
): readonly string[] {
  return resource.fields.flatMap(({ name, reference }) => {
    const target = all.find((each) => each.resource.name === reference?.resource);
    if (target === undefined || target.key.length === 1) return [];
    const columns = target.key.map((column) => column.name).join(', ');
    return [
      `${resource.name}.${name}: rows of ${target.resource.name} are identified by several columns (${columns}); remove x-references`,
    ];
  });
}

/** The most rows that an error names. */
export const NAMED_ROWS = 3;

type AnyFound = FoundTable<NamedColumn, NamedTable<NamedColumn>>;

/** The error of a key that is NULL in some rows. */
export function nullKeyProblem(found: AnyFound, count: number): string {
  const rows = count === 1 ? '1 row' : `${count} rows`;
  return `${describeTableKey(found)} is NULL in ${rows} of ${found.table.name}; name another key`;
}

/** The error of a key that several rows have. @param repeated some of its values */
export function repeatedKeyProblem(found: AnyFound, repeated: readonly Readonly<Record<string, unknown>>[]): string {
  const values = repeated.map((row) => Object.values(row).map(String).join(',')).join(' and ');
  return `${describeTableKey(found)} does not identify the rows of ${found.table.name}: several have ${values}; name another key`;
}

export function describeTableKey({ resource, key }: AnyFound): string {
  return `${resource.name}: the key (${key.map(({ name }) => name).join(', ')})`;
}

/** Reports the first value of a table that does not fit its type, and no other one. */
export function misfitReporter(table: string, observe: Observe): (column: string) => void {
  let isReported = false;
  return (column) => {
    if (isReported) return;
    isReported = true;
    observe({ kind: 'value-misfit', table, column });
  };
}
