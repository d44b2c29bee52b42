import type { Json, JsonObject } from '../../conventions/json/json.ts';
import type { Field, Model, Resource, ValueType } from '../../model/model.ts';
import { readObject, readString } from '../../model/values/access.ts';
import { allowedValues } from '../../model/values/assertion.ts';
import { resourceErrorCodes } from '../surface/resource-error-codes.ts';
import { type PlacedResource, placeResources } from '../surface/placed-resource.ts';
import { findLargest, measureText } from './fit-text.ts';
import { writeCollectionPath } from './list-collections.ts';

/** Most bytes of a description, as JSON. */
const MAX_BYTES = 1_400;

/** The extents of a description, from the whole one to that of a collection with very many fields. */
const EXTENTS = ['whole', 'without-texts', 'short'] as const;
type Extent = (typeof EXTENTS)[number];

/**
 * Describes a collection for an agent: fields, filters, sorting, states, relations and errors. A long description
 * leaves out texts first, then the end of its lists, which `/openapi.json` has.
 */
export function describeCollection(model: Model, { name }: Pick<Resource, 'name'>): JsonObject {
  const all = placeResources(model);
  const placed = all.find(({ resource }) => resource.name === name);
  if (placed === undefined) throw new Error(`the model has no resource ${name}`);
  const children = all.filter(({ above: [parent] }) => parent?.name === name);
  const described = { placed, children, model };
  for (const extent of EXTENTS) {
    const description = describe(described, extent);
    if (isShortEnough(description)) return description;
  }
  return shorten(describe(described, 'short'));
}

/** A resource of a model, and those below it. */
interface DescribedCollection {
  readonly placed: PlacedResource;
  readonly children: readonly PlacedResource[];
  readonly model: Model;
}

function describe({ placed, children, model }: DescribedCollection, extent: Extent): JsonObject {
  const { resource, above, filterable, sortKeys, relations } = placed;
  const { state, search } = resource;
  return {
    collection: writeCollectionPath(resource, above),
    ...writeText(extent, resource.schema),
    ...(resource.readOnly ? { operations: 'query and get only' } : {}),
    id: describeId(resource),
    fields: describeFields(placed, extent),
    filters: writeNames(
      filterable.map(({ path, type }) => (type.kind === 'json' ? `${path}.<member>` : path)),
      extent,
    ),
    operators: 'field, or field[ne gt gte lt lte in nin exists contains starts_with]',
    ...(search.length === 0 ? {} : { search: `filter q: words of ${search.join(', ')}` }),
    sort: writeNames(sortKeys, extent),
    ...(state === null ? {} : { states: describeStates(state) }),
    ...(relations.length === 0 ? {} : { expand: relations.map((each) => each.name).join(', ') }),
    ...(children.length === 0
      ? {}
      : { children: children.map((each) => writeCollectionPath(each.resource, each.above)).join(', ') }),
    errors: describeErrors(placed, model),
  };
}

function writeText(extent: Extent, { description }: JsonObject): JsonObject {
  const text = readString(description);
  return extent !== 'whole' || text === null ? {} : { description: text };
}

function writeNames(names: readonly string[], extent: Extent): string {
  return extent === 'short' && names.length > 12 ? `${names.slice(0, 12).join(', ')}, ...` : names.join(', ');
}

function describeId({ id, readOnly }: Resource): string {
  if (readOnly) return 'made by the server';
  if (id.kind === 'server') return 'made by the server';
  return id.optional ? 'data.id, or made by the server' : 'data.id, required';
}

/** Describes the fields by name: the type, the rules that a write must keep, and the text. */
function describeFields({ readable, writable, resource }: PlacedResource, extent: Extent): JsonObject {
  const properties = readObject(resource.schema['properties']);
  const sent = new Set(writable);
  const known = [...new Set([...readable, ...writable])];
  const own = known.map((field) => {
    const declared = readObject(properties[field.name]);
    const rules = extent === 'short' ? [] : listRules(field, sent.has(field), resource);
    const text = extent === 'whole' ? readString(declared['description']) : null;
    const type = describeType(field, declared, extent);
    return [field.name, [type, ...rules].join(', ') + (text === null ? '' : `: ${text}`)] as const;
  });
  const computed = resource.computed.map(({ name, type }) => [name, `${type.kind}, read-only`] as const);
  return Object.fromEntries([...own, ...computed]);
}

function listRules(field: Field, isWritable: boolean, { uniques }: Resource): readonly string[] {
  const { name, required, readOnly, writeOnly, immutable, default: fallback } = field;
  const rules: readonly (readonly [holds: boolean, rule: string])[] = [
    [required && fallback === undefined && isWritable, 'required'],
    [fallback !== undefined && fallback !== null, `default ${JSON.stringify(fallback)}`],
    [readOnly || !isWritable, 'read-only'],
    [writeOnly, 'write-only'],
    [immutable, 'immutable'],
    [uniques.some((names) => names.length === 1 && names[0] === name), 'unique'],
  ];
  return rules.filter(([holds]) => holds).map(([, rule]) => rule);
}

function describeType({ type, reference }: Field, declared: JsonObject, extent: Extent): string {
  if (reference !== null) return `${type.kind === 'array' ? 'ids' : 'id'} of ${reference.resource}`;
  const allowed = allowedValues(declared) ?? [];
  const most = extent === 'short' ? 4 : 20;
  if (allowed.length > 0 && allowed.length <= most) return allowed.map((value) => JSON.stringify(value)).join(' | ');
  const bounds = extent === 'short' ? [] : listBounds(declared);
  return [nameType(type), ...bounds].join(' ');
}

function listBounds(declared: JsonObject): readonly string[] {
  return ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'maxItems'].flatMap((name) =>
    declared[name] === undefined ? [] : [`${name} ${JSON.stringify(declared[name])}`],
  );
}

function nameType(type: ValueType): string {
  switch (type.kind) {
    case 'text':
      return type.format ?? 'string';
    case 'decimal':
    case 'int64':
      return `${type.kind} as string`;
    case 'binary':
      return 'base64';
    case 'object':
      return `{${type.members.map(({ name, type: inner }) => `${name}: ${nameType(inner)}`).join(', ')}}`;
    case 'map':
      return `map of ${nameType(type.value.type)}`;
    case 'array':
      return `list of ${nameType(type.item.type)}`;
    case 'integer':
    case 'number':
    case 'boolean':
    case 'date-time':
      return type.kind;
    case 'json':
      return 'any JSON';
  }
}

function describeStates({ field, initial, transitions }: NonNullable<Resource['state']>): JsonObject {
  const moves = [...transitions]
    .filter(([, to]) => to.size > 0)
    .map(([from, to]) => [from, [...to].join(', ')] as const);
  return { field, initial, moves: Object.fromEntries(moves) };
}

/** The error codes of writes of the resource, those that every API has left out. */
function describeErrors({ resource, above }: PlacedResource, model: Model): string {
  const kinds = resource.readOnly ? (['get'] as const) : (['get', 'create', 'patch', 'delete'] as const);
  const codes = kinds.flatMap((kind) => resourceErrorCodes({ kind, resource, above }, { model, isNewest: true }));
  return [...new Set(codes.map(([code]) => code))].filter((code) => code.startsWith(resource.code)).join(', ');
}

/** Cuts the lists of a description until it is short enough. */
function shorten(description: JsonObject): JsonObject {
  const fields = Object.entries(readObject(description['fields']));
  const states = readObject(description['states']);
  const rest = { ...description, ...('moves' in states ? { states: { ...states, moves: 'see /openapi.json' } } : {}) };
  const cut = (count: number): JsonObject => {
    const shown = Object.fromEntries(fields.slice(0, count).map(([name, text]) => [name, cutText(text)]));
    const more = count === fields.length ? {} : { more: `${fields.length - count} fields, see /openapi.json` };
    return { ...rest, fields: shown, ...more };
  };
  const whole = cut(fields.length);
  if (isShortEnough(whole)) return whole;
  const count = findLargest(fields.length - 1, (each) => isShortEnough(cut(each)));
  return count === 0 ? { collection: description['collection'] ?? null, more: 'see /openapi.json' } : cut(count);
}

function cutText(text: Json): Json {
  return typeof text !== 'string' || text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

function isShortEnough(value: JsonObject): boolean {
  return measureText(JSON.stringify(value)) <= MAX_BYTES;
}
