import pluralize from 'pluralize';
import { errors, resourceErrors } from '../../../conventions/errors.ts';
import { ORIGIN_NAMES } from '../../../conventions/url/origin-names.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import { API_SCHEMAS, operationNames, schemaNames } from '../../type-names.ts';
import { readArray, readObject, readString } from '../../values/access.ts';

/** The names of a resource, which derive from the key that declares it. */
export interface ResourceNames {
  /** Path segment: `order-items`. */
  readonly collection: string;
  readonly singular: string;
  /** Prefix of its error codes: `ORDER_ITEM`. */
  readonly code: string;
}

/** The members of every resource (REP-12). */
export const RESERVED_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'created_at',
  'updated_at',
  'deleted_at',
  'revision',
  'links',
]);
/** The paths that the server has at the origin, and so below a base path of `/` (OPS-1, OPS-2). */
export const ORIGIN_PATHS: ReadonlySet<string> = new Set(Object.values(ORIGIN_NAMES));

/**
 * The relations of the links that the server writes (REP-9, PAGE-2). A resource with such a name would overwrite one.
 */
const LINK_RELATIONS: ReadonlySet<string> = new Set(
  'self collection up first prev next last canonical service_desc service_desc_events service_doc'.split(' '),
);

const NAME = /^[a-z][a-z0-9_]*$/;
const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;
const VERSION_SEGMENT = /^v[0-9]+$/;
/** The collections of every API, which a model may rename under `system` (REP-12). */
const SYSTEM_COLLECTIONS = ['events', 'webhooks', 'batches', 'api-keys', 'relays'];
/** Prefixes of the tables of the server and of SQLite. The table of a resource has its name. */
const STORAGE_NAME = /^(?:restwright|sqlite)_/;
/** URL-2. */
const VERBS: ReadonlySet<string> = new Set(
  (
    'get fetch read find search create add insert make update edit modify change set put patch save delete remove do run ' +
    'execute perform process cancel activate deactivate send'
  ).split(' '),
);
/** The first words of the error codes that belong to no resource (ERR-2). */
const CODE_FAMILIES: ReadonlySet<string> = new Set(Object.keys(errors).map((code) => code.slice(0, code.indexOf('_'))));

/**
 * Compiles the names of a resource and reports invalid ones (URL-2, REP-12, ERR-2). A document that older versions
 * derive from may name the collection by `collection`, in snake_case; all others by the key of the resource.
 */
export function compileNames(key: string, resource: CompileContext, reserved: ReadonlySet<string>): ResourceNames {
  const name = readString(resource.declared['collection']) ?? key;
  const collection = name.replaceAll('_', '-');
  checkCollection(name, collection, resource, reserved);
  const singular = readString(resource.declared['singular']) ?? toSingular(name);
  const code = readString(resource.declared['error_prefix']) ?? singular.toUpperCase();
  checkCode(code, resource);
  return { collection, singular, code };
}

/** The ending of the plural of words that the library gets wrong, in one direction or both. */
const ENDINGS: Readonly<Record<string, string>> = {
  s:
    'abuse accuse ache apache auntie avalanche backache birdie boogie brioche brownie budgie cache calorie cliche collie cookie cpu creche cutie excuse eyrie ' +
    'foodie freebie fuse genie goalie gpu guru headache hippie hoodie indie junkie lassie lingerie magpie menagerie microfiche moustache muse ' +
    'mustache necktie newbie niche oldie pastiche patisserie pixie prairie psyche quiche recluse refuse reverie roadie rookie rotisserie ruse schema selfie ' +
    'smoothie sortie staff toothache townie veggie',
  es: 'atlas bias canvas cargo embargo focus index iris lens mango pancreas trellis virus',
  x: 'chateau gateau tableau',
  '': 'feedback leisure metadata offspring pyjamas',
};
/**
 * Plurals by singular. Singulars are part of error codes and event types, so that the words of released versions stay
 * as they are.
 */
const PLURALS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ENDINGS).flatMap(([ending, words]) =>
    words.split(' ').map((word) => [word, word + ending] as const),
  ),
  ['axis', 'axes'],
  ['oasis', 'oases'],
  ['memorandum', 'memoranda'],
  ['apex', 'apices'],
]);
const SINGULARS: ReadonlyMap<string, string> = new Map([...PLURALS].map(([singular, plural]) => [plural, singular]));

/** The singular of a collection name in snake_case, by its last word: `order_items` gives `order_item`. */
export function toSingular(collection: string): string {
  const start = collection.lastIndexOf('_') + 1;
  const word = collection.slice(start);
  const known = SINGULARS.get(word) ?? (PLURALS.has(word) ? word : undefined);
  return collection.slice(0, start) + (known ?? pluralize.singular(word));
}

/** True if a name is a plural of a singular. Some singulars have several. */
export function isPlural(name: string, singular: string): boolean {
  const start = singular.lastIndexOf('_') + 1;
  return [toPlural(singular), singular.slice(0, start) + pluralize.plural(singular.slice(start))].includes(name);
}

/** A word without a plural in names such as `related_ids` and `similar_ids`: a participle or an adjective. */
const WITHOUT_PLURAL = /(?:[a-z]{3}[^e]ed|similar)$/;

const ONE_SUFFIX = '_id';
const MANY_SUFFIX = '_ids';

/**
 * The name of the relation of a field that declares none: `supplier` of `supplier_id`, `labels` of the array
 * `label_ids`; null for another name.
 *
 * @param isArray whether the field is an array of references
 */
export function relationName(field: string, isArray: boolean): string | null {
  const suffix = isArray ? MANY_SUFFIX : ONE_SUFFIX;
  if (!field.endsWith(suffix) || field === suffix) return null;
  const stem = field.slice(0, -suffix.length);
  return isArray ? toPlural(stem) : stem;
}

/** The plural of a name in snake_case, by its last word: `order_item` gives `order_items`, `related` stays. */
export function toPlural(name: string): string {
  const start = name.lastIndexOf('_') + 1;
  const word = name.slice(start);
  return name.slice(0, start) + (WITHOUT_PLURAL.test(word) ? word : (PLURALS.get(word) ?? pluralize.plural(word)));
}

/**
 * The path segments that resources cannot have.
 *
 * @param document the whole document: `system` renames collections, and a base path of `/` reserves the paths at the
 *   origin
 */
export function reservedCollections(document: CompileContext['declared']): ReadonlySet<string> {
  const renamed = readObject(document['system']);
  const own = [
    ...(readObject(document['auth'])['api_keys'] === true ? ['api-keys'] : []),
    ...(document['webhooks'] === undefined ? [] : ['webhooks']),
    ...(readArray(readObject(document['events'])['relays']).length === 0 ? [] : ['relays']),
  ];
  const system = SYSTEM_COLLECTIONS.filter((name) => !own.includes(name)).map(
    (name) => readString(renamed[name]) ?? name,
  );
  return new Set([...system, ...(document['base_path'] === '/' ? ORIGIN_PATHS : [])]);
}

function checkCollection(
  name: string,
  collection: string,
  { declared, path, report }: CompileContext,
  reserved: ReadonlySet<string>,
): void {
  const [first = ''] = name.split('_');
  if (!NAME.test(name)) {
    const fix = 'start with a lower-case letter; then use a-z, 0-9 and _';
    report(path, 'the name of a resource must be in snake_case', fix);
  } else if (VERSION_SEGMENT.test(name)) {
    report(path, `${name} is reserved for versions in URLs`, 'name the collection with a plural noun');
  } else if (STORAGE_NAME.test(name)) {
    report(path, 'names that start with restwright_ or sqlite_ are reserved for the database', 'choose another name');
  } else if (LINK_RELATIONS.has(name)) {
    report(path, `${name} is the name of a link that the server writes`, 'name the collection with a plural noun');
  } else if (reserved.has(collection)) {
    report(path, `the collection ${collection} is reserved by the server`, 'choose another name');
  } else if (VERBS.has(first) && declared['noun'] !== true) {
    const fix = 'name the collection with a plural noun, or add noun: true if the word is a noun';
    report(path, `${first} is a verb, which the HTTP method expresses`, fix);
  }
}

function checkCode(code: string, { declared, path, report }: CompileContext): void {
  const at = [...path, ...['error_prefix', 'singular'].filter((key) => key in declared).slice(0, 1)];
  const taken = Object.keys(resourceErrors).find((suffix) => `${code}_${suffix}` in errors);
  const fix = 'set error_prefix, such as error_prefix: SHOP_ITEM';
  if (!CODE.test(code)) {
    report(at, `${code} is not a valid prefix of error codes`, 'set error_prefix to words of A-Z and 0-9, joined by _');
  } else if (CODE_FAMILIES.has(code) && declared['own'] !== true) {
    report(at, `error codes that start with ${code}_ are reserved by the server`, fix);
  } else if (taken !== undefined) {
    report(at, `the error code ${code}_${taken} is reserved by the server`, fix);
  }
}

/** Reports resources with the same singular or error prefix. */
export function checkDistinct(
  resources: readonly (ResourceNames & CompileContext & { readonly name: string })[],
): void {
  for (const key of ['singular', 'code'] as const) {
    const owners = new Map<string, string>();
    for (const resource of resources) {
      const owner = owners.get(resource[key]);
      if (owner === undefined) owners.set(resource[key], resource.name);
      else {
        const [label, setting] = key === 'code' ? ['error prefix', 'error_prefix'] : ['singular', 'singular'];
        const cause = `the ${label} ${resource[key]} is already in use by ${owner}`;
        resource.report(resource.path, cause, `set ${setting} on one of them`);
      }
    }
  }
}

/**
 * Reports resources whose schemas or operations would share a name in descriptions (OPS-1), each at its own place.
 * `a_1` and `a1` are both `A1`, and `product_page` is also the name of a page of `product`.
 */
export function checkDescribedNames(
  resources: readonly (ResourceNames & CompileContext & { readonly name: string })[],
): void {
  const fix = 'set singular on one of them';
  const owners = new Map<string, (typeof resources)[number]>();
  const reported = new Set<string>();
  for (const resource of resources) {
    const names = [...schemaNames(resource), ...operationNames(resource)];
    const own = names.find((name) => API_SCHEMAS.some((each) => each === name));
    if (own !== undefined && !CODE_FAMILIES.has(resource.code))
      resource.report(resource.path, `descriptions have a schema ${own} of the server`, 'set another singular');
    for (const name of names) {
      const owner = owners.get(name);
      owners.set(name, owner ?? resource);
      if (owner === undefined || owner.singular === resource.singular || reported.has(`${owner.name} ${resource.name}`))
        continue;
      reported.add(`${owner.name} ${resource.name}`);
      owner.report(owner.path, `descriptions would name ${name} what ${resource.name} has, too`, fix);
      resource.report(resource.path, `descriptions would name ${name} what ${owner.name} has, too`, fix);
    }
  }
}

/** Reports a former name that another resource has or had: their tables would be indistinguishable. */
export function checkFormerNames(resources: readonly (CompileContext & { readonly name: string })[]): void {
  const used = new Set(resources.map(({ name }) => name));
  for (const { declared, path, report } of resources) {
    const was = readString(declared['was']);
    if (was === null) continue;
    if (used.has(was)) {
      const fix = 'write the previous name of this resource in the database';
      report([...path, 'was'], `the name ${was} is in use by another resource`, fix);
    }
    used.add(was);
  }
}
