import type { StoredRowChange } from '../../../versions/row-changes.ts';
import { stepChanges } from '../../sql/conversion/step-changes.ts';
import { describeChange } from '../../sql/schema/describe-change.ts';
import type { ForeignKey, TableSchema } from '../../sql/schema/schema.ts';
import type { SchemaChange } from '../../sql/schema/schema-changes.ts';
import { addRenamed, writeChange } from '../../sql/schema/schema-statements.ts';
import { heldTogether, type SchemaStep, type StepCost, type StepLock } from '../../sql/schema/schema-errors.ts';
import {
  addForeignKey,
  checkForeignKeys,
  columnsToRequire,
  fillColumn,
  keysToAdd,
  requireColumn,
  STATEMENTS,
} from './schema-sql.ts';

/** A step, and how it runs. */
export interface PlannedStep {
  readonly step: SchemaStep;
  /**
   * `together`: in one transaction, with all such steps. `apart`: each statement in a transaction of its own, after
   * them. `blocks`: for so many blocks of the table at a time.
   */
  readonly run: 'together' | 'apart' | 'blocks';
  /** The table. */
  readonly table: string;
  /** The foreign key that it adds or checks; null for another step. */
  readonly key: ForeignKey | null;
}

const CONSTANT: StepCost = { kind: 'constant', rows: 0 };

/** The locks of statements, as the documentation of PostgreSQL has them. */
export const exclusiveLock = (table: string): StepLock => lock('ACCESS EXCLUSIVE', table, 'reads and writes', true);
export const sharedLock = (table: string): StepLock => lock('SHARE UPDATE EXCLUSIVE', table, 'nothing', false);
export const rowLocks = (table: string): StepLock => lock('ROW EXCLUSIVE', table, 'nothing', false);

function lock(mode: string, table: string, blocks: StepLock['blocks'], momentary: boolean): StepLock {
  return { mode, table, blocks, momentary };
}

/**
 * Plans the steps of schema changes. First come those of one transaction, one step per change, with the foreign keys
 * after all tables. Then come those that read or write rows while others use them.
 *
 * @param existing names of the tables that the database has, before renaming
 * @param rows the changes of `versions` that the migration makes
 */
export function schemaSteps(
  changes: readonly SchemaChange[],
  declared: readonly TableSchema[],
  existing: ReadonlySet<string>,
  rows: readonly StoredRowChange[] = [],
): readonly PlannedStep[] {
  const tables = addRenamed({ declared, existing }, changes);
  const steps = changes.map((change): PlannedStep => {
    const { losses, broken } = change;
    const [statements, cost] = [writeChange(change, STATEMENTS, tables), estimateCost(change)];
    const own = { purpose: describeChange(change), statements, cost, lock: selectLock(change), losses, broken };
    const step = { ...own, ...stepChanges(change, rows) };
    return { step, run: isApart(change) ? 'apart' : 'together', table: changedTable(change), key: null };
  });
  const together = [...steps.filter(({ run }) => run === 'together'), ...changes.flatMap(addedKeys)];
  const held = heldTogether(together.map(({ step }) => step));
  return [
    ...together.map((each, index) => ({ ...each, step: held[index] ?? each.step })),
    ...changes.flatMap(requiredColumns),
    ...changes.flatMap(checkedKeys),
    ...steps.filter(({ run }) => run === 'apart'),
  ];
}

/** Checks if others use the rows of the table while the index is created. */
function isApart({ kind, rows }: SchemaChange): boolean {
  return kind === 'create-index' && rows > 0;
}

function singleStep(purpose: string, statement: string, cost: StepCost, locked: StepLock): SchemaStep {
  return { purpose, statements: [statement], cost, lock: locked, losses: [], broken: [] };
}

function addedKeys(change: SchemaChange): readonly PlannedStep[] {
  const table = changedTable(change);
  return keysToAdd(change).map((key): PlannedStep => {
    const statement = addForeignKey(table, key, change.rows === 0);
    const locked = lock('SHARE ROW EXCLUSIVE', `${table}, ${key.table}`, 'writes', true);
    return { step: singleStep(describeKey(table, key), statement, CONSTANT, locked), run: 'together', table, key };
  });
}

function checkedKeys(change: SchemaChange): readonly PlannedStep[] {
  const { rows } = change;
  const table = changedTable(change);
  if (rows === 0) return [];
  return keysToAdd(change).map((key): PlannedStep => {
    const purpose = `check that rows ${describeKey(table, key)}`;
    const step = singleStep(purpose, checkForeignKeys(table, key), { kind: 'reads', rows }, sharedLock(table));
    return { step, run: 'apart', table, key };
  });
}

function describeKey(table: string, { columns, table: target }: ForeignKey): string {
  return `refer from ${table}.${columns.join(', ')} to ${target}`;
}

/** The steps that require columns of a table with rows. */
function requiredColumns(change: SchemaChange): readonly PlannedStep[] {
  if (change.kind !== 'alter-table') return [];
  const { rows, alteration } = change;
  const { after } = alteration;
  const table = after.name;
  return columnsToRequire(alteration, rows).flatMap((column): readonly PlannedStep[] => {
    const name = `${table}.${column.name}`;
    const [check, require] = requireColumn(after, column);
    const of = { table, key: null };
    const reads: StepCost = { kind: 'reads', rows };
    const filled: readonly PlannedStep[] =
      column.default === null
        ? []
        : [
            {
              step: singleStep(`fill ${name}`, fillColumn(after, column), reads, rowLocks(table)),
              run: 'blocks',
              ...of,
            },
          ];
    return [
      ...filled,
      { step: singleStep(`check that ${name} has values`, check, reads, sharedLock(table)), run: 'apart', ...of },
      { step: singleStep(`require ${name}`, require, CONSTANT, exclusiveLock(table)), run: 'apart', ...of },
    ];
  });
}

function changedTable(change: SchemaChange): string {
  switch (change.kind) {
    case 'rename-table':
      return change.from;
    case 'rename-column':
      return change.table;
    case 'drop-index':
      return change.name.split(' ')[0] ?? change.name;
    case 'alter-table':
      return change.alteration.after.name;
    case 'create-table':
    case 'drop-table':
    case 'create-index':
      return change.table.name;
  }
}

function selectLock(change: SchemaChange): StepLock {
  const table = changedTable(change);
  if (change.kind === 'create-table') return { ...exclusiveLock(table), blocks: 'nothing' };
  if (change.kind !== 'create-index') return exclusiveLock(table);
  return isApart(change) ? sharedLock(table) : lock('SHARE', table, 'writes', true);
}

/** Only another type, or a value from the parent of each row, rewrites rows. */
function estimateCost(change: SchemaChange): StepCost {
  const { rows } = change;
  if (change.kind === 'create-index') return { kind: 'reads', rows };
  if (change.kind !== 'alter-table') return { kind: 'constant', rows };
  const { alteration } = change;
  const { added, after, converted, retyped, primaryKey } = alteration;
  const filled = added.some(({ name }) => after.sources.some(({ column }) => column === name));
  if (filled || converted.length + retyped.length > 0) return { kind: 'rewrites', rows };
  return { kind: primaryKey ? 'reads' : 'constant', rows };
}
