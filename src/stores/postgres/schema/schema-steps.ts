import { ownerOf } from '../../sql/schema/link-rows.ts';
import { describeChange } from '../../sql/schema/describe-change.ts';
import type { ForeignKey, TableSchema } from '../../sql/schema/schema.ts';
import type { SchemaChange } from '../../sql/schema/schema-changes.ts';
import type { SchemaStep, StepCost } from '../../sql/schema/schema-errors.ts';
import { postgres } from '../dialect.ts';
import { addForeignKey, alterTable, createIndex, createTable, renewsKeys, tableWithKeys } from './schema-sql.ts';

const { quote } = postgres;

/** A step, and the foreign key that it adds; null for another step. */
export interface PlannedStep {
  readonly step: SchemaStep;
  readonly key: { readonly table: string; readonly of: ForeignKey } | null;
}

/**
 * The SQL of schema changes, one step per change, in order; then the foreign keys, once all tables are there.
 *
 * @param existing names of the tables that the database has, before renaming
 */
export function schemaSteps(
  changes: readonly SchemaChange[],
  declared: readonly TableSchema[],
  existing: ReadonlySet<string>,
): readonly PlannedStep[] {
  const renamed = changes.flatMap((change) => (change.kind === 'rename-table' ? [change.to] : []));
  const known = new Set([...existing, ...renamed]);
  const steps = changes.map((change): PlannedStep => {
    const { losses, broken } = change;
    const statements = sqlOf(change, declared, known);
    return { step: { purpose: describeChange(change), statements, cost: costOf(change), losses, broken }, key: null };
  });
  return [...steps, ...changes.flatMap((change) => keySteps(change))];
}

function keySteps(change: SchemaChange): readonly PlannedStep[] {
  const table = tableWithKeys(change);
  return (table?.foreignKeys ?? []).map((of): PlannedStep => {
    const name = table?.name ?? '';
    const purpose = `refer from ${name}.${of.columns.join(', ')} to ${of.table}`;
    const cost: StepCost = { kind: 'reads', rows: change.rows };
    const step = { purpose, statements: [addForeignKey(name, of)], cost, losses: [], broken: [] };
    return { step, key: { table: name, of } };
  });
}

function sqlOf(
  change: SchemaChange,
  declared: readonly TableSchema[],
  existing: ReadonlySet<string>,
): readonly string[] {
  switch (change.kind) {
    case 'rename-table':
      return [`alter table ${quote(change.from)} rename to ${quote(change.to)}`];
    case 'rename-column':
      return [`alter table ${quote(change.table)} rename column ${quote(change.from)} to ${quote(change.to)}`];
    case 'drop-index':
      return [`drop index if exists ${quote(change.name)}`];
    case 'alter-table':
      return alterTable(change.alteration);
    case 'create-table':
      return createTable(
        change.table,
        declared,
        change.table.kind === 'links' && existing.has(ownerOf(change.table) ?? ''),
      );
    case 'drop-table':
      return [`drop table ${quote(change.table.name)} cascade`];
    case 'create-index':
      return createIndex(change.table, change.index);
  }
}

/** Only another type, or a value in every row, rewrites rows. */
function costOf(change: SchemaChange): StepCost {
  const { rows } = change;
  if (change.kind === 'create-index') return { kind: 'reads', rows };
  if (change.kind !== 'alter-table') return { kind: 'constant', rows };
  const { alteration } = change;
  const { added, after, converted, retyped } = alteration;
  const filled = added.some(({ name }) => after.sources.some(({ column }) => column === name));
  if (filled || converted.length + retyped.length > 0) return { kind: 'rewrites', rows };
  return { kind: alteration.nullability || renewsKeys(alteration) ? 'reads' : 'constant', rows };
}
