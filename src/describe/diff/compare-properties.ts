import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import type { Pair } from '../../model/diff/comparers.ts';
import { compareOrder } from '../../model/diff/compare-shapes.ts';
import { type Difference, difference, inside, isAndWas, type Place, shown } from '../../model/diff/difference.ts';
import { isSame } from '../../model/diff/keywords.ts';
import { objectOf, stringsOf } from '../../model/values/access.ts';
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
  const [was, is] = schemas.map(membersOf);
  if (was === undefined || is === undefined) return [];
  const names = [...is.keys(), ...[...was.keys()].filter((name) => !is.has(name))];
  const members = names.flatMap((name) => {
    const pair: Pair<NamedMember | undefined> = [was.get(name), is.get(name)];
    return compareMember(pair, inside(at, shown(name)), { schemas, of });
  });
  const order = [...was.keys()];
  const positions = [...is.keys()].filter((name) => was.has(name)).map((name) => order.indexOf(name));
  return [
    ...members,
    ...(at.responses ? compareOrder(positions, at) : []),
    ...compareFurther(schemas, { ...at, path: `${at.path}.*` }, of),
  ];
}

function membersOf({ properties, required }: JsonObject): ReadonlyMap<string, NamedMember> {
  const mandatory = new Set(stringsOf(required));
  const named = Object.entries(objectOf(properties));
  const unnamed = [...mandatory].filter((name) => !Object.hasOwn(objectOf(properties), name));
  return new Map([
    ...named.map(([name, schema]) => [name, { schema, required: mandatory.has(name) }] as const),
    ...unnamed.map((name) => [name, { schema: true, required: true }] as const),
  ]);
}

interface MemberContext {
  /** Of the objects. */
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
    is === undefined ? difference('field-removed', at, 'was removed') : addedMember(is, at),
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

function addedMember({ required }: NamedMember, at: Place): Difference {
  if (required && at.requests) return difference('required-field-added', at, 'a new required field');
  return difference('field-added', at, 'a new field');
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

function compareFlags([was, is]: Pair<JsonObject>, at: Place): readonly Difference[] {
  const differs = (keyword: string): boolean => (was[keyword] === true) !== (is[keyword] === true);
  const found: Difference[] = [];
  if (at.requests && differs('readOnly')) {
    const isSet = is['readOnly'] === true;
    const what = isSet ? 'is read-only' : 'is no longer read-only';
    found.push(difference(isSet ? 'read-only-added' : 'read-only-removed', at, what));
  }
  if (at.responses && differs('writeOnly')) {
    const isSet = is['writeOnly'] === true;
    const what = isSet ? 'is no longer in responses' : 'is in responses';
    found.push(difference(isSet ? 'write-only-added' : 'write-only-removed', { ...at, requests: false }, what));
  }
  return found;
}

/** Of members that requests leave out. */
function compareDefaults([was, is]: Pair<JsonObject>, at: Place): readonly Difference[] {
  if (!at.requests || isSame(was['default'], is['default'])) return [];
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
