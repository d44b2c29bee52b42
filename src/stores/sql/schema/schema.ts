import type { Model, Resource, SortKey, ValueType } from '../../../model/model.ts';
import { listOwnResources } from '../../../model/table-source.ts';
import { keyMembers, referringMembers } from '../../../model/row-key.ts';
import { listIndexes } from '../../../plan/list/indexes.ts';
import { isList, listMembers } from '../compact-list.ts';
import {
  type TableColumn,
  listColumns,
  linkColumns,
  linkFields,
  linkTable,
  referenceFields,
  typeAt,
} from '../columns.ts';

/** Columns whose values are the key of a row of another table. */
export interface ForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  /** The columns of the key in the other table, in the same order. */
  readonly keys: readonly string[];
  /**
   * True if rows are deleted with the row that they refer to: links are. All other deletions are planned, and the key
   * only guards them.
   */
  readonly cascade: boolean;
}

/** An index. Its name describes it, so that equal names mean equal indexes. */
export interface Index {
  readonly name: string;
  readonly unique: boolean;
  readonly keys: readonly SortKey[];
}

/** The source of the values of a new column in existing rows: a column of the row that another column refers to. */
export interface ColumnSource {
  readonly column: string;
  readonly from: { readonly table: string; readonly column: string };
  /** The column with the id of that row. */
  readonly by: string;
}

/** A table of a model. */
export interface TableSchema {
  readonly name: string;
  /** Its previous name; null where it was not renamed. */
  readonly was: string | null;
  /** A `links` table is derived from rows and can be filled again. */
  readonly kind: 'rows' | 'links';
  readonly columns: readonly TableColumn[];
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  /** The columns that existing rows get from their parents. */
  readonly sources: readonly ColumnSource[];
  readonly indexes: readonly Index[];
}

/**
 * The stored form of a type: `text`, `uuid`, `decimal(2)`, `list(at,duration)`. Values that were stored in another form
 * cannot be read.
 */
export function storageType(type: ValueType): string {
  if (type.kind === 'text' && type.compact === true) return UUID;
  if (isList(type))
    return `list(${listMembers(type)
      .map(({ name }) => name)
      .join()})`;
  if (type.kind !== 'decimal') return type.kind;
  return type.precision !== null && type.scale !== null && type.precision <= MAX_SCALED_DIGITS
    ? `decimal(${type.scale})`
    : 'decimal';
}

const UUID = 'uuid';

/** Checks if a type has a compact form in place of the one of its kind. */
export function isCompact(type: ValueType): boolean {
  return (type.kind === 'text' || type.kind === 'array') && type.compact === true;
}

/** Checks if values of a storage type are converted to a type without loss. */
export function convertsTo(from: string, type: ValueType): boolean {
  const { kind } = type;
  if (isCompact(type)) return from === kind;
  if (kind === 'json') return from === 'object' || from === 'map' || from === 'array';
  return from === 'integer' && (kind === 'number' || kind === 'int64' || kind === 'text');
}

/** The most digits of a decimal that a 64-bit integer can always hold. */
const MAX_SCALED_DIGITS = 18;

/** A nested key is compared by its type, so that the type is a part of the index's name. */
function label(columns: readonly TableColumn[], { path, descending }: SortKey): string {
  const segments = path.split('.');
  const nested = segments.length > 1 ? `:${typeAt(columns, segments).kind}` : '';
  return `${path}${nested}${descending ? ' desc' : ''}`;
}

function index(table: string, columns: readonly TableColumn[], keys: readonly SortKey[], unique: boolean): Index {
  const named = keys.map((key) => label(columns, key)).join(', ');
  return { name: `${table} ${unique ? 'unique ' : ''}(${named})`, unique, keys };
}

const sortAscending = (path: string): SortKey => ({ path, descending: false });

function indexes(resource: Resource, columns: readonly TableColumn[]): readonly Index[] {
  const all = listIndexes(resource).map(({ keys, unique }) => index(resource.name, columns, keys, unique));
  return [...new Map(all.map((each) => [each.name, each])).values()];
}

function rowsTable(resource: Resource, resources: Model['resources']): TableSchema {
  const columns = listColumns(resource);
  return {
    name: resource.name,
    was: resource.was,
    kind: 'rows',
    columns,
    primaryKey: keyMembers(resource).toReversed(),
    foreignKeys: referenceFields(resource).flatMap(({ field, target }) =>
      // A foreign key would change the table of another program.
      (resources.get(target)?.table ?? null) === null
        ? [
            {
              columns: referringMembers(resource, field),
              table: target,
              keys: targetKey(resources.get(target)),
              cascade: false,
            },
          ]
        : [],
    ),
    sources: hiddenSources(resource, resources),
    indexes: indexes(resource, columns),
  };
}

function targetKey(resource: Resource | undefined): readonly string[] {
  return resource === undefined ? ['id'] : keyMembers(resource);
}

/** Finds the sources of the ids above the parent, for rows from when an id was unique in the whole resource. */
function hiddenSources({ parent, parentKey }: Resource, resources: Model['resources']): readonly ColumnSource[] {
  const above = resources.get(parent?.resource ?? '');
  if (parent === null || above === undefined) return [];
  return parentKey.slice(1).map((column, level) => ({
    column,
    from: { table: above.name, column: above.parentKey[level] ?? '' },
    by: parent.field,
  }));
}

function linksTable(resource: Resource, field: string, target: Resource): TableSchema {
  const name = linkTable(resource.name, field);
  const was = linkTable(resource.was ?? resource.name, resource.field.get(field)?.was ?? field);
  const [owners, targets] = [
    linkColumns('owner', keyMembers(resource).length),
    linkColumns('target', keyMembers(target).length),
  ];
  const keyColumns = (of: Resource, names: readonly string[]): readonly TableColumn[] =>
    names.map((column, at) => {
      const type = typeAt(listColumns(of), [keyMembers(of)[at] ?? '']);
      return { name: column, type, nullable: false, was: null, default: null };
    });
  const columns = [...keyColumns(resource, owners), ...keyColumns(target, targets)];
  return {
    name,
    was: was === name ? null : was,
    kind: 'links',
    columns,
    primaryKey: [...owners, ...targets],
    foreignKeys: [
      { columns: owners, table: resource.name, keys: keyMembers(resource), cascade: true },
      { columns: targets, table: target.name, keys: keyMembers(target), cascade: false },
    ],
    sources: [],
    indexes: [index(name, columns, [...targets, ...owners].map(sortAscending), false)],
  };
}

/** All tables of a model: one for each resource, and one for each array of references. */
export function deriveSchema({ resources }: Model): readonly TableSchema[] {
  return listOwnResources({ resources }).flatMap((resource) => [
    rowsTable(resource, resources),
    ...linkFields(resource).flatMap(({ field, target }) => {
      const referred = resources.get(target);
      return referred === undefined ? [] : [linksTable(resource, field, referred)];
    }),
  ]);
}
