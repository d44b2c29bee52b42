import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import type { ValueForm } from '../../model/diff/compare-values.ts';
import { isSameJson } from '../../model/diff/keywords.ts';
import { readArray, readNumber, readObject, readString, readStrings } from '../../model/values/access.ts';
import { type ApiDescription, DescriptionError, followReference } from './api-description.ts';
import { shown } from '../../model/diff/difference.ts';

/** A schema in one form for all versions of OpenAPI: references are followed, and `allOf` is merged. */
export interface SchemaForm extends ValueForm {
  /** Name of the component; null for an inline schema. */
  readonly name: string | null;
  /** All other keywords, without texts for people. */
  readonly keywords: JsonObject;
  /** The alternatives of `anyOf` or `oneOf`, where there are several, without null. */
  readonly alternatives: readonly Json[] | null;
}

const ANY: SchemaForm = { name: null, types: null, nullable: true, keywords: {}, alternatives: null };
const NEVER: SchemaForm = { ...ANY, types: new Set(), nullable: false };

/** Texts for people, and what another member of the form has. */
const IGNORED: ReadonlySet<string> = new Set([
  'title',
  'description',
  'example',
  'examples',
  'externalDocs',
  '$comment',
  '$schema',
  '$id',
  '$defs',
  'type',
  'nullable',
  'anyOf',
  'oneOf',
  'const',
  'enum',
]);

const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

/** Reads the schemas of one description. */
export class SchemaReader {
  readonly #description: ApiDescription;
  readonly #components = new Map<string, SchemaForm>();
  /** Null while a schema is being read. */
  readonly #forms = new Map<JsonObject, SchemaForm | null>();

  constructor(description: ApiDescription) {
    this.#description = description;
  }

  /**
   * The form of a schema. The same object for the same schema.
   *
   * @throws {DescriptionError} a schema that contains itself by `allOf` or references alone, or a reference that cannot
   *   be followed
   */
  form(schema: Json | undefined): SchemaForm {
    if (!isJsonObject(schema)) return schema === false ? NEVER : ANY;
    const known = this.#forms.get(schema);
    if (known === null) throw new DescriptionError(`the schema ${shown(schema)} consists of itself`);
    if (known !== undefined) return known;
    this.#forms.set(schema, null);
    const form = this.#read(schema);
    this.#forms.set(schema, form);
    return form;
  }

  #read({ $ref, allOf, ...own }: JsonObject): SchemaForm {
    const reference = readString($ref);
    const target = reference === null ? [] : [this.#component(reference)];
    // In OpenAPI 3.0 nothing counts next to a reference.
    if (reference !== null && this.#description.edition === '3.0') return target[0] ?? ANY;
    const parts = [...target, ...readArray(allOf).map((each) => this.form(each)), this.#own(own)];
    return parts.reduce(intersect, ANY);
  }

  #component(reference: string): SchemaForm {
    const known = this.#components.get(reference);
    if (known !== undefined) return known;
    const form = this.form(followReference(reference, this.#description.document));
    const named = { ...form, name: reference.split('/').at(-1) ?? null };
    this.#components.set(reference, named);
    return named;
  }

  #own(schema: JsonObject): SchemaForm {
    const others = Object.entries(schema).filter(([name]) => !IGNORED.has(name) && !name.startsWith('x-'));
    const values = 'const' in schema ? [schema['const'] ?? null] : schema['enum'];
    const allowed = Array.isArray(values) ? values.filter((each) => each !== null) : null;
    const own: SchemaForm = {
      ...ANY,
      ...readTypes(schema, Array.isArray(values) ? values : null),
      keywords: {
        ...withNumericBounds(Object.fromEntries(others)),
        ...(allowed === null ? {} : { enum: allowed.map(comparableValue) }),
      },
    };
    const alternatives = schema['anyOf'] ?? schema['oneOf'];
    return Array.isArray(alternatives) ? intersect(own, this.#alternatives(alternatives)) : own;
  }

  #alternatives(all: readonly Json[]): SchemaForm {
    const alternatives = all.filter((each) => readObject(each)['type'] !== 'null');
    const hasNull = alternatives.length < all.length;
    const [only] = alternatives;
    if (alternatives.length > 1) return { ...ANY, nullable: hasNull, alternatives };
    const form = only === undefined ? NEVER : this.form(only);
    return hasNull && !form.nullable ? { ...form, nullable: true } : form;
  }
}

/** Objects in an enum compare by their text. */
function comparableValue(value: Json): Json {
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

function readTypes(
  { type, nullable }: JsonObject,
  values: readonly Json[] | null,
): Pick<SchemaForm, 'types' | 'nullable'> {
  const declared = type === undefined ? null : new Set(readStrings(type));
  const allowsNull = declared === null || declared.delete('null') || nullable === true;
  const ofValues = values?.filter((each) => each !== null).map((each) => (Array.isArray(each) ? 'array' : typeof each));
  return {
    types: declared ?? (ofValues === undefined ? null : new Set(ofValues)),
    nullable: allowsNull && (values === null || values.includes(null)),
  };
}

/** OpenAPI 3.0 has flags for exclusive bounds. */
function withNumericBounds(keywords: JsonObject): JsonObject {
  const changed: Record<string, Json> = { ...keywords };
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const value = changed[bound];
    if (typeof changed[flag] !== 'boolean') continue;
    if (changed[flag] && value !== undefined) {
      changed[flag] = value;
      delete changed[bound];
    } else delete changed[flag];
  }
  return changed;
}

/** Intersects two schemas: the values that both allow. */
function intersect(one: SchemaForm, other: SchemaForm): SchemaForm {
  if (one === ANY || isAny(other)) return one === ANY ? other : one;
  if (isAny(one)) return other;
  const both = one.alternatives !== null && other.alternatives !== null;
  const keywords = both ? { ...other.keywords, allOf: [{ anyOf: other.alternatives }] } : other.keywords;
  return {
    name: one.name ?? other.name,
    types: commonTypes(one.types, other.types),
    nullable: one.nullable && other.nullable,
    keywords: mergeKeywords(one.keywords, keywords),
    alternatives: one.alternatives ?? other.alternatives,
  };
}

function isAny({ types, nullable, keywords, alternatives }: SchemaForm): boolean {
  return types === null && nullable && alternatives === null && Object.keys(keywords).length === 0;
}

function commonTypes(one: SchemaForm['types'], other: SchemaForm['types']): SchemaForm['types'] {
  if (one === null || other === null) return one ?? other;
  const common = one.intersection(other);
  const hasInteger = [one, other].some((types) => types.has('integer')) && isNumeric(one) && isNumeric(other);
  return hasInteger && !common.has('number') ? common.union(new Set(['integer'])) : common;
}

function isNumeric(types: ReadonlySet<string>): boolean {
  return types.has('integer') || types.has('number');
}

function mergeKeywords(one: JsonObject, other: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const known = merged[name];
    if (known === undefined) merged[name] = value;
    else if (!isSameJson(known, value)) Object.assign(merged, mergeKeyword(name, [known, value], merged));
  }
  return merged;
}

/** @param values of both schemas, which differ */
function mergeKeyword(name: string, [one, other]: readonly [Json, Json], merged: JsonObject): JsonObject {
  if (LOWER.includes(name)) return { [name]: Math.max(readNumber(one) ?? -Infinity, readNumber(other) ?? -Infinity) };
  if (UPPER.includes(name)) return { [name]: Math.min(readNumber(one) ?? Infinity, readNumber(other) ?? Infinity) };
  switch (name) {
    case 'required':
      return { required: [...new Set([...readArray(one), ...readArray(other)])] };
    case 'enum':
      return { enum: readArray(one).filter((each) => readArray(other).includes(each)) };
    case 'properties':
      return { properties: mergeProperties(readObject(one), readObject(other)) };
    case 'items':
    case 'propertyNames':
    case 'additionalProperties':
      return { [name]: one === false || other === false ? false : { allOf: [one, other] } };
    case 'readOnly':
    case 'writeOnly':
    case 'deprecated':
    case 'uniqueItems':
      return { [name]: one === true || other === true };
    case 'default':
      return { default: other };
    default:
      return { allOf: [...readArray(merged['allOf']), { [name]: other }] };
  }
}

function mergeProperties(one: JsonObject, other: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...one };
  for (const [name, schema] of Object.entries(other)) {
    const known = Object.hasOwn(one, name) ? one[name] : undefined;
    merged[name] = known === undefined || isSameJson(known, schema) ? schema : { allOf: [known, schema] };
  }
  return merged;
}
