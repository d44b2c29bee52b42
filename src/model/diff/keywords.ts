import type { Json, JsonObject } from '../../conventions/json/json.ts';
import type { Shape } from '../model.ts';
import { toDigits, readString } from '../values/access.ts';
import { allowedValues } from '../values/assertion.ts';
import { compareNumbers } from '../values/exact-number.ts';
import { storedForm } from '../values/stored-form.ts';
import { patternContains } from './compare-patterns.ts';
import { type Comparer, compareSets, type Pair, setDifference, unseen } from './comparers.ts';
import { VALUES } from './compare-values.ts';
import { type Difference, difference, isAndWas, listed, type Place } from './difference.ts';

/** A place with the declared schemas of its values. */
export interface ValuePlace extends Place {
  readonly schemas: Pair<JsonObject>;
  /** The paths that filters accept in both models. */
  readonly filterable: ReadonlySet<string>;
}

/** The paths of values that no filter accepts, such as those of computed members and of descriptions. */
export const NO_PATHS: ReadonlySet<string> = new Set();

/**
 * Filters are requests, too, whose values have to be of the type and the enum of a field: also of a read-only one
 * (QRY-2).
 */
export function withFilters(at: ValuePlace): ValuePlace {
  return { ...at, requests: at.requests || at.filterable.has(at.path.replace(/\[\]$/, '')) };
}

type KeywordComparer = Comparer<Json | undefined, Shape, ValuePlace>;

const AS_TYPE = unseen('compared as the type of the value');
const AS_FIELD = unseen('compared as a property of the field');
const AS_ENUM = unseen('compared as the allowed values');
const RESOLVED = unseen('resolved before schemas are compared');
const STORAGE = unseen('for the database and for imports');

/** The comparer of each keyword of a schema. A test keeps it equal to the keywords that a model may use. */
export const KEYWORDS: Readonly<Record<string, KeywordComparer | ReturnType<typeof unseen>>> = {
  $ref: RESOLVED,
  $defs: RESOLVED,
  definitions: RESOLVED,
  $comment: unseen('for the authors of the model'),
  title: annotation('title'),
  description: annotation('description'),
  deprecated: annotation('deprecation'),
  examples: annotation('examples'),
  type: AS_TYPE,
  format: AS_TYPE,
  contentEncoding: AS_TYPE,
  contentMediaType: AS_TYPE,
  items: AS_TYPE,
  properties: AS_TYPE,
  additionalProperties: AS_TYPE,
  'x-precision': AS_TYPE,
  'x-scale': AS_TYPE,
  enum: compareAllowed,
  const: AS_ENUM,
  minimum: lowerBound('minimum'),
  maximum: upperBound('maximum'),
  exclusiveMinimum: lowerBound('exclusive minimum'),
  exclusiveMaximum: upperBound('exclusive maximum'),
  minLength: lowerBound('minimum length', 0),
  maxLength: upperBound('maximum length'),
  minItems: lowerBound('minimum number of items', 0),
  maxItems: upperBound('maximum number of items'),
  minProperties: lowerBound('minimum number of entries', 0),
  maxProperties: upperBound('maximum number of entries'),
  pattern: limit('pattern', null, (outer, inner) => patternContains(readString(outer) ?? '', readString(inner) ?? '')),
  uniqueItems: compareUniqueItems,
  default: AS_FIELD,
  required: AS_FIELD,
  readOnly: AS_FIELD,
  writeOnly: AS_FIELD,
  'x-immutable': AS_FIELD,
  'x-unique': unseen('compared as a unique list of the resource'),
  'x-references': AS_FIELD,
  'x-shown-once': AS_FIELD,
  'x-default': AS_FIELD,
  'x-override': AS_FIELD,
  'x-was': STORAGE,
  'x-source': STORAGE,
};

/** The differences of the keywords of two schemas that describe values of comparable types. */
export function compareKeywords(shapes: Pair<Shape>, at: ValuePlace): readonly Difference[] {
  const [was, is] = at.schemas;
  return Object.entries(KEYWORDS).flatMap(([keyword, compare]) =>
    typeof compare === 'function' ? compare(was[keyword], is[keyword], at, shapes) : [],
  );
}

/** The differences of what two schemas say to people: title, description, examples. */
export function compareAnnotations([was, is]: Pair<JsonObject>, at: Place): readonly Difference[] {
  return ['title', 'description', 'deprecated', 'examples'].flatMap((keyword) =>
    isSameJson(was[keyword], is[keyword])
      ? []
      : [difference('annotation-changed', at, `the ${keyword} is another one`)],
  );
}

function annotation(name: string): KeywordComparer {
  return (was, is, at) =>
    isSameJson(was, is) ? [] : [difference('annotation-changed', at, `the ${name} is another one`)];
}

/** @param absent the bound of a schema that declares none; null for no bound */
function lowerBound(name: string, absent: Json = null): KeywordComparer {
  return limit(name, absent, (outer, inner) => compareBounds(outer, inner) <= 0);
}

function upperBound(name: string): KeywordComparer {
  return limit(name, null, (outer, inner) => compareBounds(outer, inner) >= 0);
}

/**
 * Compares a keyword that limits values.
 *
 * @param absent its value in a schema that does not declare it; null for no limit
 * @param contains true if values that the second limit allows are allowed by the first one
 */
function limit(name: string, absent: Json, contains: (outer: Json, inner: Json) => boolean): KeywordComparer {
  return (declaredOld, declaredNew, at) => {
    const [was, is] = [declaredOld ?? absent, declaredNew ?? absent];
    const isWider = (outer: Json, inner: Json): boolean =>
      outer === null || outer === inner || (inner !== null && contains(outer, inner));
    const kind = compareSets([was, is], isWider, VALUES);
    return kind === null ? [] : [difference(kind, at, `the ${name} ${isAndWas(is ?? undefined, was ?? undefined)}`)];
  };
}

/** Bounds of decimals and int64 may be strings of any length; those of other numbers may have an exponent. */
function compareBounds(one: Json, other: Json): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return compareNumbers(toDigits(one) ?? '', toDigits(other) ?? '');
}

function compareUniqueItems(was: Json | undefined, is: Json | undefined, at: Place): readonly Difference[] {
  if ((was === true) === (is === true)) return [];
  if (is === true) return [difference('values-narrower', at, 'items must differ')];
  return [difference('values-wider', at, 'items may be equal')];
}

/** `enum` and `const`, by stored form: `"1.50"` and `"1.5"` are one decimal. */
function compareAllowed(
  _was: Json | undefined,
  _is: Json | undefined,
  place: ValuePlace,
  [oldShape, newShape]: Pair<Shape>,
): readonly Difference[] {
  const at = withFilters(place);
  const was = allowedValues(at.schemas[0])?.map(storedForm(oldShape)) ?? null;
  const is = allowedValues(at.schemas[1])?.map(storedForm(newShape)) ?? null;
  if (was === null && is === null) return [];
  if (was === null) return [difference('enum-added', at, `only ${listed(is ?? [])} are allowed, was any value`)];
  if (is === null) return [difference('enum-removed', at, `any value is allowed, was only ${listed(was)}`)];
  const { removed, added } = setDifference(was, is);
  return [
    ...(removed.length > 0 ? [difference('enum-value-removed', at, `no longer allows ${listed(removed)}`)] : []),
    ...(added.length > 0 ? [difference('enum-value-added', at, `also allows ${listed(added)}`)] : []),
  ];
}

/** True if two values have the same JSON. */
export function isSameJson(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
