import { fieldOfPath } from '../../../conventions/text/field-path.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import type { Resource, VersionChange } from '../../model.ts';
import { needsValue } from '../../needs-value.ts';
import { readObject, readStrings } from '../../values/access.ts';
import { isAlwaysRequired, lastName, type OlderPaths, schemaAt } from './field-paths.ts';
import { listedValues, olderValues, shownValue } from './listed-values.ts';
import type { DeclaredChange } from './version-step.ts';

type ValuesChange = Extract<VersionChange, { kind: 'values' }>;
type MoveChange = Extract<VersionChange, { kind: 'move' }>;

/**
 * Keywords of stored fields alone. The older version stores no fields, and members of objects have no such keywords.
 */
const STORED_KEYWORDS = ['x-was', 'x-source'];
const FIELD_KEYWORDS = [
  ...STORED_KEYWORDS,
  'readOnly',
  'writeOnly',
  'x-immutable',
  'x-unique',
  'x-references',
  'x-shown-once',
  'x-default',
  'x-override',
];
/** Keywords of a value of the caller. Another form of it cannot be taken from the caller. */
const FILL_KEYWORDS = ['x-default', 'x-override'];
/**
 * Keywords that values of the successor satisfy, and those of the older version may not. They are judged by the
 * successor.
 */
const VALUE_KEYWORDS = [
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
];

/** Derives the schema of a resource from that of its successor. */
export class OlderSchema {
  readonly #resource: Resource;
  readonly #changes: readonly DeclaredChange[];
  readonly #paths: OlderPaths;
  readonly #values: ReadonlyMap<string, ValuesChange>;

  constructor(resource: Resource, changes: readonly DeclaredChange[], paths: OlderPaths) {
    this.#resource = resource;
    this.#changes = changes;
    this.#paths = paths;
    this.#values = new Map(
      changes.flatMap(({ change }) => (change.kind === 'values' ? [[change.field, change] as const] : [])),
    );
  }

  /** Fields keep their places; fields that move, and fields of the older version alone, are the last. */
  derive(): JsonObject {
    const kept = this.#object(this.#resource.schema, '') ?? { ...this.#resource.schema, properties: {}, required: [] };
    const moved = this.#moves().reduce((schema, move) => this.#insert(schema, move), kept);
    const added = this.#changes.flatMap(({ change, schemas }) => (change.kind === 'with' ? [...schemas] : []));
    const properties = readObject(moved['properties']);
    return withMembers(moved, [...Object.entries(properties), ...added], readStrings(moved['required']));
  }

  #moves(): readonly MoveChange[] {
    return this.#changes.flatMap(({ change }) => (change.kind === 'move' ? [change] : []));
  }

  /** An object of the successor without what other places have; null where nothing is left of it. */
  #object(schema: JsonObject, prefix: string): JsonObject | null {
    const required = readStrings(schema['required']);
    const entries = Object.entries(readObject(schema['properties']));
    const kept = entries.map(
      ([name, held]) => [name, this.#members(readObject(held), prefix + name, required)] as const,
    );
    const members = kept.flatMap(([, each]) => each);
    if (members.length === 0 && entries.length > 0) return null;
    const byName = new Map(kept);
    const first = new Set(required.flatMap((name) => byName.get(name) ?? []).filter(({ isRequired }) => isRequired));
    const needed = [...first, ...members.filter((member) => member.isRequired && !first.has(member))];
    return withMembers(
      schema,
      members.map(({ name, schema: held }) => [name, held]),
      needed.map(({ name }) => name),
    );
  }

  /** The members of the older version for a member of the successor: one, none, or those that it converts to. */
  #members(schema: JsonObject, path: string, required: readonly string[]): readonly OlderMember[] {
    const converted = this.#convertedAt(path);
    if (converted !== null) return converted;
    const older = this.#paths.of(path);
    const isMoved = this.#moves().some(({ to }) => to === path);
    if (older === null || isMoved) return [];
    const own = this.#value(schema, path, older);
    if (own === null) return [];
    const name = lastName(older);
    if (this.#values.has(older) && this.#isFilled(path))
      return [{ name, schema: this.#withoutFill(own, path), isRequired: false }];
    return [{ name, schema: own, isRequired: required.includes(lastName(path)) }];
  }

  /** True if a new row gets the value at a path from the caller. */
  #isFilled(path: string): boolean {
    return (this.#resource.field.get(path)?.fill ?? null) !== null;
  }

  /** A value that cannot be taken from the caller, because the older version has another form of it. */
  #withoutFill(schema: JsonObject, path: string): JsonObject {
    const isReadOnly = this.#resource.field.get(path)?.readOnly === true;
    return { ...without(schema, FILL_KEYWORDS), ...(isReadOnly ? { readOnly: true } : {}) };
  }

  /** The fields that are converted, where the first one of the successor stands; null for other paths. */
  #convertedAt(path: string): readonly OlderMember[] | null {
    for (const { change, schemas } of this.#changes) {
      if (change.kind !== 'convert' || !change.to.includes(path)) continue;
      if (change.to[0] !== path) return [];
      const fields = change.to.flatMap((name) => this.#resource.field.get(name) ?? []);
      const isNeeded = fields.some(needsValue);
      const flags = {
        ...(fields.every(({ readOnly }) => readOnly) ? { readOnly: true } : {}),
        ...(fields.some(({ writeOnly }) => writeOnly) ? { writeOnly: true } : {}),
      };
      return [...schemas].map(([name, schema]) => {
        return { name, schema: { ...schema, ...flags }, isRequired: isNeeded && !mayBeUnset(schema) };
      });
    }
    return null;
  }

  /** The schema of a value that keeps its place, or that moves; null for an object of which nothing is left. */
  #value(schema: JsonObject, path: string, older: string): JsonObject | null {
    const plain = without(schema, STORED_KEYWORDS);
    const inner = isJsonObject(plain['properties'])
      ? this.#object(this.#withOlderDefault(plain, path), `${path}.`)
      : plain;
    const values = this.#values.get(older);
    if (inner === null || values === undefined) return inner;
    if (!isJsonObject(inner['items'])) return withValues(inner, values);
    return { ...inner, items: withValues(inner['items'], values), ...shownDefault(inner, values) };
  }

  /** An object whose default has the names and values of the older version. */
  #withOlderDefault(schema: JsonObject, path: string): JsonObject {
    const { default: initial } = schema;
    return isJsonObject(initial) ? { ...schema, default: this.#olderDefault(initial, path) } : schema;
  }

  #olderDefault(initial: JsonObject, path: string): JsonObject {
    const entries = Object.entries(initial).flatMap(([name, held]): readonly (readonly [string, Json])[] => {
      const newer = `${path}.${name}`;
      const older = this.#paths.of(newer);
      if (older === null || this.#moves().some(({ to }) => to === newer)) return [];
      const values = this.#values.get(older);
      const shown = values === undefined ? held : shownItems(held, values);
      return [[lastName(older), isJsonObject(shown) ? this.#olderDefault(shown, newer) : shown]];
    });
    return Object.fromEntries(entries);
  }

  #insert(root: JsonObject, { from, to }: MoveChange): JsonObject {
    const declared = schemaAt(this.#resource.schema, to);
    const value = this.#value(declared, to, from) ?? declared;
    const schema = from.includes('.') ? without(value, FIELD_KEYWORDS) : { ...value, ...this.#flagsAround(to) };
    const isRequired = isAlwaysRequired(this.#resource.schema, to) && !this.#isFilled(to);
    return inserted(root, from.split('.'), schema, isRequired);
  }

  /** Keywords that a member inherits if it becomes a field of its own: no client reads it, or no client writes it. */
  #flagsAround(to: string): JsonObject {
    const holder = this.#resource.field.get(fieldOfPath(to));
    return {
      ...(holder?.readOnly === true ? { readOnly: true } : {}),
      ...(holder?.writeOnly === true ? { writeOnly: true } : {}),
    };
  }
}

/** True for the schema of a field of the older version alone that no client needs to send. */
export function mayBeUnset(schema: JsonObject): boolean {
  return readStrings(schema['type']).includes('null') || schema['default'] !== undefined;
}

/** A member of an object of the older version. */
interface OlderMember {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** Adds a member at a path to an object and to the objects on the way, which are made where there are none. */
function inserted(object: JsonObject, path: readonly string[], schema: JsonObject, isRequired: boolean): JsonObject {
  const [name = '', ...rest] = path;
  const properties = readObject(object['properties']);
  const held = properties[name];
  const member =
    rest.length === 0 ? schema : inserted(isJsonObject(held) ? held : { type: 'object' }, rest, schema, isRequired);
  const required = readStrings(object['required']);
  const entries = Object.entries({ ...properties, [name]: member });
  return withMembers(object, entries, isRequired && !required.includes(name) ? [...required, name] : required);
}

function withMembers(
  schema: JsonObject,
  members: readonly (readonly [name: string, schema: Json])[],
  required: readonly string[],
): JsonObject {
  const hasRequired = required.length > 0 || 'required' in schema;
  return {
    ...schema,
    ...(members.length > 0 || 'properties' in schema ? { properties: Object.fromEntries(members) } : {}),
    ...(hasRequired ? { required } : {}),
  };
}

/** The schema of a value whose listed values differ. */
function withValues(schema: JsonObject, change: ValuesChange): JsonObject {
  const listed = listedValues(schema);
  const { const: _const, enum: _enum, ...plain } = without(schema, VALUE_KEYWORDS);
  const values = listed === null ? [] : olderValues(listed, change);
  const single = 'const' in schema && values.length === 1 ? values[0] : undefined;
  return {
    ...plain,
    ...(single === undefined ? (listed === null ? {} : { enum: values }) : { const: single }),
    ...shownDefault(schema, change),
  };
}

/** The default of a value, or of an array of values. */
function shownDefault({ default: initial }: JsonObject, change: ValuesChange): JsonObject {
  return initial === undefined ? {} : { default: shownItems(initial, change) };
}

/** The older value, or each of an array. */
function shownItems(value: Json, change: ValuesChange): Json {
  return Array.isArray(value) ? value.map((item: Json) => shownValue(item, change)) : shownValue(value, change);
}

function without(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}
