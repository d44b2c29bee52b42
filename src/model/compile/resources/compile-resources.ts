import { isJsonObject } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { Field, Model, Resource } from '../../model.ts';
import type { UncheckedCode } from '../../typescript/split-definition.ts';
import { countScopeIds } from '../../row-key.ts';
import { readObject } from '../../values/access.ts';
import { compileResource, type UnlinkedResource } from './compile-resource.ts';
import { compileFields } from '../fields/fields.ts';
import { readParentName, parentsFirst, type ResourceContext } from './hierarchy.ts';
import {
  checkDescribedNames,
  checkDistinct,
  checkFormerNames,
  compileNames,
  reservedCollections,
} from '../fields/names.ts';
import {
  checkRelationNames,
  listDependents,
  listCollectionLinks,
  type ReferrersByTarget,
  groupReferrers,
  referencePath,
} from '../fields/references.ts';
import { resolveReferences } from '../fields/resolve-refs.ts';
import { compileRuledAccess, NO_RULED_ACCESS, type RuledAccess } from '../access/ruled-access.ts';
import { compileSharing } from '../access/sharing.ts';
import { hasDatabaseRole } from '../settings/database-role.ts';

/** The functions of resources, by name of the resource. */
export type ModelCode = ReadonlyMap<string, UncheckedCode>;

/**
 * Compiles each resource of a document without the parts that depend on other resources, parents before their children.
 */
export function compileResources(document: CompileContext, code: ModelCode): readonly UnlinkedResource[] {
  const declared = Object.entries(readObject(document.declared['resources']));
  const ordered = parentsFirst(
    declared.flatMap(([name, resource]): ResourceContext[] =>
      isJsonObject(resource) ? [{ ...document, name, declared: resource, path: ['resources', name] }] : [],
    ),
  );
  const names = new Set(declared.map(([name]) => name));
  const reserved = reservedCollections(document.declared);
  const resources = ordered.map((resource) => ({ ...resource, ...compileNames(resource.name, resource, reserved) }));
  checkDistinct(resources);
  checkDescribedNames(resources);
  checkFormerNames(resources);
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const compiled = new Map<string, UnlinkedResource>();
  for (const { collection, singular, code: prefix, ...resource } of resources) {
    const schema = resolveSchema(resource, document);
    const fields = compileFields(schema, names);
    const named = byName.get(readParentName(resource, names) ?? '');
    const above = compiled.get(named?.name ?? '');
    const parent =
      named === undefined
        ? null
        : { ...named, scope: above === undefined ? 0 : countScopeIds(above), access: above?.access ?? null };
    const own = { collection, singular, code: prefix };
    const inputs = { ...own, schema: schema.declared, fields, parent, document: document.declared };
    compiled.set(resource.name, compileResource(resource, inputs, code.get(resource.name) ?? null));
  }
  return [...compiled.values()].map((resource) => withSiblings(resource, compiled));
}

function resolveSchema({ declared, path, report }: CompileContext, document: CompileContext): CompileContext {
  const at = [...path, 'schema'];
  return {
    declared: resolveReferences(readObject(declared['schema']), document.declared, at, report),
    path: at,
    report,
  };
}

/**
 * Compiles the parts of resources that depend on other resources: relations, links, and the rules on rows and fields.
 *
 * @param document the whole document
 */
export function linkResources(
  unlinked: readonly UnlinkedResource[],
  document: CompileContext,
  code: ModelCode,
): ReadonlyMap<string, Resource> {
  const referrers = groupReferrers(unlinked);
  checkRelationNames(unlinked, referrers);
  checkInverses(unlinked);
  const linked = new Map(unlinked.map((resource) => [resource.name, relateResource(resource, referrers)]));
  if (document.declared['auth'] === undefined) return linked;
  const ruled = withRuledAccess(unlinked, linked, code);
  const isByRole = hasDatabaseRole(document.declared);
  return new Map([...ruled].map(([name, each]) => [name, { ...each, ...compileSharing(each, ruled, isByRole) }]));
}

function relateResource(
  { declared: _declared, path: _path, report: _report, ...resource }: UnlinkedResource,
  referrers: ReferrersByTarget,
): Resource {
  const { name } = resource;
  return {
    ...resource,
    ...NO_RULED_ACCESS,
    sameForEveryCaller: true,
    dependents: listDependents(name, referrers),
    links: listCollectionLinks(name, referrers),
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
  return new Map([...resources].map(([name, resource]) => [name, { ...resource, ...rulesOf(resource) }]));
}

/** Indexes resources by path segment. */
export function byCollection(resources: Model['resources']): Model['collections'] {
  return new Map([...resources.values()].map((resource) => [resource.collection, resource]));
}

/**
 * Marks the references of a resource to rows below the same parent.
 * Reports references to other nested rows with client ids. Their ids are unique below one parent only (URL-7).
 *
 * @param resources all resources by name
 */
function withSiblings(resource: UnlinkedResource, resources: ReadonlyMap<string, UnlinkedResource>): UnlinkedResource {
  const fields = resource.fields.map((field) => withSibling(resource, field, resources));
  return { ...resource, fields, field: new Map(fields.map((field) => [field.name, field])) };
}

function withSibling(
  resource: UnlinkedResource,
  field: Field,
  resources: ReadonlyMap<string, UnlinkedResource>,
): Field {
  const { reference, name } = field;
  const target = resources.get(reference?.resource ?? '');
  const isParent = name === resource.parent?.field;
  if (reference === null || target === undefined || isParent || countScopeIds(target) === 0) return field;
  if (target.parent?.resource === resource.parent?.resource)
    return { ...field, reference: { ...reference, siblings: true } };
  const above = target.parent?.resource ?? '';
  const cause = `the ids of ${target.name} are unique below one of ${above} only, so ${name} cannot identify a row`;
  const fix = `write id: uuid for ${target.name}, or declare the field on a resource with parent: ${above}`;
  resource.report([...resource.path, ...referencePath(resource, field)], cause, fix);
  return field;
}

/**
 * Reports inverse relations that could be neither expanded nor linked: the referring field is write-only, so no
 * response may show it (REP-11).
 */
function checkInverses(resources: readonly UnlinkedResource[]): void {
  for (const resource of resources) {
    for (const field of resource.fields) {
      const inverse = field.reference?.inverse ?? null;
      if (inverse === null || !field.writeOnly) continue;
      const at = [...resource.path, ...referencePath(resource, field), 'inverse'];
      const cause = `the relation ${inverse} can be neither expanded nor linked, because ${field.name} is write-only`;
      resource.report(at, cause, 'remove inverse, or writeOnly');
    }
  }
}
