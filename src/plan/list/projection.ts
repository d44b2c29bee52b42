import { quoted } from '../../conventions/text/quoted.ts';
import { type ErrorDetail, apiError } from '../../conventions/errors.ts';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { closestMatch } from '../../conventions/text/closest-match.ts';
import { type QueryParameter, splitPlainList } from '../../conventions/url/query.ts';
import type { ComputedField, Member, Resource, ValueType } from '../../model/model.ts';
import { listTimes } from '../../model/table-source.ts';

/** The members of a representation to include (QRY-4): each entirely (null), or some of its own members. */
export type Projection = ReadonlyMap<string, Projection | null>;

/** Maximum number of paths. */
export const MAX_FIELDS = 500;
/** Always included. */
const ALWAYS = ['id', 'revision'] as const;

/**
 * Reads `fields`, a list of dotted paths: `name,address.city`.
 *
 * @throws {ApiError} QUERY_FIELDS_INVALID with every unknown path
 */
export function readProjection({ value }: QueryParameter, resource: Resource): Projection {
  const tops = new Map<string, ValueType | null>([
    ...[...ALWAYS, ...listTimes(resource), 'links'].map((name) => [name, null] as const),
    ...[...readable(resource), ...resource.computed].map(({ name, type }) => [name, type] as const),
  ]);
  const projection = new Map<string, Projection | null>(ALWAYS.map((name) => [name, null]));
  const details: ErrorDetail[] = [];
  const paths = splitPlainList(value, MAX_FIELDS);
  if (paths === null) throw fieldsInvalid([{ field: 'fields', message: `has more than ${MAX_FIELDS} fields` }]);
  for (const path of paths) {
    const [name = '', ...members] = path.split('.');
    const known = tops.get(name);
    if (known === undefined) details.push(unknownField(path, name, tops.keys()));
    else if (!hasMembers(known, members)) details.push(unknownMember(path));
    else add(projection, [name, ...members]);
  }
  if (details.length > 0) throw fieldsInvalid(details);
  return projection;
}

function fieldsInvalid(details: readonly ErrorDetail[]): Error {
  return apiError('QUERY_FIELDS_INVALID', 'Invalid fields; see details.', { details });
}

/** The fields of representations, in order (REP-11). */
function readable({ fields }: Resource): readonly Member[] {
  return fields.filter(({ writeOnly }) => !writeOnly);
}

function hasMembers(type: ValueType | null, path: readonly string[]): boolean {
  const [name, ...further] = path;
  if (name === undefined) return true;
  const member = type?.kind === 'object' ? type.members.find((each) => each.name === name) : undefined;
  return member !== undefined && hasMembers(member.type, further);
}

/** Adds a path. A member that is already included entirely stays so. */
function add(projection: Map<string, Projection | null>, [name = '', ...members]: readonly string[]): void {
  if (members.length === 0) projection.set(name, null);
  const inner = projection.get(name);
  if (inner === null) return;
  const own = new Map(inner ?? []);
  add(own, members);
  projection.set(name, own);
}

function unknownField(path: string, name: string, known: Iterable<string>): ErrorDetail {
  const names = [...known];
  const near = closestMatch(name, names);
  const fix = near === null ? `known fields: ${names.join(', ')}` : `did you mean "${near}"?`;
  return { field: 'fields', message: `unknown field ${quoted(path)}; ${fix}` };
}

function unknownMember(path: string): ErrorDetail {
  return { field: 'fields', message: `unknown field ${quoted(path)}; its parent has no such member` };
}

/** The included part of a value. */
export function project(value: Json, projection: Projection | null): Json {
  if (projection === null || !isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => projection.has(name));
  return Object.fromEntries(members.map(([name, held]) => [name, project(held, projection.get(name) ?? null)]));
}

/** The members of a type that a projection includes. */
export function projectMembers(members: readonly Member[], projection: Projection | null): readonly Member[] {
  if (projection === null) return members;
  return members.flatMap((member) => {
    const inner = projection.get(member.name);
    if (inner === undefined) return [];
    if (inner === null || member.type.kind !== 'object') return [member];
    return [{ ...member, type: { ...member.type, members: projectMembers(member.type.members, inner) } }];
  });
}

/** A canonical form of a projection, for cache keys and ETags. */
export function projectionKey(projection: Projection): string {
  const parts = [...projection].map(([name, inner]) => (inner === null ? name : `${name}(${projectionKey(inner)})`));
  return parts.sort().join(',');
}

/** The fields that the included computed members read. */
export function computedFrom(computed: readonly ComputedField[], projection: Projection): readonly string[] {
  return computed.filter(({ name }) => projection.has(name)).flatMap(({ from }) => from);
}
