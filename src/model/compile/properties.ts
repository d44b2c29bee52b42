import type { CompileContext } from '../document/compile-context.ts';
import { suggestName } from '../document/model-error.ts';
import type { Field, Property, Shape, ValueType } from '../model.ts';
import { stringsOf } from '../values/access.ts';
import type { Path } from '../values/path.ts';

type Leaf = Omit<Property, 'sortable' | 'filterable'>;

/** The system fields before and after the declared fields (REP-1). */
const SYSTEM: Readonly<Record<'before' | 'after', readonly Leaf[]>> = {
  before: [{ path: 'id', type: { kind: 'text', format: null }, nullable: false }],
  after: [
    { path: 'created_at', type: { kind: 'date-time' }, nullable: false },
    { path: 'updated_at', type: { kind: 'date-time' }, nullable: false },
    { path: 'revision', type: { kind: 'integer' }, nullable: false },
  ],
};

/**
 * Compiles the properties that filters and sort can name, in the order of the representation: system fields, readable fields and,
 * by dotted path, members of object fields. Scalars are sortable and filterable unless `sortable` or `filterable` is declared; `id`
 * always is, because it ends every sort. An array of scalars is filterable by its items. Other arrays and binary values are neither.
 * Write-only fields are not included (REP-11).
 */
export function compileProperties(fields: readonly Field[], resource: CompileContext): ReadonlyMap<string, Property> {
  const readable = fields.filter((field) => !field.writeOnly);
  const leaves = [...SYSTEM.before, ...readable.flatMap((field) => leavesOf(field.name, field)), ...SYSTEM.after];
  const scalars = new Set(leaves.filter(({ type }) => isScalar(type)).map(({ path }) => path));
  const arrays = leaves.filter(({ type }) => type.kind === 'array' && isScalar(type.item.type)).map(({ path }) => path);
  const sortable = declaredPaths('sortable', scalars, resource);
  const filterable = declaredPaths('filterable', new Set([...scalars, ...arrays]), resource);
  return new Map(
    leaves.map((leaf) => {
      const property = { ...leaf, sortable: sortable.has(leaf.path), filterable: filterable.has(leaf.path) };
      return [leaf.path, property];
    }),
  );
}

/** Reports a path that is not a scalar property of the resource. */
export function checkScalar(
  path: string,
  at: Path,
  properties: ReadonlyMap<string, Property>,
  report: CompileContext['report'],
): void {
  const scalars = [...properties.values()].filter(({ type }) => isScalar(type)).map((each) => each.path);
  if (!scalars.includes(path)) reportPath(path, at, scalars, report);
}

/** Compiles the paths that `q` searches: readable strings and arrays of strings, also inside objects (QRY-6, REP-11). */
export function compileSearch(
  properties: ReadonlyMap<string, Property>,
  { declared, path, report }: CompileContext,
): readonly string[] {
  const searchable = [...properties.values()].filter(isSearchable).map((property) => property.path);
  const searched = stringsOf(declared['search']);
  for (const [index, each] of searched.entries()) {
    if (searchable.includes(each)) continue;
    const fix = suggestName(each, searchable, 'use a readable string field');
    report([...path, 'search', index], `${each} is not a readable string field`, fix);
  }
  return searched;
}

function isSearchable({ type }: Property): boolean {
  return (type.kind === 'array' ? type.item.type : type).kind === 'text';
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

function declaredPaths(
  key: 'sortable' | 'filterable',
  allowed: ReadonlySet<string>,
  { declared, path, report }: CompileContext,
): ReadonlySet<string> {
  if (declared[key] === undefined) return allowed;
  const listed = stringsOf(declared[key]);
  for (const [index, each] of listed.entries()) {
    if (!allowed.has(each)) reportPath(each, [...path, key, index], allowed, report);
  }
  return new Set(['id', ...listed.filter((each) => allowed.has(each))]);
}

function reportPath(path: string, at: Path, known: Iterable<string>, report: CompileContext['report']): void {
  report(at, `${path} is not a readable scalar field`, suggestName(path, known, 'use a readable scalar field'));
}
