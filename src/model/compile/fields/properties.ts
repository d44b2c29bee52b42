import type { CompileContext } from '../../document/compile-context.ts';
import { suggestName } from '../../document/model-error.ts';
import type { Json, JsonObject } from '../../../conventions/json/json.ts';
import type { Field, Property, Shape, TextFormat, ValueType } from '../../model.ts';
import { readObject, readStrings } from '../../values/access.ts';
import { allowedValues } from '../../values/assertion.ts';
import type { Path } from '../../path.ts';
import { storedForm } from '../../values/stored-form.ts';
import { allowNull, listTimes, type TableSource, timeType } from '../../table-source.ts';

type Leaf = Omit<Property, 'sortable' | 'filterable'>;

const UNRESTRICTED = { nullable: false, allowed: null, holdsComma: false } as const;
const REVISION: Leaf = { path: 'revision', type: { kind: 'integer' }, ...UNRESTRICTED };

/** The formats whose values can contain a comma: the local part of an email address may be quoted. */
const COMMA_FORMATS: ReadonlySet<TextFormat | null> = new Set([null, 'email', 'uri']);

/** The sources of the properties of a resource. */
interface PropertyInputs {
  readonly fields: readonly Field[];
  /** The declared schema, its `$ref`s resolved. */
  readonly schema: JsonObject;
  /** True if clients choose the ids of a resource. Ids that the server assigns contain no comma. */
  readonly hasClientIds: (resource: string) => boolean;
  readonly table: TableSource | null;
}

/**
 * Compiles the properties that filters and sort can name, in the order of the representation. They are system fields,
 * readable fields and, by dotted path, members of object fields. Scalars are sortable and filterable unless `sortable`
 * or `filterable` is declared; `id` always is, because it ends every sort. An array of scalars is filterable by its
 * items, and JSON by the scalars in it. Other arrays and binary values are neither. Write-only fields are not included
 * (REP-11).
 */
export function compileProperties(
  inputs: PropertyInputs,
  resource: CompileContext & { readonly name: string },
): ReadonlyMap<string, Property> {
  const holdsComma = inputs.hasClientIds(resource.name);
  const idType = { kind: 'text', format: null, ids: holdsComma ? 'client' : 'server' } as const;
  const id: Leaf = { path: 'id', type: idType, ...UNRESTRICTED, holdsComma };
  const own = inputs.fields.filter(({ writeOnly }) => !writeOnly).flatMap(fieldLeaves(inputs));
  const times = listTimes(inputs).map((path): Leaf => ({ path, type: timeType(inputs), ...UNRESTRICTED }));
  const leaves = [id, ...[...own, ...times].map((leaf) => allowNull(inputs, leaf)), REVISION];
  const scalars = new Set(leaves.filter(({ type }) => isScalar(type)).map(({ path }) => path));
  const lists = leaves.filter(({ type }) => isListOfScalars(type)).map(({ path }) => path);
  const json = new Set(leaves.filter(({ type }) => type.kind === 'json').map(({ path }) => path));
  const sortable = declaredPaths('sortable', { allowed: scalars, json }, resource);
  const filterable = declaredPaths('filterable', { allowed: new Set([...scalars, ...lists, ...json]), json }, resource);
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
  if (properties.get(path)?.type.kind === 'json') reportJson(path, at, report);
  else if (!scalars.includes(path)) reportPath(path, at, scalars, report);
}

/**
 * Compiles the paths that `q` searches: readable strings and arrays of strings, also inside objects (QRY-6, REP-11).
 */
export function compileSearch(
  properties: ReadonlyMap<string, Property>,
  { declared, path, report }: CompileContext,
): readonly string[] {
  const searchable = [...properties.values()].filter(isSearchable).map((property) => property.path);
  const searched = readStrings(declared['search']);
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

function fieldLeaves({ schema, hasClientIds }: PropertyInputs): (field: Field) => readonly Leaf[] {
  return (field) => {
    const { name, reference } = field;
    const leaves = listLeaves(name, field, readObject(readObject(schema['properties'])[name]));
    const isServerId = reference !== null && !hasClientIds(reference.resource);
    return isServerId ? leaves.map((leaf) => ({ ...leaf, holdsComma: false })) : leaves;
  };
}

/** @param schema the declared schema of the shape */
function listLeaves(path: string, { type, nullable }: Shape, schema: JsonObject): readonly Leaf[] {
  if (type.kind === 'map') return [];
  if (type.kind === 'object') {
    const declared = readObject(schema['properties']);
    return type.members.flatMap((member) => {
      const shape = { type: member.type, nullable: nullable || member.nullable };
      return listLeaves(`${path}.${member.name}`, shape, readObject(declared[member.name]));
    });
  }
  const [value, valueSchema] =
    type.kind === 'array' ? [type.item, readObject(schema['items'])] : [{ type, nullable }, schema];
  const allowed = value.type.kind === 'json' ? null : (allowedValues(valueSchema)?.map(storedForm(value)) ?? null);
  return [{ path, type, nullable, allowed, holdsComma: canHoldComma(value.type, allowed) }];
}

function canHoldComma(type: ValueType, allowed: readonly Json[] | null): boolean {
  if (type.kind === 'json') return true;
  if (type.kind !== 'text') return false;
  if (allowed !== null) return allowed.some((value) => typeof value === 'string' && value.includes(','));
  return COMMA_FORMATS.has(type.format);
}

function isScalar({ kind }: ValueType): boolean {
  return kind !== 'array' && kind !== 'object' && kind !== 'map' && kind !== 'binary' && kind !== 'json';
}

function isListOfScalars(type: ValueType): boolean {
  return type.kind === 'array' && isScalar(type.item.type);
}

/** @param paths those that may be listed, and those of any JSON */
function declaredPaths(
  key: 'sortable' | 'filterable',
  { allowed, json }: { readonly allowed: ReadonlySet<string>; readonly json: ReadonlySet<string> },
  { declared, path, report }: CompileContext,
): ReadonlySet<string> {
  if (declared[key] === undefined) return allowed;
  const listed = readStrings(declared[key]);
  for (const [index, each] of listed.entries()) {
    if (allowed.has(each)) continue;
    if (json.has(each)) reportJson(each, [...path, key, index], report);
    else reportPath(each, [...path, key, index], allowed, report);
  }
  return new Set(['id', ...listed.filter((each) => allowed.has(each))]);
}

/** Reports JSON where values are sorted or unique. */
export function reportJson(path: string, at: Path, report: CompileContext['report']): void {
  report(at, `${path} is of type json, whose values have no order and no index`, 'use a readable scalar field');
}

function reportPath(path: string, at: Path, known: Iterable<string>, report: CompileContext['report']): void {
  report(at, `${path} is not a readable scalar field`, suggestName(path, known, 'use a readable scalar field'));
}
