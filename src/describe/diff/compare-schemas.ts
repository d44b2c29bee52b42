import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { compareNull, compareTypes, containsOptional, TYPE } from '../../model/diff/compare-values.ts';
import { compareSets, type Pair } from '../../model/diff/comparers.ts';
import { type Difference, difference, type Place, shown } from '../../model/diff/difference.ts';
import { compareKeywords, isSameJson, KEYWORDS, NO_PATHS } from '../../model/diff/keywords.ts';
import type { Shape } from '../../model/model.ts';
import { readString } from '../../model/values/access.ts';
import { type ApiDescription, DescriptionError } from './api-description.ts';
import { compareProperties } from './compare-properties.ts';
import type { SchemaComparer, SchemaPlace } from './schema-comparer.ts';
import { type SchemaForm, SchemaReader } from './schema-form.ts';

/** Maximum levels of nested schemas, and schemas that are compared. */
const MAX_DEPTH = 200;
const MAX_COMPARED = 1_000_000;

/** Enums of descriptions are written as values are. */
const PLAIN: Shape = { type: { kind: 'text', format: null }, nullable: false };

/** The keywords whose schemas are compared one by one. */
const STRUCTURE: ReadonlySet<string> = new Set([
  'items',
  'properties',
  'required',
  'additionalProperties',
  'propertyNames',
  'readOnly',
  'writeOnly',
  'default',
  'format',
  'contentMediaType',
]);

/** A schema of this name is the version of its description, which always differs. */
const VERSION_SCHEMA = 'RequestedVersion';

/** Compares the schemas of two descriptions, each pair once for requests and once for responses. */
export class SchemaComparison implements SchemaComparer {
  readonly readers: Pair<SchemaReader>;
  readonly #compared = new Map<SchemaForm, Map<SchemaForm, Set<string>>>();
  #count = 0;
  #depth = 0;

  constructor([was, is]: Pair<ApiDescription>) {
    this.readers = [new SchemaReader(was), new SchemaReader(is)];
  }

  compare(was: Json | undefined, is: Json | undefined, at: SchemaPlace): readonly Difference[] {
    return this.compareForms([this.readers[0].form(was), this.readers[1].form(is)], at);
  }

  compareForms(forms: Pair<SchemaForm>, at: SchemaPlace): readonly Difference[] {
    const [was, is] = forms;
    if (was.name === VERSION_SCHEMA && is.name === VERSION_SCHEMA) return [];
    const name = is.name ?? was.name;
    if (name !== null && this.#isKnown(forms, at)) return [];
    this.#count += 1;
    if (this.#count > MAX_COMPARED)
      throw new DescriptionError(`they have more than ${MAX_COMPARED} schemas to compare`);
    if (this.#depth >= MAX_DEPTH) throw new DescriptionError(`schemas are nested deeper than ${MAX_DEPTH} levels`);
    this.#depth += 1;
    const differences = this.#differences(forms, name === null ? at : { ...at, path: name });
    this.#depth -= 1;
    return differences;
  }

  #isKnown([was, is]: Pair<SchemaForm>, { requests, responses }: Place): boolean {
    const ofOld = this.#compared.get(was) ?? new Map<SchemaForm, Set<string>>();
    const directions = ofOld.get(is) ?? new Set();
    this.#compared.set(was, ofOld.set(is, directions));
    const direction = `${String(requests)} ${String(responses)}`;
    const isKnown = directions.has(direction);
    directions.add(direction);
    return isKnown;
  }

  #differences(forms: Pair<SchemaForm>, at: SchemaPlace): readonly Difference[] {
    const [was, is] = forms;
    if ((was.alternatives === null) !== (is.alternatives === null)) return this.#oneOrSeveral(forms, at);
    const type = compareTypes(forms, at);
    if (type?.kind === 'type-changed') return [type];
    const schemas: Pair<JsonObject> = [was.keywords, is.keywords];
    return [
      ...(type === null ? [] : [type]),
      // A schema of any type says by that if null is a value.
      ...((was.types === null) === (is.types === null) ? compareNull(forms, at) : []),
      ...compareFormats(schemas, at),
      ...compareKeywords([PLAIN, PLAIN], { ...at, schemas, filterable: NO_PATHS }),
      ...compareOthers(schemas, at),
      ...this.#inner('items', schemas, { ...at, path: `${at.path}[]` }),
      ...this.#inner('propertyNames', schemas, { ...at, path: `${at.path}.*` }),
      ...compareProperties(schemas, at, this),
      ...compareAlternatives(forms, at, this),
    ];
  }

  /** One schema, and several of which it may be one. */
  #oneOrSeveral(forms: Pair<SchemaForm>, at: SchemaPlace): readonly Difference[] {
    const several = forms.find(({ alternatives }) => alternatives !== null);
    const isPure = several?.types === null && Object.keys(several.keywords).length === 0;
    return [
      ...compareNull(forms, at),
      ...(isPure ? [] : [difference('values-changed', at, 'what all alternatives have in common is another schema')]),
      ...compareAlternatives(forms, at, this),
    ];
  }

  #inner(keyword: string, [was, is]: Pair<JsonObject>, at: SchemaPlace): readonly Difference[] {
    return was[keyword] === undefined && is[keyword] === undefined ? [] : this.compare(was[keyword], is[keyword], at);
  }
}

/** A format is a type of its own, which values without a format contain. */
function compareFormats([was, is]: Pair<JsonObject>, at: Place): readonly Difference[] {
  return ['format', 'contentMediaType'].flatMap((keyword) => {
    const [before, after] = [readString(was[keyword]), readString(is[keyword])];
    const kind = compareSets([before, after], containsOptional, TYPE);
    const what = `the ${keyword === 'format' ? 'format' : 'media type'} is ${after ?? 'none'}, was ${before ?? 'none'}`;
    return kind === null ? [] : [difference(kind, at, what)];
  });
}

/** Keywords that have no order: what they contain is not decided. */
function compareOthers([was, is]: Pair<JsonObject>, at: Place): readonly Difference[] {
  const keywords = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...keywords].flatMap((keyword) => {
    const isDecided =
      STRUCTURE.has(keyword) || (Object.hasOwn(KEYWORDS, keyword) && typeof KEYWORDS[keyword] === 'function');
    if (isDecided || isSameJson(was[keyword], is[keyword])) return [];
    return [difference('values-changed', at, `the keyword ${shown(keyword)} is another one`)];
  });
}

/**
 * The differences of the schemas of which a value fulfils one (`anyOf`, `oneOf`). They are matched by name, the rest in
 * their order.
 */
function compareAlternatives(forms: Pair<SchemaForm>, at: SchemaPlace, of: SchemaComparer): readonly Difference[] {
  const [was, is] = forms;
  if (was.alternatives === null && is.alternatives === null) return [];
  const [before, after] = [readAlternatives(was, of.readers[0]), readAlternatives(is, of.readers[1])];
  const pairs: Pair<SchemaForm>[] = [];
  const added: SchemaForm[] = [];
  for (const form of after) {
    const index = before.findIndex(({ name }) => name !== null && name === form.name);
    const [same] = index < 0 ? [] : before.splice(index, 1);
    if (same === undefined) added.push(form);
    else pairs.push([same, form]);
  }
  while (before.length > 0 && added.length > 0) {
    const [one, other] = [before.shift(), added.shift()];
    if (one !== undefined && other !== undefined) pairs.push([one, other]);
  }
  return [
    ...pairs.flatMap((pair) => of.compareForms(pair, at)),
    ...added.map((form) => difference('alternative-added', at, `may also be ${describeAlternative(form)}`)),
    ...before.map((form) => difference('alternative-removed', at, `is no longer ${describeAlternative(form)}`)),
  ];
}

/** A schema without alternatives is the only one. Whether null is a value is compared for all of them. */
function readAlternatives(form: SchemaForm, reader: SchemaReader): SchemaForm[] {
  if (form.alternatives === null) return [{ ...form, nullable: false }];
  return form.alternatives.map((each: Json) => reader.form(each));
}

function describeAlternative({ name, types }: SchemaForm): string {
  return name ?? `another schema${types === null ? '' : ` of type ${[...types].join(' or ')}`}`;
}
