import { isJsonObject, type Json } from '../conventions/json/json.ts';
import type { Model, Resource, Shape, VersionChange } from '../model/model.ts';
import { storedMember } from '../model/row-key.ts';
import type { FieldValues, Row } from '../plan/plan.ts';
import { ancestorMembers } from '../plan/row-address.ts';
import { Assignment } from './assignment.ts';
import { isChanged } from './changed-names.ts';
import { addFields, findSource, storedPathTo, type Source, type FieldSources, evaluateSource } from './sources.ts';

/** The stored place of a property of an older contract. */
export interface StoredProperty {
  readonly path: string;
  /** The difference of its values; null if they are the same. */
  readonly values: Extract<VersionChange, { kind: 'values' }> | null;
}

/** A value of a field that the older contract does not know, in a row that is created through it. */
export interface Fill {
  readonly source: Source;
  readonly value: Json;
}

/** A resource in both contracts. */
export interface MappedResource {
  readonly older: Resource;
  readonly stored: Resource;
  readonly sources: FieldSources;
  readonly fills: readonly Fill[];
  /** The resources of the newest contract. */
  readonly resources: Model['resources'];
}

/** The mapping between stored rows of one resource and those of an older contract. */
export class ResourceMapping {
  readonly older: Resource;
  readonly stored: Resource;
  readonly #sources: FieldSources;
  readonly #fills: readonly Fill[];
  readonly #members: readonly MemberReader[];
  readonly #hidden: readonly MemberReader[];
  readonly #properties = new Map<string, StoredProperty | null>();
  readonly #names: ReadonlyMap<string, string>;

  constructor({ older, stored, sources, fills, resources }: MappedResource) {
    this.older = older;
    this.stored = stored;
    this.#sources = sources;
    this.#fills = fills;
    this.#members = older.fields.map((field) => [
      field.name,
      compileReader(this.findSource(field.name), field, stored.table === null),
    ]);
    this.#hidden = [...hiddenMembers({ older, stored, sources, resources }), ...this.#positions()];
    this.#names = namesDown(older, stored, sources);
  }

  /** A stored row as the older contract has it: one object, because pages have many of them. */
  down(row: Row): Row {
    const { id, created_at, updated_at, revision } = row;
    const fields: Record<string, Json> & { id: string } = { id };
    for (const [name, read] of this.#members) fields[name] = read(row);
    const older = Object.assign(fields, { created_at, updated_at, revision });
    for (const [name, read] of this.#hidden) fields[name] = read(row);
    return older;
  }

  /**
   * The stored values that values of the older contract mean. What they leave as it is keeps its stored value, and so
   * do fields that the contract does not know (VER-5).
   *
   * @param current null for a new row
   */
  up(values: FieldValues, current: Row | null): FieldValues {
    const row = current === null ? null : storedValues(this.stored, current);
    const assignment = new Assignment(row, (source) => shapeAt(this.stored, storedPathTo(source)));
    if (current === null) for (const { source, value } of this.#fills) assignment.write(source, value);
    for (const [name, value] of Object.entries(values)) {
      const source = this.findSource(name);
      if (source !== null) assignment.write(source, value, this.older.field.get(name) ?? null);
    }
    return assignment.finish();
  }

  /** The stored fields that fields of the older contract are made of. @param columns by name */
  columns(columns: readonly string[]): readonly string[] {
    const needed = new Set<string>();
    for (const name of columns) {
      const source = this.findSource(name);
      if (source !== null) addFields(source, needed);
    }
    return this.stored.fields.flatMap(({ name }) => (needed.has(name) ? [name] : []));
  }

  /**
   * The stored fields of which the older contract shows nothing.
   *
   * @param hidden the fields of the older contract that it does not show, either
   */
  hiddenFields(hidden: ReadonlySet<string>): ReadonlySet<string> {
    const shown = new Set(this.columns(this.older.fields.flatMap(({ name }) => (hidden.has(name) ? [] : [name]))));
    return new Set(this.stored.fields.flatMap(({ name }) => (shown.has(name) ? [] : [name])));
  }

  /** The field of the older contract that has the values of a stored one, whatever its name; null if none has. */
  sameField(stored: string): string | null {
    const found = this.older.fields.find(({ name }) => {
      const source = this.findSource(name);
      return source?.kind === 'field' && source.name === stored;
    });
    return found?.name ?? null;
  }

  /** Finds the stored place of a property; null if it is not at one place. */
  property(path: string): StoredProperty | null {
    const known = this.#properties.get(path);
    if (known !== undefined) return known;
    const source = isSystemPath(path) ? null : this.#find(path);
    const found = isSystemPath(path) ? { path, values: null } : source === null ? null : storedProperty(source);
    this.#properties.set(path, found);
    return found;
  }

  /**
   * The field of an error's details in the older contract; null where that does not know it.
   *
   * @param field `tags[2]`, `address.city`
   */
  nameOf(field: string): string | null {
    for (let path = field; path !== ''; path = path.replace(/(?:\[\d+\]|\.?[^.[]+)$/, '')) {
      const older = this.#names.get(path);
      if (older !== undefined) return `${older}${field.slice(path.length)}`;
    }
    const [name = ''] = field.split(/[.[]/, 1);
    return this.stored.field.has(name) ? null : field;
  }

  /**
   * The fields of the older contract whose values a change of a stored one changes.
   *
   * @param members the paths at which objects differ, as far as they are known
   */
  changed(field: string, members: readonly string[]): readonly string[] {
    if (!this.stored.field.has(field)) return [field];
    const own = members.filter((path) => path === field || path.startsWith(`${field}.`));
    const change = { field, paths: own.length === 0 ? null : own };
    return this.older.fields.flatMap(({ name }) => {
      const source = this.findSource(name);
      return source !== null && isChanged(source, change) ? [name] : [];
    });
  }

  /** The source of a field of the older contract; null where it has none. */
  findSource(name: string): Source | null {
    const { parent } = this.older;
    if (parent?.field === name) return { kind: 'field', name: this.stored.parent?.field ?? name };
    return this.#sources.get(name) ?? null;
  }

  /** The members of a row of a table that exists that have its positions in orders (`model/row-key.ts`). */
  #positions(): readonly MemberReader[] {
    if (this.stored.table === null) return [];
    return [...this.older.properties.values()].flatMap(({ path, sortable }): readonly MemberReader[] => {
      const found = sortable ? this.property(path) : null;
      if (found === null) return [];
      const member = storedMember(found.path);
      return [[storedMember(path), (row) => row[member] ?? null]];
    });
  }

  #find(path: string): Source | null {
    const { parent } = this.older;
    return parent?.field === path ? this.findSource(path) : findSource(this.#sources, path);
  }
}

type MemberReader = readonly [name: string, read: (row: Row) => Json];

const SYSTEM = new Set(['id', 'created_at', 'updated_at', 'revision']);

function isSystemPath(path: string): boolean {
  return SYSTEM.has(path);
}

/** The shape of a stored value. @param path null, or dotted */
function shapeAt({ field }: Resource, path: string | null): Shape | null {
  const [name = '', ...rest] = path?.split('.') ?? [];
  return rest.reduce<Shape | null>((shape, member) => {
    if (shape?.type.kind !== 'object') return null;
    return shape.type.members.find((each) => each.name === member) ?? null;
  }, field.get(name) ?? null);
}

/**
 * A field of the same value is read as fast as a stored one. An unset array is empty wherever the server stores it
 * (REP-4).
 *
 * @param isOwn true for rows that the server stores
 */
function compileReader(source: Source | null, shape: Shape, isOwn: boolean): (row: Row) => Json {
  if (source === null) return () => null;
  if (shape.type.kind === 'array' && isOwn) return (row) => evaluateSource(source, row) ?? [];
  if (source.kind === 'object') {
    const complete = completed(shape);
    return (row) => complete(evaluateSource(source, row));
  }
  if (source.kind !== 'field') return (row) => evaluateSource(source, row);
  const { name } = source;
  return (row) => row[name] ?? null;
}

/** Inside a set object every member is present (REP-4), also where only one that was moved into it is stored. */
function completed({ type }: Shape): (value: Json) => Json {
  if (type.kind !== 'object') return (value) => value;
  const members = type.members.map((member) => ({
    name: member.name,
    complete: completed(member),
    unset: member.type.kind === 'array' ? [] : null,
  }));
  return (value) => {
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(members.map(({ name, complete, unset }) => [name, complete(value[name] ?? unset)]));
  };
}

/** The members of a row that hold ids above it, and above rows that it refers to (`model/row-key.ts`). */
function hiddenMembers({ older, stored, sources, resources }: Omit<MappedResource, 'fills'>): readonly MemberReader[] {
  const above = older.parentKey.slice(1).map((name, level) => [name, stored.parentKey[level + 1] ?? name] as const);
  const references = older.fields.flatMap(({ name, reference }) => {
    const source = sources.get(name);
    const target = resources.get(reference?.resource ?? '');
    if (target === undefined || source?.kind !== 'field') return [];
    const from = ancestorMembers(source.name, target, resources);
    return ancestorMembers(name, target, resources).map(
      ({ member }, level) => [member, from[level]?.member ?? member] as const,
    );
  });
  return [...above, ...references].map(([name, from]) => [name, (row) => row[from] ?? null]);
}

function storedValues({ fields }: Resource, row: Row): FieldValues {
  return Object.fromEntries(fields.map(({ name }) => [name, row[name] ?? null]));
}

function storedProperty(source: Source): StoredProperty | null {
  if (source.kind === 'values') {
    const path = storedPathTo(source.of);
    return path === null ? null : { path, values: source.change };
  }
  const path = storedPathTo(source);
  return path === null ? null : { path, values: null };
}

/** The paths of the older contract by those that they are stored at, members of objects that have moved included. */
function namesDown(older: Resource, stored: Resource, sources: FieldSources): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const add = (path: string, source: Source): void => {
    switch (source.kind) {
      case 'field':
      case 'member': {
        const from = storedPathTo(source);
        if (from !== null) names.set(from, path);
        return;
      }
      case 'values':
        add(path, source.of);
        return;
      case 'object':
        if (source.of !== null) add(path, source.of);
        for (const [name, member] of source.members) if (member !== null) add(`${path}.${name}`, member);
        return;
      case 'converted':
        for (const input of source.conversion.inputs.values()) add(path, input);
        return;
      case 'constant':
    }
  };
  for (const [name, source] of sources) add(name, source);
  if (older.parent !== null && stored.parent !== null) names.set(stored.parent.field, older.parent.field);
  return names;
}
