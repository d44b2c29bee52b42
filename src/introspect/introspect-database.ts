import type { Json, JsonObject } from '../conventions/json/json.ts';
import { DataError } from '../infer/data-error.ts';
import { modelName, systemSettings } from '../infer/infer-model.ts';
import type { ModelDraft } from '../infer/model-draft.ts';
import { nameRelations, type UnrelatedDraft } from '../infer/relations.ts';
import type { CatalogueEntry, DatabaseCatalogue, DescribedTable, DescribedColumn, TableName } from './database.ts';
import { type ColumnField, draftFields } from './draft-fields.ts';
import { draftIndexes } from './draft-indexes.ts';
import { findReferences, type ShownTable, type TableReferences } from './foreign-references.ts';
import {
  BROKEN_VIEW,
  describeClosed,
  describeComment,
  isNameable,
  listTables,
  NO_KEY,
  NO_NAME,
  NO_VIEW_KEY,
} from './left-out.ts';
import { listSchemas, selectSchemas, selectTables, type TableSelection } from './select-tables.ts';
import { findSystemTimes } from './system-times.ts';
import { chooseKey, listUniqueTogether, type TableKey } from './table-key.ts';
import { nameTables } from './table-names.ts';
import { guessKey } from './view-key.ts';

/** The most fields of a resource. */
const MAX_FIELDS = 1_000;

/** The tables that become resources, and the comments on all others. */
interface ShownTables {
  readonly tables: readonly ShownTable[];
  readonly notes: readonly string[];
}

/**
 * Drafts a model of the tables of a database. Everything that is left out has a comment with the reason.
 *
 * @param source name: of the model; title: of the database in comments
 * @throws {UnknownTable} for a selection without a table
 * @throws {DataError} if no table is left
 */
export async function introspectDatabase(
  catalogue: DatabaseCatalogue,
  { name, title }: { readonly name: string; readonly title: string },
  selection: TableSelection,
): Promise<ModelDraft> {
  const entries = await catalogue.list();
  const ofSchemas = selectSchemas(entries, selection.schema, catalogue.defaultSchema);
  const selected = selectTables(ofSchemas, selection);
  const known = new Set(listSchemas(ofSchemas));
  const others = listSchemas(entries.filter(({ closed }) => closed === null)).filter((schema) => !known.has(schema));
  const open = selected.filter(({ closed }) => closed === null);
  const shown = showTables(await catalogue.describe(open.map((entry) => entry.name)));
  const served = shown.tables.filter(({ table }) => !isSuggested(table));
  if (served.length === 0) throw new DataError(null, describeEmpty(selected, others));
  const byName = new Map(served.map((each) => [each.table.name, each]));
  return {
    name: modelName(name),
    settings: { version: '1.0.0', ...systemSettings(shown.tables.map(({ resource }) => resource.collection)) },
    resources: nameRelations(shown.tables.map((each) => draftTable(each, byName))),
    notes: [
      `Read from ${title}: check the types and remove what is not needed.`,
      ...shown.notes,
      ...describeClosed(selected),
      ...describeUnselected(ofSchemas.length - selected.length),
      ...(others.length === 0 ? [] : [`Left out: the schemas ${listTables(others)}: name them with --schema.`]),
    ],
  };
}

/** True for a view with a key that is a guess. Its resource is a comment. */
function isSuggested({ view }: DescribedTable): boolean {
  return view?.isMaterialized === false;
}

/** Chooses the tables and views that a model can show: those with a name, columns and a key. Views are the last. */
function showTables(described: readonly DescribedTable[]): ShownTables {
  const problems = new Map<string, string[]>();
  const byName = new Map(described.map((table) => [table.name, table]));
  const ordered = described.toSorted((one, other) => Number(one.view !== null) - Number(other.view !== null));
  const tables = ordered.flatMap((table) => {
    const { view } = table;
    const key = chooseKey(table) ?? (view === null ? null : guessKey({ ...table, view }, byName));
    const problem = findProblem(table, key);
    if (problem !== null) problems.set(problem, [...(problems.get(problem) ?? []), table.name]);
    return key === null || problem !== null ? [] : [{ table, key }];
  });
  const names = nameTables(tables.map(({ table }) => table));
  return {
    tables: tables.flatMap((each) => {
      const resource = names.get(each.table.name);
      return resource === undefined ? [] : [{ ...each, resource }];
    }),
    notes: [...problems].map(([problem, left]) => `Left out: ${listTables(left)}: ${problem}`),
  };
}

/** The first dot of the name of a table ends that of its schema. */
function isNameableTable({ name, schema }: TableName): boolean {
  return isNameable(name) && schema?.includes('.') !== true;
}

function findProblem(table: DescribedTable, key: TableKey | null): string | null {
  if (table.view !== null && table.columns.length === 0) return BROKEN_VIEW;
  if (key === null) return table.view === null ? NO_KEY : NO_VIEW_KEY;
  if (!isNameableTable(table)) return `${NO_NAME}.`;
  if (table.columns.length > MAX_FIELDS) return `more than ${MAX_FIELDS} columns.`;
  return null;
}

function draftTable(shown: ShownTable, byName: ReadonlyMap<string, ShownTable>): UnrelatedDraft {
  const { table, key, resource } = shown;
  const references = findReferences(table, byName);
  const times = findSystemTimes(table);
  const isField = ({ name }: DescribedColumn): boolean =>
    isNameable(name) &&
    !Object.values(times).includes(name) &&
    (key.columns.length > 1 || key.columns[0] !== name || (references.byColumn.get(name)?.target ?? null) !== null);
  const fields = draftFields(table, table.columns.filter(isField), references);
  const indexes = draftIndexes(shown, fields, times);
  const [only = '', another] = key.columns;
  return {
    resource: {
      name: resource.name,
      isComment: isSuggested(table),
      settings: {
        ...resource.settings,
        table: table.name,
        ...(key.isImplicit ? {} : { key: another === undefined ? only : key.columns }),
        ...(table.isWritable && key.columns.length > 0 ? {} : { read_only: true }),
        ...draftColumns(fields),
        ...times,
        ...draftUniques(shown, fields),
        ...indexes.settings,
      },
      keywords: describeComment(table.comment),
      fields: fields.map(({ member }) => member),
      notes: [
        ...[resource.note, key.note].filter((note) => note !== null),
        ...references.notes,
        ...indexes.notes,
        ...table.columns.flatMap(describeColumn),
      ],
    },
    references: nameReferences(fields, references),
  };
}

/** The references of fields, by their names. */
function nameReferences(fields: readonly ColumnField[], { byColumn }: TableReferences): UnrelatedDraft['references'] {
  return new Map(
    fields.flatMap(({ column, member }) => {
      const reference = byColumn.get(column);
      return reference === undefined ? [] : [[member.name, reference.inferred] as const];
    }),
  );
}

/** Drafts the names of the columns that differ from those of their fields. */
function draftColumns(fields: readonly ColumnField[]): JsonObject {
  const renamed = fields
    .filter(({ column, member }) => column !== member.name)
    .map(({ column, member }): [string, Json] => [member.name, column]);
  return renamed.length === 0 ? {} : { columns: Object.fromEntries(renamed) };
}

/** Drafts the lists of fields that are unique together. A column that is no field is in none. */
function draftUniques({ table, key }: ShownTable, fields: readonly ColumnField[]): JsonObject {
  const names = new Map(fields.map(({ column, member }) => [column, member.name]));
  const unique = listUniqueTogether(table, key)
    .filter((columns) => columns.every((column) => names.has(column)))
    .map((columns) => columns.map((column) => names.get(column) ?? column));
  return unique.length === 0 ? {} : { unique };
}

/** The comment on a column that no field shows. */
function describeColumn({ name, type }: DescribedColumn): readonly string[] {
  if (type.kind === 'unreadable') return [`left out: ${name}: ${type.note ?? 'it cannot be read'}`];
  return isNameable(name) ? [] : [`left out: ${name}: ${NO_NAME}`];
}

function describeUnselected(count: number): readonly string[] {
  if (count === 0) return [];
  return [`Left out by --tables and --exclude: ${count === 1 ? '1 table' : `${count} tables`} or views.`];
}

function describeEmpty(selected: readonly CatalogueEntry[], others: readonly string[]): string {
  if (selected.some(({ closed }) => closed === 'model')) {
    return 'it is a database of Restwright; serve the model that it belongs to, or export its rows';
  }
  if (selected.some(({ kind, closed }) => kind === 'view' && closed === null)) {
    return 'it has only views, which have no key; write a model that names table and key of each';
  }
  const denied = selected.find(({ closed }) => closed === 'denied');
  if (denied !== undefined) return `none of its tables may be read; the owner permits it: ${denied.grant ?? ''}`;
  const cause = selected.length === 0 ? 'it has no table' : 'it has no table that a model can show';
  return others.length === 0 ? cause : `${cause}; name other schemas with --schema: ${listTables(others)}`;
}
