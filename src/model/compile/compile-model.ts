import { isJsonObject } from '../../conventions/json.ts';
import type { CompileContext } from '../document/compile-context.ts';
import type { Model, Resource } from '../model.ts';
import type { UncheckedCode } from '../typescript/split-definition.ts';
import { scopeOf } from '../row-key.ts';
import { objectOf } from '../values/access.ts';
import { deepFreeze } from '../values/deep-freeze.ts';
import { withApiKeys } from './api-keys.ts';
import { compileResource, type UnlinkedResource } from './compile-resource.ts';
import { compileFields } from './fields.ts';
import { parentOf, parentsFirst, type ResourceContext } from './hierarchy.ts';
import { checkDistinct, checkFormerNames, compileNames, reservedCollections } from './names.ts';
import { checkInverses, withSiblings } from './nested-references.ts';
import { checkRelationNames, dependentsOf, linksOf, type ReferrersByTarget, referrersOf } from './references.ts';
import { resolveReferences } from './resolve-refs.ts';
import { compileRuledAccess, NO_RULED_ACCESS, type RuledAccess } from './ruled-access.ts';
import { compileSettings } from './settings.ts';
import { compileSharing } from './sharing.ts';

/** The functions of resources, by name of the resource. */
export type ModelCode = ReadonlyMap<string, UncheckedCode>;

/** Digest of a string, in characters that are valid in an entity tag. */
export type Digest = (text: string) => string;

/**
 * Compiles a document to the frozen model. All problems are reported; if there are any, the result must not be used.
 *
 * @param given the document, checked by the document schema
 * @param givenCode the functions of a TypeScript model
 */
export function compileModel(given: CompileContext, digest: Digest, givenCode: ModelCode): Model {
  const { document, code } = withApiKeys(given, givenCode);
  const settings = compileSettings(document);
  const unlinked = compileResources(document, code);
  const referrers = referrersOf(unlinked);
  checkRelationNames(unlinked, referrers);
  checkInverses(unlinked);
  const linked = new Map(unlinked.map((resource) => [resource.name, withRelations(resource, referrers)]));
  const hasAuth = document.declared['auth'] !== undefined;
  const resources = hasAuth ? withRuledAccess(unlinked, linked, code) : linked;
  const collections = new Map([...resources.values()].map((resource) => [resource.collection, resource]));
  const compiled = { ...settings, resources, collections };
  return deepFreeze({ ...compiled, fingerprint: digest(serialize({ ...settings, resources })) });
}

function compileResources(document: CompileContext, code: ModelCode): readonly UnlinkedResource[] {
  const declared = Object.entries(objectOf(document.declared['resources']));
  const ordered = parentsFirst(
    declared.flatMap(([name, resource]): ResourceContext[] =>
      isJsonObject(resource) ? [{ ...document, name, declared: resource, path: ['resources', name] }] : [],
    ),
  );
  const names = new Set(declared.map(([name]) => name));
  const reserved = reservedCollections(document.declared);
  const resources = ordered.map((resource) => ({ ...resource, ...compileNames(resource.name, resource, reserved) }));
  checkDistinct(resources);
  checkFormerNames(resources);
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const compiled = new Map<string, UnlinkedResource>();
  for (const { collection, singular, code: prefix, ...resource } of resources) {
    const schema = resolveSchema(resource, document);
    const fields = compileFields(schema, names);
    const named = byName.get(parentOf(resource, names) ?? '');
    const above = compiled.get(named?.name ?? '');
    const parent =
      named === undefined
        ? null
        : { ...named, scope: above === undefined ? 0 : scopeOf(above), access: above?.access ?? null };
    const own = { collection, singular, code: prefix };
    const inputs = { ...own, schema: schema.declared, fields, parent, document: document.declared };
    compiled.set(resource.name, compileResource(resource, inputs, code.get(resource.name) ?? null));
  }
  return [...compiled.values()].map((resource) => withSiblings(resource, compiled));
}

function resolveSchema({ declared, path, report }: CompileContext, document: CompileContext): CompileContext {
  const at = [...path, 'schema'];
  return { declared: resolveReferences(objectOf(declared['schema']), document.declared, at, report), path: at, report };
}

function withRelations(
  { declared: _declared, path: _path, report: _report, ...resource }: UnlinkedResource,
  referrers: ReferrersByTarget,
): Resource {
  const { name } = resource;
  return {
    ...resource,
    ...NO_RULED_ACCESS,
    sameForEveryCaller: true,
    dependents: dependentsOf(name, referrers),
    links: linksOf(name, referrers),
  };
}

/** The resources with their rules on rows, which may go through the relations of any, and on fields. */
function withRuledAccess(
  declared: readonly UnlinkedResource[],
  resources: ReadonlyMap<string, Resource>,
  code: ModelCode,
): ReadonlyMap<string, Resource> {
  const rulesOf = (resource: Resource): RuledAccess | null => {
    const context = declared.find(({ name }) => name === resource.name);
    if (context === undefined) return null;
    return compileRuledAccess(context, { resource, resources, code: code.get(resource.name) ?? null });
  };
  const ruled = new Map([...resources].map(([name, resource]) => [name, { ...resource, ...rulesOf(resource) }]));
  return new Map([...ruled].map(([name, resource]) => [name, { ...resource, ...compileSharing(resource, ruled) }]));
}

/** Serializes a model for its fingerprint, with the order of members, map entries and fields. */
function serialize(value: object): string {
  return JSON.stringify(value, (_, held: unknown) => {
    if (held instanceof Map || held instanceof Set) return [...held];
    // Functions count: other code makes other representations.
    return held instanceof RegExp ? held.source : typeof held === 'function' ? String(held) : held;
  });
}
