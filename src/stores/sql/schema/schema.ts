import type { Model, Resource, SortKey, ValueType } from '../../../model/model.ts';
import { indexesOf } from '../../../plan/indexes.ts';
import { type TableColumn, columnsOf, linkFields, linkTable, referenceFields, typeAt } from '../columns.ts';

/** A column whose values are ids of rows of another table. */
export interface ForeignKey {
  readonly column: string;
  readonly table: string;
  /** Whether rows are deleted with the row that they refer to: links are. All other deletions are planned, and the key only guards them. */
  readonly cascade: boolean;
}

/** An index. Its name describes it, so that equal names mean equal indexes. */
export interface Index {
  readonly name: string;
  readonly unique: boolean;
  readonly keys: readonly SortKey[];
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
  readonly indexes: readonly Index[];
}

/** The stored form of a type: `text`, `decimal(2)`. Values that were stored in another form cannot be read. */
export function storageType(type: ValueType): string {
  if (type.kind !== 'decimal') return type.kind;
  return type.precision !== null && type.scale !== null && type.precision <= MAX_SCALED_DIGITS
    ? `decimal(${type.scale})`
    : 'decimal';
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

const ascending = (path: string): SortKey => ({ path, descending: false });

function indexes(resource: Resource, columns: readonly TableColumn[]): readonly Index[] {
  const all = indexesOf(resource).map(({ keys, unique }) => index(resource.name, columns, keys, unique));
  return [...new Map(all.map((each) => [each.name, each])).values()];
}

function rowsTable(resource: Resource): TableSchema {
  const columns = columnsOf(resource);
  return {
    name: resource.name,
    was: resource.was,
    kind: 'rows',
    columns,
    primaryKey: ['id'],
    foreignKeys: referenceFields(resource).map(({ field, target }) => ({
      column: field,
      table: target,
      cascade: false,
    })),
    indexes: indexes(resource, columns),
  };
}

function linksTable(resource: Resource, field: string, target: string): TableSchema {
  const name = linkTable(resource.name, field);
  const was = linkTable(resource.was ?? resource.name, resource.field.get(field)?.was ?? field);
  const id = (column: string): TableColumn => ({
    name: column,
    type: { kind: 'text', format: null },
    nullable: false,
    was: null,
    default: null,
  });
  const columns = [id('owner'), id('target')];
  return {
    name,
    was: was === name ? null : was,
    kind: 'links',
    columns,
    primaryKey: ['owner', 'target'],
    foreignKeys: [
      { column: 'owner', table: resource.name, cascade: true },
      { column: 'target', table: target, cascade: false },
    ],
    indexes: [index(name, columns, [ascending('target'), ascending('owner')], false)],
  };
}

/** All tables of a model: one for each resource, and one for each array of references. */
export function schemaOf(model: Model): readonly TableSchema[] {
  return [...model.resources.values()].flatMap((resource) => [
    rowsTable(resource),
    ...linkFields(resource).map(({ field, target }) => linksTable(resource, field, target)),
  ]);
}
