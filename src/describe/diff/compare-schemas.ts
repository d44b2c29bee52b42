import type { Json, JsonObject } from '../../conventions/json/json.ts';
import type { Pair } from '../../model/diff/comparers.ts';
import { type Difference, difference, type Place, shown } from '../../model/diff/difference.ts';
import { compareKeywords, isSame, KEYWORDS } from '../../model/diff/keywords.ts';
import type { Shape } from '../../model/model.ts';
import { stringOf } from '../../model/values/access.ts';
import { type ApiDescription, DescriptionError } from './api-description.ts';
import { compareAlternatives } from './compare-alternatives.ts';
import { compareProperties } from './compare-properties.ts';
import type { SchemaComparer, SchemaPlace } from './schema-comparer.ts';
import { type SchemaForm, SchemaReader } from './schema-form.ts';

/** Maximum levels of nested schemas, and schemas that are compared. */
const MAX_DEPTH = 200;
const MAX_COMPARED = 1_000_000;

/** Enums of descriptions are written as values are. */
const PLAIN: Shape = { type: { kind: 'text', format: null }, nullable: false };
const NO_PATHS: ReadonlySet<string> = new Set();

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
      ...compareNull(forms, at),
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
      ...(forms[0].nullable === forms[1].nullable ? [] : [nullDifference(forms[1].nullable, at)]),
      ...(isPure ? [] : [difference('values-changed', at, 'what all alternatives have in common is another schema')]),
      ...compareAlternatives(forms, at, this),
    ];
  }

  #inner(keyword: string, [was, is]: Pair<JsonObject>, at: SchemaPlace): readonly Difference[] {
    return was[keyword] === undefined && is[keyword] === undefined ? [] : this.compare(was[keyword], is[keyword], at);
  }
}

function compareTypes([was, is]: Pair<SchemaForm>, at: Place): Difference | null {
  const [wider, narrower] = [contains(is.types, was.types), contains(was.types, is.types)];
  if (wider && narrower) return null;
  const what = `the type is ${typeNames(is)}, was ${typeNames(was)}`;
  return difference(wider ? 'type-wider' : narrower ? 'type-narrower' : 'type-changed', at, what);
}

function contains(outer: SchemaForm['types'], inner: SchemaForm['types']): boolean {
  if (outer === null || inner === null) return outer === null;
  return [...inner].every((type) => outer.has(type) || (type === 'integer' && outer.has('number')));
}

function typeNames({ types }: SchemaForm): string {
  if (types === null) return 'any';
  return types.size === 0 ? 'none' : [...types].map(shown).join(' or ');
}

/** Where one of both has any type, that says it. */
function compareNull([was, is]: Pair<SchemaForm>, at: Place): readonly Difference[] {
  if (was.nullable === is.nullable || (was.types === null) !== (is.types === null)) return [];
  return [nullDifference(is.nullable, at)];
}

function nullDifference(isAllowed: boolean, at: Place): Difference {
  return isAllowed ? difference('null-allowed', at, 'may be null') : difference('null-refused', at, 'is never null');
}

/** A format is a type of its own, which values without a format contain. */
function compareFormats([was, is]: Pair<JsonObject>, at: Place): readonly Difference[] {
  return ['format', 'contentMediaType'].flatMap((keyword) => {
    const [before, after] = [stringOf(was[keyword]), stringOf(is[keyword])];
    if (before === after) return [];
    const what = `the ${keyword === 'format' ? 'format' : 'media type'} is ${after ?? 'none'}, was ${before ?? 'none'}`;
    const kind = before === null ? 'type-narrower' : after === null ? 'type-wider' : 'type-changed';
    return [difference(kind, at, what)];
  });
}

/** Keywords that have no order: what they contain is not decided. */
function compareOthers([was, is]: Pair<JsonObject>, at: Place): readonly Difference[] {
  const keywords = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...keywords].flatMap((keyword) => {
    const isDecided =
      STRUCTURE.has(keyword) || (Object.hasOwn(KEYWORDS, keyword) && typeof KEYWORDS[keyword] === 'function');
    if (isDecided || isSame(was[keyword], is[keyword])) return [];
    return [difference('values-changed', at, `the keyword ${shown(keyword)} is another one`)];
  });
}
