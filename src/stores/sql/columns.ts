import type { Json } from '../../conventions/json/json.ts';
import type { Resource, ValueType } from '../../model/model.ts';
import { weakMemoize } from '../../cache/memoize.ts';

/** A column of a resource's table. */
export interface TableColumn {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
  /** Its previous name; null where it was not renamed. */
  readonly was: string | null;
  /** The value for existing rows: the declared default, an empty array (REP-4), else null. */
  readonly default: Json;
}

const text: ValueType = { kind: 'text', format: null };

function system(name: string, type: ValueType): TableColumn {
  return { name, type, nullable: false, was: null, default: null };
}

/** The type of the ids of a resource. */
export function idType({ compact }: Pick<Resource, 'compact'>): ValueType {
  return compact ? compactId : text;
}

const compactId: ValueType = { kind: 'text', format: null, ids: 'server', compact: true };

const [id, shortId] = [system('id', text), system('id', compactId)];
const suffix: readonly TableColumn[] = [
  system('created_at', { kind: 'date-time' }),
  system('updated_at', { kind: 'date-time' }),
  system('revision', { kind: 'integer' }),
];

/**
 * The columns of a resource in the order of its rows: `id`, the fields, `created_at`, `updated_at`, `revision` (REP-1),
 * then hidden ones.
 */
export function listColumns(resource: Resource): readonly TableColumn[] {
  const fields = resource.fields.map((field) => ({
    name: field.name,
    type: field.type,
    nullable: field.nullable,
    was: field.was,
    default: field.default ?? (field.type.kind === 'array' ? [] : null),
  }));
  const hidden = resource.parentKey.slice(1).map((name) => {
    return system(name, resource.isBelowCompact && name === resource.parentKey.at(-1) ? compactId : text);
  });
  return [resource.compact ? shortId : id, ...fields, ...suffix, ...hidden];
}

/** A field that holds ids of a resource. */
interface ReferenceField {
  readonly field: string;
  /** Name of the resource. */
  readonly target: string;
}

/** The name of the table that lists the targets of an array of references. No resource name has a dot. */
export function linkTable(resource: string, field: string): string {
  return `${resource}.${field}`;
}

/**
 * The columns of a link table for one end of a link, in the order of the key of its row.
 *
 * @param width the number of members of the key
 */
export function linkColumns(end: 'owner' | 'target', width: number): readonly string[] {
  return Array.from({ length: width }, (_, index) => (index === 0 ? end : `${end} ${index}`));
}

/** The fields of a resource that are arrays of references. */
export const linkFields = weakMemoize((resource: Resource): readonly ReferenceField[] =>
  resource.fields.flatMap((field) =>
    field.reference !== null && field.type.kind === 'array'
      ? [{ field: field.name, target: field.reference.resource }]
      : [],
  ),
);

/** The fields of a resource that hold one reference, the parent's id included. */
export function referenceFields(resource: Resource): readonly ReferenceField[] {
  return resource.fields.flatMap((field) => {
    if (resource.parent?.field === field.name) return [{ field: field.name, target: resource.parent.resource }];
    if (field.reference === null || field.type.kind === 'array') return [];
    return [{ field: field.name, target: field.reference.resource }];
  });
}

/** True if the values of a type can have any length. */
export function hasAnyLength(type: ValueType): boolean {
  const { kind } = type;
  if (kind === 'text' && type.compact === true) return false;
  return ['text', 'binary', 'object', 'map', 'array', 'json'].includes(kind);
}

/** The type at a path: a column, then members of objects. @throws {Error} where the path does not exist */
export function typeAt(columns: readonly TableColumn[], path: readonly string[]): ValueType {
  const [name, ...members] = path;
  let type = columns.find((column) => column.name === name)?.type;
  for (const member of members) {
    type = type?.kind === 'object' ? type.members.find((each) => each.name === member)?.type : undefined;
  }
  if (type === undefined) throw new Error(`The plan names ${path.join('.')}, which the resource does not have`);
  return type;
}
