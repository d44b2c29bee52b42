import { errors, resourceErrors } from '../../conventions/errors.ts';
import type { CompileContext } from '../document/compile-context.ts';
import { objectOf, stringOf } from '../values/access.ts';
import { singularOf } from './inflection.ts';

/** The names of a resource, each derived from the key under which it is declared. */
export interface ResourceNames {
  /** Path segment: `order-items`. */
  readonly collection: string;
  readonly singular: string;
  /** Prefix of its error codes: `ORDER_ITEM`. */
  readonly code: string;
}

const NAME = /^[a-z][a-z0-9_]*$/;
const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;
const VERSION_SEGMENT = /^v[0-9]+$/;
/** Collections of every API; a model may rename them under `system` (REP-12). */
const SYSTEM_COLLECTIONS = ['events', 'webhooks', 'batches', 'api-keys'];
/** What is served at the origin, and so below a base path of `/` (OPS-1, OPS-2). */
export const ORIGIN_PATHS: ReadonlySet<string> = new Set(['livez', 'readyz', 'metrics', 'docs']);
/** The tables of the server and of SQLite begin so; a resource has a table of its name. */
const STORAGE_NAME = /^(?:restwright|sqlite)_/;
/** URL-2. */
const VERBS: ReadonlySet<string> = new Set(
  (
    'get fetch read find search create add insert make update edit modify change set put patch save delete remove do run ' +
    'execute perform process cancel activate deactivate send'
  ).split(' '),
);
/** The families of error codes that no resource owns (ERR-2): the first word of each. */
const FAMILIES: ReadonlySet<string> = new Set(Object.keys(errors).map((code) => code.slice(0, code.indexOf('_'))));

/** The names of a resource (URL-2, REP-12, ERR-2). A faulty one is announced and stands as it is. */
export function compileNames(name: string, declaration: CompileContext, reserved: ReadonlySet<string>): ResourceNames {
  const collection = name.replaceAll('_', '-');
  checkCollection(name, collection, declaration, reserved);
  const singular = stringOf(declaration.declared['singular']) ?? singularOf(name);
  const code = stringOf(declaration.declared['error_prefix']) ?? singular.toUpperCase();
  checkCode(code, declaration);
  return { collection, singular, code };
}

/**
 * The path segments that no resource may have.
 *
 * @param document the whole document: `system` renames collections, and at a base path of `/` health checks stand beside them
 */
export function reservedCollections(document: CompileContext['declared']): ReadonlySet<string> {
  const renamed = objectOf(document['system']);
  const system = SYSTEM_COLLECTIONS.map((name) => stringOf(renamed[name]) ?? name);
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
    report(path, 'the name of a resource is not in snake_case', 'begin with a small letter; then a-z, 0-9 and _');
  } else if (VERSION_SEGMENT.test(name)) {
    report(path, `${name} is how a URL names a version`, 'name the collection by a plural noun');
  } else if (STORAGE_NAME.test(name)) {
    report(path, 'names that begin with restwright_ or sqlite_ are kept for storage', 'choose another name');
  } else if (reserved.has(collection)) {
    report(path, `the collection ${collection} is the server's own`, 'choose another name');
  } else if (VERBS.has(first) && declared['noun'] !== true) {
    const fix = 'name the collection by a plural noun, or add noun: true where the word is one';
    report(path, `${first} is a verb, which the HTTP method says already`, fix);
  }
}

function checkCode(code: string, { declared, path, report }: CompileContext): void {
  const at = [...path, ...['error_prefix', 'singular'].filter((key) => key in declared).slice(0, 1)];
  const taken = Object.keys(resourceErrors).find((suffix) => `${code}_${suffix}` in errors);
  const fix = 'set error_prefix, such as error_prefix: SHOP_ITEM';
  if (!CODE.test(code)) {
    report(at, `${code} cannot begin an error code`, 'set error_prefix to words of A-Z and 0-9 joined by single _');
  } else if (FAMILIES.has(code)) {
    report(at, `error codes that begin with ${code}_ are the server's own`, fix);
  } else if (taken !== undefined) {
    report(at, `the error code ${code}_${taken} is the server's own`, fix);
  }
}

/** Announces two resources under one singular or one error prefix. */
export function checkDistinct(
  resources: readonly (ResourceNames & CompileContext & { readonly name: string })[],
): void {
  for (const key of ['singular', 'code'] as const) {
    const owners = new Map<string, string>();
    for (const resource of resources) {
      const owner = owners.get(resource[key]);
      if (owner === undefined) owners.set(resource[key], resource.name);
      else {
        const [what, fix] = key === 'code' ? ['error prefix', 'set error_prefix'] : ['singular', 'set singular'];
        resource.report(resource.path, `${owner} has the ${what} ${resource[key]} already`, `${fix} on one of them`);
      }
    }
  }
}

/** Announces a `was` that two resources claim, or that a resource of the model has (storage could not tell them apart). */
export function checkFormerNames(resources: readonly (CompileContext & { readonly name: string })[]): void {
  const claimed = new Set(resources.map(({ name }) => name));
  for (const { declared, path, report } of resources) {
    const was = stringOf(declared['was']);
    if (was === null) continue;
    if (claimed.has(was)) {
      report([...path, 'was'], `the name ${was} is in use`, 'give the name that storage knew the resource by before');
    }
    claimed.add(was);
  }
}
