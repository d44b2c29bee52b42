import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { READ_ONLY, WRITE_ONLY } from '../../model/diff/compare-fields.ts';
import { addedField, compareOrder, removedMember } from '../../model/diff/compare-shapes.ts';
import { matched, type Pair } from '../../model/diff/comparers.ts';
import { type Difference, difference, inside, isAndWas, type Place, shown } from '../../model/diff/difference.ts';
import { isSameJson } from '../../model/diff/keywords.ts';
import { readObject, readStrings } from '../../model/values/access.ts';
import type { SchemaComparer, SchemaPlace } from './schema-comparer.ts';

/** A member of an object in one of two schemas. */
interface NamedMember {
  readonly schema: Json;
  readonly required: boolean;
}

/** The differences of the members of two objects, and of the members that are not named. */
export function compareProperties(
  schemas: Pair<JsonObject>,
  at: SchemaPlace,
  of: SchemaComparer,
): readonly Difference[] {
  const [was, is] = schemas.map(readMembers);
  if (was === undefined || is === undefined) return [];
  const names = new Set([...is.keys(), ...was.keys()]);
  return [
    ...[...names].flatMap((name) =>
      compareMember([was.get(name), is.get(name)], inside(at, shown(name)), { schemas, of }),
    ),
    ...(at.responses ? compareOrder(matched(was, is), was.values(), at) : []),
    ...compareFurther(schemas, { ...at, path: `${at.path}.*` }, of),
  ];
}

function readMembers({ properties, required }: JsonObject): ReadonlyMap<string, NamedMember> {
  const mandatory = new Set(readStrings(required));
  const named = Object.entries(readObject(properties));
  const unnamed = [...mandatory].filter((name) => !Object.hasOwn(readObject(properties), name));
  return new Map([
    ...named.map(([name, schema]) => [name, { schema, required: mandatory.has(name) }] as const),
    ...unnamed.map((name) => [name, { schema: true, required: true }] as const),
  ]);
}

interface MemberContext {
  /** The schemas of the objects. */
  readonly schemas: Pair<JsonObject>;
  readonly of: SchemaComparer;
}

function compareMember(
  [was, is]: Pair<NamedMember | undefined>,
  place: SchemaPlace,
  { schemas, of }: MemberContext,
): readonly Difference[] {
  const forms = [of.readers[0].form(was?.schema), of.readers[1].form(is?.schema)].map(({ keywords }) => keywords);
  const present = [was, is].flatMap((member, side) => (member === undefined ? [] : [forms[side] ?? {}]));
  // A read-only member is no part of requests, and a write-only one none of responses.
  const at: SchemaPlace = {
    ...place,
    requests: place.requests && !present.every(({ readOnly }) => readOnly === true),
    responses: place.responses && !present.every(({ writeOnly }) => writeOnly === true),
  };
  if (!at.requests && !at.responses) return [];
  if (was !== undefined && is !== undefined) {
    const keywords: Pair<JsonObject> = [forms[0] ?? {}, forms[1] ?? {}];
    return [
      ...compareFlags(keywords, at),
      ...compareRequired([was, is], at),
      ...of.compare(was.schema, is.schema, at),
      ...compareDefaults(keywords, at),
    ];
  }
  return [
    is === undefined ? removedMember(at) : addedField(is.required, at),
    ...compareToFurther([was, is], at, { schemas, of }),
  ];
}

/** A member that only one schema names is compared with the members without a name of the other one. */
function compareToFurther(
  [was, is]: Pair<NamedMember | undefined>,
  at: SchemaPlace,
  { schemas, of }: MemberContext,
): readonly Difference[] {
  const further = schemas[was === undefined ? 0 : 1]['additionalProperties'];
  if (at.isForm === true || !isJsonObject(further)) return [];
  return was === undefined ? of.compare(further, is?.schema, at) : of.compare(was.schema, further, at);
}

function compareRequired([was, is]: Pair<NamedMember>, at: Place): readonly Difference[] {
  if (was.required === is.required) return [];
  const [requests, responses] = is.required
    ? ([
        ['field-required', 'is required'],
        ['member-always-present', 'is always present'],
      ] as const)
    : ([
        ['field-not-required', 'is no longer required'],
        ['member-not-always-present', 'is no longer always present'],
      ] as const);
  return [
    ...(at.requests ? [difference(requests[0], { ...at, responses: false }, requests[1])] : []),
    ...(at.responses ? [difference(responses[0], { ...at, requests: false }, responses[1])] : []),
  ];
}

function compareFlags(schemas: Pair<JsonObject>, at: Place): readonly Difference[] {
  const [was, is] = schemas;
  return [
    ...(at.requests ? READ_ONLY(was['readOnly'] === true, is['readOnly'] === true, at, schemas) : []),
    ...(at.responses
      ? WRITE_ONLY(was['writeOnly'] === true, is['writeOnly'] === true, { ...at, requests: false }, schemas)
      : []),
  ];
}

/** Compares the defaults of members that requests leave out. */
function compareDefaults([was, is]: Pair<JsonObject>, at: Place): readonly Difference[] {
  if (!at.requests || isSameJson(was['default'], is['default'])) return [];
  const what = `the default ${isAndWas(is['default'], was['default'])}`;
  return [difference('default-changed', { ...at, responses: false }, what)];
}

/** Members that have no name in the schema: any, none, or those of a schema. */
function compareFurther([was, is]: Pair<JsonObject>, at: SchemaPlace, of: SchemaComparer): readonly Difference[] {
  const [before, after] = [was['additionalProperties'] ?? true, is['additionalProperties'] ?? true];
  if (before === after) return [];
  if (before !== false && after !== false) return of.compare(before, after, at);
  if (after === false) return [difference('values-narrower', at, 'further members are no longer allowed')];
  return [difference('values-wider', at, 'further members are allowed')];
}
