import type { ConversionPlan } from '../../sql/conversion/conversion-plan.ts';
import { withoutConverted } from '../../sql/conversion/conversion-plan.ts';
import { NEW } from '../../sql/conversion/table-conversion.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import type { Index, TableSchema } from '../../sql/schema/schema.ts';
import type { SchemaChange } from '../../sql/schema/schema-changes.ts';
import type { SchemaStep } from '../../sql/schema/schema-errors.ts';
import type { StoredRows } from '../../sql/schema/stored-rows.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import { WORDS_PREFIX } from '../dialect/search-columns.ts';
import { STATEMENTS } from '../schema/schema-sql.ts';
import { exclusiveLock, type PlannedStep, rowLocks, sharedLock } from '../schema/schema-steps.ts';
import type { SearchState } from '../schema/search-schema.ts';
import type { Observe } from '../../../observe/observation.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { METADATA, type SystemStatements } from '../../sql/system-statements.ts';
import { reportFailures } from './marked-client.ts';
import { MARKER, marksTable, setWriter } from './pair-names.ts';
import type { RecordedExpansion, ModelPair } from './pair-plan.ts';
import type { SharedTable } from './shared-table.ts';
import type { SharedTables } from './shared-tables.ts';

const { quote } = postgres;

/** The name of an index, taken apart: equal names mean equal indexes. */
const INDEX = /^(?<table>\S+) (?<unique>unique )?\((?<keys>.*)\)$/;

function keyFields(index: string): readonly string[] {
  return (INDEX.exec(index)?.groups?.['keys'] ?? '').split(', ').map((key) => key.split(/[.: ]/)[0] ?? key);
}

/** The name of an index once the fields of its table have their later names. */
function laterIndex(name: string, { renamed }: SharedTable): string {
  const { table = '', unique = '', keys = '' } = INDEX.exec(name)?.groups ?? {};
  if (keys === '') return name;
  const later = new Map([...renamed].map(([field, was]) => [was, field]));
  const mapped = keys.split(', ').map((key) => {
    const [field = ''] = key.split(/[.: ]/);
    return (later.get(field) ?? field) + key.slice(field.length);
  });
  return `${table} ${unique}(${mapped.join(', ')})`;
}

interface PresentedTables {
  readonly shared: SharedTables;
  readonly found: readonly CurrentTable[];
  /** True while both models are served: columns of the newer one have no rules yet. */
  readonly isShared: boolean;
}

/** The tables as instances of the newer model see them, apart from names: the planner renames. */
export function presentTables(
  { shared, found, isShared }: PresentedTables,
  converted: readonly CurrentTable[],
): readonly CurrentTable[] {
  const tables = new Map(shared.tables.map((table) => [table.name, table]));
  const newer = new Map(found.map(({ name, indexes }) => [name, indexes.filter((each) => each.startsWith(NEW))]));
  return converted.map((table) => {
    const own = tables.get(table.name);
    if (own === undefined) return table;
    const kept = table.indexes.map((name) => laterIndex(name, own));
    const added = (newer.get(table.name) ?? []).map((name) => name.slice(NEW.length));
    const required = new Set(
      isShared ? own.conversion?.to.flatMap(({ name, nullable }) => (nullable ? [] : [name])) : [],
    );
    const columns = table.columns.map((column) =>
      required.has(column.name) ? { ...column, nullable: false } : column,
    );
    return { ...table, columns, indexes: [...new Set([...kept, ...added])] };
  });
}

/** Stored rows, of which those in columns of the newer model are found there. */
export function pairRows(rows: StoredRows, plan: ConversionPlan, { tables }: SharedTables): StoredRows {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const stored = (table: string, column: string): string => byName.get(table)?.column(column) ?? column;
  const isNewer = (table: string, column: string): boolean => byName.get(table)?.isConverted(column) ?? false;
  const other = withoutConverted(rows, plan);
  return {
    ...other,
    withNull: (table, column) =>
      isNewer(table, column) ? rows.withNull(table, stored(table, column)) : other.withNull(table, column),
    duplicates: (table, key) =>
      key.some(({ column }) => isNewer(table, column))
        ? rows.duplicates(
            table,
            key.map((part) => ({
              ...part,
              column: isNewer(table, part.column) ? stored(table, part.column) : part.column,
            })),
          )
        : other.duplicates(table, key),
  };
}

/** The changes of an expansion that concern no column which the two models have under other names. */
export function commonChanges(changes: readonly SchemaChange[], { tables }: SharedTables): readonly SchemaChange[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  return changes.filter((change) => {
    if (change.kind !== 'create-index') return true;
    const table = byName.get(change.table.name);
    return table === undefined || !isRenamed(change.index, table);
  });
}

function isRenamed({ name }: Index, table: SharedTable): boolean {
  return keyFields(name).some((field) => table.column(field) !== field);
}

/** The indexes that instances of the newer model need on their columns. Unique ones are created in the end. */
export function newerIndexes(
  { tables }: SharedTables,
  declared: readonly TableSchema[],
  found: readonly CurrentTable[],
): readonly PlannedStep[] {
  const existing = new Map(found.map((table) => [table.name, table.indexes]));
  return tables.flatMap((table): readonly PlannedStep[] => {
    const schema = declared.find(({ name }) => name === table.name);
    const names = new Set((existing.get(table.name) ?? []).map((name) => laterIndex(name, table)));
    if (schema === undefined) return [];
    const columns = schema.columns.map((column) => ({ ...column, name: table.column(column.name) }));
    return schema.indexes
      .filter((index) => !index.unique && isRenamed(index, table))
      .filter(({ name }) => !names.has(NEW + name) && !(names.has(name) && !isOnConverted(name, table)))
      .map((index) => {
        const keys = index.keys.map((key) => ({ ...key, path: storedPath(key.path, table) }));
        const statements = STATEMENTS.createIndex(
          { ...schema, columns },
          { ...index, name: NEW + index.name, keys },
          1,
        );
        const purpose = `create index ${index.name} for the new instances`;
        const step = describeStep(purpose, statements, { kind: 'reads', table: table.name });
        return { step, run: 'apart', table: table.name, key: null };
      });
  });
}

function isOnConverted(index: string, table: SharedTable): boolean {
  return keyFields(index).some((field) => table.isConverted(field));
}

function storedPath(path: string, table: SharedTable): string {
  const [field = '', ...members] = path.split('.');
  return [table.column(field), ...members].join('.');
}

function describeStep(
  purpose: string,
  statements: readonly string[],
  { kind, table }: { readonly kind: 'constant' | 'reads'; readonly table: string },
): SchemaStep {
  const lock = kind === 'reads' ? sharedLock(table) : exclusiveLock(table);
  return { purpose, statements, cost: { kind, rows: 0 }, lock, losses: [], broken: [] };
}

/** The words of searches, under the names of the newer model. */
export function laterWords(words: SearchState, { tables }: SharedTables): SearchState {
  const byName = new Map(tables.map((table) => [table.name, table]));
  return new Map(
    [...words].map(([name, columns]) => {
      const table = byName.get(name);
      return [name, new Map([...columns].map(([column, rules]) => [laterWordsColumn(column, table), rules]))];
    }),
  );
}

function laterWordsColumn(column: string, table: SharedTable | undefined): string {
  const field = column.slice(WORDS_PREFIX.length);
  const later = [...(table?.renamed ?? [])].find(([, was]) => was === field)?.[0];
  return WORDS_PREFIX + (later ?? field);
}

/** The work for two models whose rows differ. */
export interface PairPlan extends ModelPair {
  /** The conversions of the rows. */
  readonly conversion: ConversionPlan;
  /** The statements in the transaction that alters the tables, before it does. */
  readonly before: readonly string[];
}

const PURPOSES = {
  expand: 'remove the columns of another model',
  serve: '',
  contract: 'leave the tables to the new instances',
  revert: 'leave the tables to the instances of the old model',
} as const;

/** The steps of a pair, with what is known of its rows by now. */
export function pairSteps(pair: PairPlan | null): readonly SchemaStep[] {
  if (pair === null) return [];
  const { kind, before } = pair;
  const first =
    before.length === 0 ? [] : [describeStep(PURPOSES[kind], before, { kind: 'constant', table: 'its tables' })];
  return [...checkSteps(pair), ...first, ...expandSteps(pair)];
}

/** The steps that check the rows before the older model ends: those that have found something. */
function checkSteps({ kind, conversion: plan }: PairPlan): readonly SchemaStep[] {
  if (kind !== 'contract') return [];
  return plan.conversions.flatMap((conversion) => {
    const { cost, losses, broken } = conversion.step([]);
    const purpose = `check rows of ${conversion.table.name}`;
    const step = { purpose, statements: [], cost: { ...cost, kind: 'reads' as const }, lock: null, losses, broken };
    return losses.length + broken.length === 0 ? [] : [step];
  });
}

/** The steps that convert the rows for both models. */
function expandSteps({ kind, shared, conversion: plan }: PairPlan): readonly SchemaStep[] {
  if (kind !== 'expand' || shared === null) return [];
  const conversions = new Map(plan.conversions.map((each) => [each.table.name, each]));
  const tables = shared.tables.flatMap((table): readonly SchemaStep[] => {
    const conversion = conversions.get(table.name);
    if (conversion === undefined) return [];
    const update = table.update([{ key: table.key, values: [] }], 'old')?.[0];
    const step = conversion.step([...table.expansion, ...(update === undefined ? [] : [update])]);
    return [{ ...step, lock: rowLocks(table.name) }];
  });
  return [
    ...tables,
    describeStep('create the views of the new instances', shared.views, { kind: 'constant', table: 'no table' }),
  ];
}

/** The statements that leave a database to the newer of two models. The planner does the rest. */
export function contractStatements(
  shared: SharedTables,
  plan: ConversionPlan,
  { found, words }: { readonly found: readonly CurrentTable[]; readonly words: SearchState },
): readonly string[] {
  const existing = new Map(found.map((table) => [table.name, table.indexes]));
  const stale = new Set(plan.conversions.flatMap(({ after }) => after.filter((each) => each.startsWith('drop index'))));
  return [
    `drop schema ${quote(shared.names.views)} cascade`,
    ...shared.tables.flatMap(({ unmark }) => unmark),
    ...plan.conversions.flatMap(({ after }) => after),
    ...shared.tables.flatMap((table) =>
      (existing.get(table.name) ?? []).flatMap((name) => {
        const later = name.startsWith(NEW) ? name.slice(NEW.length) : laterIndex(name, table);
        const isKept = later !== name && (name.startsWith(NEW) || !stale.has(`drop index ${quote(name)}`));
        return isKept ? [`alter index ${quote(name)} rename to ${quote(later)}`] : [];
      }),
    ),
    ...shared.tables.flatMap((table) =>
      [...(words.get(table.name)?.keys() ?? [])].flatMap((column) => {
        const later = laterWordsColumn(column, table);
        return later === column
          ? []
          : [`alter table ${quote(table.name)} rename column ${quote(column)} to ${quote(later)}`];
      }),
    ),
  ];
}

/** The statements that leave a database to the older of two models, or remove an interrupted conversion. */
export function revertStatements(
  { id, views, tables }: RecordedExpansion,
  schema: string,
  found: readonly CurrentTable[],
): readonly string[] {
  const columns = found.flatMap(({ name, columns: all }) =>
    all.filter((column) => column.name.startsWith(NEW)).map((column) => [name, column.name] as const),
  );
  return [
    `drop schema if exists ${quote(views)} cascade`,
    ...tables.flatMap((name) => {
      const marker = quote(MARKER + name);
      return [
        `drop trigger if exists ${marker} on ${quote(name)}`,
        `drop function if exists ${quote(schema)}.${marker}()`,
      ];
    }),
    ...found.flatMap(({ indexes }) =>
      indexes.filter((name) => name.startsWith(NEW)).map((name) => `drop index if exists ${quote(name)}`),
    ),
    ...columns.map(([table, column]) => `alter table ${quote(table)} drop column ${quote(column)}`),
    `do $$ begin if to_regclass('${marksTable({ schema })}') is not null then delete from ${marksTable({ schema })} where model = '${id}'; end if; end $$`,
  ];
}

/** Ends a pair in the transaction that alters the tables, once no one else writes. */
export async function endPair(
  session: PostgresConnection,
  { kind, shared, before }: PairPlan,
  { system, observe }: { readonly system: SystemStatements; readonly observe: Observe },
): Promise<void> {
  if (before.length === 0) return;
  if (kind === 'contract' && shared !== null) {
    await session.script(setWriter('none'));
    await shared.convertMarked(session, 'old', reportFailures(observe));
    await shared.convertMarked(session, 'new', reportFailures(observe));
  }
  await session.script(before.join(';\n'));
  const { text, values } = system.deleteMetadata(METADATA.expansion);
  await session.query(text, values);
}
