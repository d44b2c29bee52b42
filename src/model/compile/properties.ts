import type { CompileContext } from '../document/compile-context.ts';
import { stringsOf } from '../values/access.ts';
import type { Field, Property, Shape, ValueType } from '../model.ts';
import type { Path } from '../values/path.ts';
import { suggestName } from '../document/unknown-name.ts';

type Leaf = Omit<Property, 'sortable' | 'filterable'>;

/** The members that every resource has, as they stand around its fields (REP-1). */
const SYSTEM: Readonly<Record<'before' | 'after', readonly Leaf[]>> = {
  before: [{ path: 'id', type: { kind: 'text', format: null }, nullable: false }],
  after: [
    { path: 'created_at', type: { kind: 'date-time' }, nullable: false },
    { path: 'updated_at', type: { kind: 'date-time' }, nullable: false },
    { path: 'revision', type: { kind: 'integer' }, nullable: false },
  ],
};

/**
 * What filters and sort can name of a resource, in the order of the representation: system fields, readable fields and, by
 * dotted path, members of object fields. Scalars are sortable and filterable unless `sortable` or `filterable` lists others;
 * `id` always is, as it ends every order. A list of scalars is filterable by its items, any other list and binary values are neither;
 * write-only fields are unknown (REP-11).
 */
export function compileProperties(fields: readonly Field[], resource: CompileContext): ReadonlyMap<string, Property> {
  const readable = fields.filter((field) => !field.writeOnly);
  const leaves = [...SYSTEM.before, ...readable.flatMap((field) => leavesOf(field.name, field)), ...SYSTEM.after];
  const scalars = new Set(leaves.filter(({ type }) => isScalar(type)).map(({ path }) => path));
  const lists = leaves.filter(({ type }) => type.kind === 'array' && isScalar(type.item.type)).map(({ path }) => path);
  const sortable = listedPaths('sortable', scalars, resource);
  const filterable = listedPaths('filterable', new Set([...scalars, ...lists]), resource);
  return new Map(
    leaves.map((leaf) => {
      const property = { ...leaf, sortable: sortable.has(leaf.path), filterable: filterable.has(leaf.path) };
      return [leaf.path, property];
    }),
  );
}

/** Announces a path that is no scalar property of a resource. Whether it is one. */
export function checkScalar(
  path: string,
  at: Path,
  properties: ReadonlyMap<string, Property>,
  report: CompileContext['report'],
): boolean {
  const property = properties.get(path);
  if (property !== undefined && isScalar(property.type)) return true;
  const scalars = [...properties.values()].filter(({ type }) => isScalar(type)).map((each) => each.path);
  reportPath(path, at, scalars, report);
  return false;
}

function leavesOf(path: string, { type, nullable }: Shape): readonly Leaf[] {
  if (type.kind === 'map') return [];
  if (type.kind !== 'object') return [{ path, type, nullable }];
  return type.members.flatMap((member) =>
    leavesOf(`${path}.${member.name}`, { type: member.type, nullable: nullable || member.nullable }),
  );
}

function isScalar({ kind }: ValueType): boolean {
  return kind !== 'array' && kind !== 'object' && kind !== 'map' && kind !== 'binary';
}

function listedPaths(
  key: 'sortable' | 'filterable',
  able: ReadonlySet<string>,
  { declared, path, report }: CompileContext,
): ReadonlySet<string> {
  if (declared[key] === undefined) return able;
  const listed = stringsOf(declared[key]);
  for (const [index, each] of listed.entries()) {
    if (!able.has(each)) reportPath(each, [...path, key, index], able, report);
  }
  return new Set(['id', ...listed.filter((each) => able.has(each))]);
}

function reportPath(path: string, at: Path, known: Iterable<string>, report: CompileContext['report']): void {
  const fix = suggestName(path, known, 'name a readable field that holds one value');
  report(at, `${path} is no readable field of one value`, fix);
}
