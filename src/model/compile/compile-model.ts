import { isJsonObject } from '../../conventions/json.ts';
import { compileSettings } from './settings.ts';
import { compileResource, type UnlinkedResource } from './compile-resource.ts';
import type { CompileContext } from '../document/compile-context.ts';
import { objectOf } from '../values/access.ts';
import { compileFields } from './fields.ts';
import { deepFreeze } from '../values/deep-freeze.ts';
import { type ResourceContext, parentOf, parentsFirst } from './hierarchy.ts';
import type { Model, Resource } from '../model.ts';
import type { UncheckedCode } from './compile-code.ts';
import { checkDistinct, checkFormerNames, compileNames, reservedCollections } from './names.ts';
import { checkRelationNames, dependentsOf, linksOf } from './relations.ts';
import { resolveReferences } from './resolve-refs.ts';

/** The code of resources by their names. */
export type ModelCode = ReadonlyMap<string, UncheckedCode>;

/** Digest of a text, in characters that an entity tag may hold. */
export type Digest = (text: string) => string;

/**
 * Compiles a document to the frozen model. Every fault is announced; where there is one, the result stands for nothing.
 *
 * @param document what is no fault of its schema, or is announced as one
 * @param code of the resources of a model in TypeScript, by their names
 */
export function compileModel(document: CompileContext, digest: Digest, code: ModelCode): Model {
  const settings = compileSettings(document);
  const drafts = compileResources(document, code);
  checkRelationNames(drafts);
  const resources = new Map(drafts.map((draft) => [draft.name, withRelations(draft, drafts)]));
  const collections = new Map([...resources.values()].map((resource) => [resource.collection, resource]));
  const compiled = { ...settings, resources, collections };
  return deepFreeze({ ...compiled, fingerprint: digest(serialise({ ...settings, resources })) });
}

function compileResources(document: CompileContext, code: ModelCode): readonly UnlinkedResource[] {
  const declared = Object.entries(objectOf(document.declared['resources']));
  const named = parentsFirst(
    declared.flatMap(([name, resource]): ResourceContext[] =>
      isJsonObject(resource) ? [{ ...document, name, declared: resource, path: ['resources', name] }] : [],
    ),
  );
  const names = new Set(declared.map(([name]) => name));
  const reserved = reservedCollections(document.declared);
  const resources = named.map((resource) => ({ ...resource, ...compileNames(resource.name, resource, reserved) }));
  checkDistinct(resources);
  checkFormerNames(resources);
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  return resources.map(({ collection, singular, code: prefix, ...resource }) => {
    const own = { collection, singular, code: prefix };
    const schema = resolveSchema(resource, document);
    const fields = compileFields(schema, names);
    const parent = byName.get(parentOf(resource, names) ?? '') ?? null;
    const surroundings = { ...own, schema: schema.declared, fields, parent, document: document.declared };
    return compileResource(resource, surroundings, code.get(resource.name) ?? null);
  });
}

function resolveSchema({ declared, path, report }: CompileContext, document: CompileContext): CompileContext {
  const at = [...path, 'schema'];
  return { declared: resolveReferences(objectOf(declared['schema']), document.declared, at, report), path: at, report };
}

function withRelations(
  { declared: _declared, path: _path, report: _report, ...resource }: UnlinkedResource,
  drafts: readonly UnlinkedResource[],
): Resource {
  return { ...resource, dependents: dependentsOf(resource.name, drafts), links: linksOf(resource.name, drafts) };
}

/** The same text for the same model: members, map entries and fields in their order. */
function serialise(value: object): string {
  return JSON.stringify(value, (_, held: unknown) => {
    if (held instanceof Map || held instanceof Set) return [...held];
    // The same data under other code is another model: its representations may differ.
    return held instanceof RegExp ? held.source : typeof held === 'function' ? String(held) : held;
  });
}
