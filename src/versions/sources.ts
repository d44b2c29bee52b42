import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { newerPaths, type VersionChange } from '../model/contract-version.ts';
import type { FieldValues } from '../plan/plan.ts';
import { isUnsetValue } from './shown-values.ts';

/**
 * The source of a value of an older contract: an expression over the fields of stored rows. The changes of all versions
 * between make one expression, so that the tenth version costs what the first does.
 */
export type Source =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'values'; readonly of: Source; readonly change: Extract<VersionChange, { kind: 'values' }> }
  /** A member that is taken out of an object; the object no longer has it. */
  | { readonly kind: 'member'; readonly of: Source; readonly name: string }
  /**
   * An object with other members: null for one that it lacks. `of` is null for an object that is made of these alone.
   */
  | { readonly kind: 'object'; readonly of: Source | null; readonly members: ReadonlyMap<string, Source | null> }
  | { readonly kind: 'converted'; readonly conversion: Conversion; readonly name: string };

/** One use of a pair of functions. */
export interface Conversion {
  readonly change: Extract<VersionChange, { kind: 'convert' }>;
  /** The sources of the values that `down` gets, by their names in the successor. */
  readonly inputs: ReadonlyMap<string, Source>;
}

/** The fields that a contract shows, and where each comes from. */
export type FieldSources = ReadonlyMap<string, Source>;

/** Sources of the newest contract. */
export function storedSources(fields: readonly string[]): FieldSources {
  return new Map(fields.map((name) => [name, { kind: 'field', name }]));
}

/** The sources of an older contract. @param sources of its successor */
export function olderSources(sources: FieldSources, changes: readonly VersionChange[]): FieldSources {
  // All changes apply together: two fields may exchange their names.
  const taken = new Map<string, Source>();
  let older = sources;
  // Inner paths first: an object that has another name takes along what has become of its members.
  for (const path of changes.flatMap(newerPaths).toSorted((a, b) => measureDepth(b) - measureDepth(a))) {
    taken.set(path, sourceAt(older, path));
    older = edited(older, path, null);
  }
  const added = changes.flatMap((change) => additions(taken, change));
  for (const [path, source] of added.toSorted(([a], [b]) => measureDepth(a) - measureDepth(b)))
    older = edited(older, path, source);
  for (const change of changes) {
    if (change.kind !== 'values') continue;
    older = edited(older, change.field, { kind: 'values', of: sourceAt(older, change.field), change });
  }
  return older;
}

function measureDepth(path: string): number {
  return path.split('.').length;
}

/**
 * Lists the sources that a change adds to the older version.
 *
 * @param taken what it replaces in the successor, by path
 */
function additions(
  taken: ReadonlyMap<string, Source>,
  change: VersionChange,
): readonly (readonly [path: string, Source])[] {
  switch (change.kind) {
    case 'rename':
    case 'move':
      return [[change.from, takenAt(taken, change.to)]];
    case 'with':
      return [[change.field, { kind: 'constant', value: change.out }]];
    case 'convert': {
      const inputs = new Map(change.to.map((path) => [path, takenAt(taken, path)] as const));
      const conversion = { change, inputs };
      return change.from.map((name) => [name, { kind: 'converted', conversion, name }]);
    }
    case 'without':
    case 'fill':
    case 'values':
    case 'names':
    case 'absent':
      return [];
  }
}

/** @throws {Error} no such path: each is taken first */
function takenAt(taken: ReadonlyMap<string, Source>, path: string): Source {
  const source = taken.get(path);
  if (source === undefined) throw new Error(`no change takes ${path}`);
  return source;
}

/** @throws {Error} no such field: the model was checked */
function sourceAt(sources: FieldSources, path: string): Source {
  const found = findSource(sources, path);
  if (found === null) throw new Error(`a version has no field ${path}`);
  return found;
}

/** Finds the source of the value at a path; null if there is none. */
export function findSource(sources: FieldSources, path: string): Source | null {
  const [name = '', ...rest] = path.split('.');
  return rest.reduce<Source | null>(
    (source, member) => (source === null ? null : findMember(source, member)),
    sources.get(name) ?? null,
  );
}

/** null where the object lacks the member. */
function findMember(source: Source, name: string): Source | null {
  if (source.kind !== 'object') return { kind: 'member', of: source, name };
  const known = source.members.get(name);
  if (known !== undefined) return known;
  return source.of === null ? null : { kind: 'member', of: source.of, name };
}

/** @param source null removes what is at the path */
function edited(sources: FieldSources, path: string, source: Source | null): FieldSources {
  const [name = '', ...rest] = path.split('.');
  const next = new Map(sources);
  const value = rest.length === 0 ? source : editedObject(sources.get(name) ?? null, rest, source);
  if (value === null) next.delete(name);
  else next.set(name, value);
  return next;
}

function editedObject(of: Source | null, [name = '', ...rest]: readonly string[], source: Source | null): Source {
  const base = of?.kind === 'object' ? of : { of, members: new Map<string, Source | null>() };
  const held = of === null ? null : findMember(of, name);
  const member = rest.length === 0 ? source : editedObject(held, rest, source);
  return { kind: 'object', of: base.of, members: new Map([...base.members, [name, member]]) };
}

/** The path of what is stored as it is shown; null where it is at no one place. */
export function storedPathTo(source: Source): string | null {
  if (source.kind === 'field') return source.name;
  if (source.kind !== 'member') return null;
  const above = storedPathTo(source.of);
  return above === null ? null : `${above}.${source.name}`;
}

/** Adds the stored fields that a source reads. */
export function addFields(source: Source, fields: Set<string>): void {
  switch (source.kind) {
    case 'field':
      fields.add(source.name);
      return;
    case 'constant':
      return;
    case 'values':
    case 'member':
      addFields(source.of, fields);
      return;
    case 'object':
      if (source.of !== null) addFields(source.of, fields);
      for (const member of source.members.values()) if (member !== null) addFields(member, fields);
      return;
    case 'converted':
      for (const input of source.conversion.inputs.values()) addFields(input, fields);
  }
}

/** Parts of conversions that were written, but are not in the row yet. */
export type Parts = ReadonlyMap<Conversion, JsonObject>;

const NO_PARTS: Parts = new Map();

/** The value of a source in a stored row. @param parts values of conversions that replace those of the row */
export function evaluateSource(source: Source, row: FieldValues, parts: Parts = NO_PARTS): Json {
  switch (source.kind) {
    case 'field':
      return row[source.name] ?? null;
    case 'constant':
      return source.value;
    case 'values':
      return mapped(evaluateSource(source.of, row, parts), source.change.down);
    case 'member': {
      const object = evaluateSource(source.of, row, parts);
      return isJsonObject(object) ? (object[source.name] ?? null) : null;
    }
    case 'object':
      return objectValue(source, row, parts);
    case 'converted': {
      const written = parts.get(source.conversion);
      if (written !== undefined && Object.hasOwn(written, source.name)) return written[source.name] ?? null;
      return convertedValues(source.conversion, row, parts)[source.name] ?? null;
    }
  }
}

/** null where the object is unset and none of the members that were moved into it is set. */
function objectValue({ of, members }: Extract<Source, { kind: 'object' }>, row: FieldValues, parts: Parts): Json {
  const base = of === null ? null : evaluateSource(of, row, parts);
  const value: Record<string, Json> = {};
  if (isJsonObject(base)) for (const name in base) if (!members.has(name)) value[name] = base[name] ?? null;
  let isSet = isJsonObject(base);
  for (const [name, source] of members) {
    if (source === null) continue;
    const member = evaluateSource(source, row, parts);
    value[name] = member;
    isSet ||= !isUnsetValue(member);
  }
  return isSet ? value : null;
}

function convertedValues({ change, inputs }: Conversion, row: FieldValues, parts: Parts): JsonObject {
  return change.down(
    Object.fromEntries([...inputs].map(([name, source]) => [name, evaluateSource(source, row, parts)])),
  );
}

/** True if two sources without changed members are one place. */
export function isSameSource(one: Source, other: Source): boolean {
  if (one.kind === 'field') return other.kind === 'field' && one.name === other.name;
  if (one.kind === 'member')
    return other.kind === 'member' && one.name === other.name && isSameSource(one.of, other.of);
  if (one.kind === 'converted')
    return other.kind === 'converted' && one.name === other.name && one.conversion === other.conversion;
  return one === other;
}

/** Maps a value, or each item of an array. Values that are not listed stay. */
export function mapped(value: Json, values: ReadonlyMap<string, Json>): Json {
  if (Array.isArray(value)) return value.map((item: Json) => mapped(item, values));
  return values.get(JSON.stringify(value)) ?? value;
}
