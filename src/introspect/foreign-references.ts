import type { InferredReference } from '../infer/infer-references.ts';
import type { DeclaredForeignKey, DescribedTable } from './database.ts';
import type { TableKey } from './table-key.ts';
import type { TableResource } from './table-names.ts';

/** A table with its key and the resource that shows it. */
export interface ShownTable {
  readonly table: DescribedTable;
  readonly key: TableKey;
  readonly resource: TableResource;
}

/** The references of a table. */
export interface TableReferences {
  /** By name of the column. */
  readonly byColumn: ReadonlyMap<string, ColumnReference>;
  /** Foreign keys that a model cannot express. */
  readonly notes: readonly string[];
}

/** A reference, and the resource that it leads to; null where a comment says why there is none. */
export interface ColumnReference {
  readonly inferred: InferredReference;
  readonly target: TableResource | null;
}

/**
 * Finds the references of a table: foreign keys of one column to the key of a table that is shown.
 *
 * @param shown all tables, by name
 */
export function findReferences(
  { columns, foreignKeys }: DescribedTable,
  shown: ReadonlyMap<string, ShownTable>,
): TableReferences {
  const byColumn = new Map<string, ColumnReference>();
  const notes: string[] = [];
  for (const foreignKey of foreignKeys) {
    const [name, another] = foreignKey.columns;
    const column = columns.find((each) => each.name === name);
    if (another !== undefined) notes.push(describeComposite(foreignKey));
    else if (column !== undefined && (byColumn.get(column.name)?.target ?? null) === null) {
      byColumn.set(column.name, findTarget(foreignKey, shown));
    }
  }
  return { byColumn, notes };
}

function describeComposite({ columns, table }: DeclaredForeignKey): string {
  return `no reference: ${columns.join(', ')} together refer to ${table}, and a reference is one column`;
}

function findTarget({ table, keys }: DeclaredForeignKey, shown: ReadonlyMap<string, ShownTable>): ColumnReference {
  const target = shown.get(table);
  if (target === undefined) return missingTarget(`it refers to ${table}, which is not in this model`);
  const [referred = target.table.primaryKey[0]] = keys;
  const [key, another] = target.key.columns;
  if (another === undefined && referred === key) {
    return { inferred: { kind: 'reference', resource: target.resource.name }, target: target.resource };
  }
  return missingTarget(`it refers to ${table}.${referred ?? ''}, which is not the key of ${target.resource.name}`);
}

function missingTarget(cause: string): ColumnReference {
  return { inferred: { kind: 'note', note: `no reference: ${cause}` }, target: null };
}
