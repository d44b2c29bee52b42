import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { RESERVED_FIELDS, toPlural, toSingular } from '../../model/compile/fields/names.ts';
import { DataError } from '../data-error.ts';
import { safeName, snakeName } from '../field-name.ts';
import { modelName, systemSettings } from '../infer-model.ts';
import type { InferredReference } from '../infer-references.ts';
import { type MemberDraft, type ModelDraft, simpleSchema } from '../model-draft.ts';
import { type UnrelatedDraft, nameRelations } from '../relations.ts';
import { type NamedResource, ResourceNamer } from '../resource-name.ts';
import { readObject, readString, readStrings } from '../../model/values/access.ts';
import { type ConvertedMembers, SchemaConverter } from './convert-schema.ts';
import { referencedComponent, DescribedApi } from './described-api.ts';
import { isParameter } from './described-paths.ts';
import type { DescribedResource } from './described-resource.ts';
import { describedResources } from './described-resources.ts';

/** A resource of a description, with its name in the model. */
interface Described extends NamedResource {
  readonly described: DescribedResource;
}

/** The facts about other resources that the conversion of a resource needs. */
interface Surrounding {
  readonly api: DescribedApi;
  readonly parents: ReadonlyMap<Described, Described>;
  readonly children: ReadonlyMap<Described | undefined, readonly Described[]>;
  readonly byComponent: ReadonlyMap<string | null, Described>;
  /** By name and by singular. */
  readonly byName: ReadonlyMap<string, Described>;
}

const VERSION = /^(?:0|[1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8})){2}$/;
const SYSTEM_FIELDS: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);
const MAX_OTHERS = 30;
/** Levels of collections in a URL (URL-7). */
const MAX_LEVELS = 3;

/**
 * Converts an OpenAPI description (2.0 to 3.2) to a model. Collections with item paths become resources.
 * Parts that a model cannot express are omitted with a comment.
 *
 * @throws {DataError} for another version, and for a description without resources
 */
export function inferOpenApi(document: JsonObject): ModelDraft {
  const written = document['openapi'] ?? document['swagger'] ?? null;
  const version = readString(written) ?? JSON.stringify(written);
  if (!/^(?:2\.0|3\.[012])\./.test(`${version}.`)) {
    throw new DataError(null, `the description is OpenAPI ${version}; convert it to 3.0 or 3.1`);
  }
  const api = new DescribedApi(document);
  const { resources, others } = describedResources(api);
  if (resources.length === 0) {
    throw new DataError(null, 'the description has no collection with items, such as /pets and /pets/{id}');
  }
  const namer = new ResourceNamer();
  const names = Map.groupBy(resources, ({ source }) => snakeName(source));
  const all = resources.map((described): Described => {
    const isShared = (names.get(snakeName(described.source))?.length ?? 0) > 1;
    return { ...namer.name(isShared ? withParentName(described) : described.source), described };
  });
  const surrounding = { api, ...relate(all) };
  const drafts = all.map((each) => draftDescribed(each, surrounding));
  const { title, version: contract } = readObject(document['info']);
  return {
    name: modelName(readString(title) ?? 'api'),
    settings: { version: inferVersion(contract), ...systemSettings(all.map(({ collection }) => collection)) },
    resources: nameRelations(drafts),
    notes: [
      'Converted from OpenAPI: check the types and remove what is not needed.',
      ...(document['security'] === undefined ? [] : ['Left out: security.']),
      ...others.slice(0, MAX_OTHERS).map((operation) => `Left out: ${operation}`),
      ...(others.length > MAX_OTHERS ? [`Left out: ${others.length - MAX_OTHERS} more operations`] : []),
    ],
  };
}

/** The first of several resources with a component or a name is the one that fields refer to. */
function relate(all: readonly Described[]): Omit<Surrounding, 'api'> {
  const reversed = all.toReversed();
  const byPath = new Map(all.map((each) => [each.described.path, each]));
  const parents = new Map(
    all.flatMap((each) => {
      const parent = findShallowParent(each, byPath);
      return parent === null ? [] : [[each, parent] as const];
    }),
  );
  return {
    parents,
    children: Map.groupBy(all, (each) => parents.get(each)),
    byComponent: new Map(reversed.map((each) => [each.described.component, each])),
    byName: new Map([
      ...reversed.map((each) => [each.singular, each] as const),
      ...reversed.map((each) => [each.name, each] as const),
    ]),
  };
}

/** The name of one of several collections with one last segment: `comments` below `issues` are `issue_comments`. */
function withParentName({ source, parent }: DescribedResource): string {
  const above = parent?.split('/').findLast((segment) => segment !== '' && !isParameter(segment)) ?? null;
  return above === null ? source : `${toSingular(snakeName(above))}_${source}`;
}

/**
 * A description that an object is, or that has the one component of a JSON Schema; null for another object.
 *
 * @param name of a schema without a title
 */
export function describedBy(document: JsonObject, name: string): JsonObject | null {
  if ('openapi' in document || 'swagger' in document) return document;
  const { $schema, $defs = {}, definitions = {}, title, type, properties } = document;
  const isSchema =
    /json-schema\.org/.test(readString($schema) ?? '') || (type === 'object' && isJsonObject(properties));
  if (!isSchema) return null;
  const source = toPlural(snakeName(readString(title) ?? name.replace(/\.schema$/, '')));
  const info = { title: readString(title) ?? name };
  return { openapi: '3.1.0', info, $defs, definitions, components: { schemas: { [source]: document } } };
}

function inferVersion(version: Json | undefined): string {
  const text = readString(version) ?? '';
  return VERSION.test(text) ? text : '1.0.0';
}

function draftDescribed(resource: Described, surrounding: Surrounding): UnrelatedDraft {
  const { name, settings, described } = resource;
  const parent = surrounding.parents.get(resource) ?? null;
  const children = surrounding.children.get(resource) ?? [];
  const above = parent === null ? [] : [parent.singular, `${parent.singular}_id`];
  const linked = [...children.map((each) => each.name), ...above];
  const id = findId(resource);
  const { members, leftOut, references } = draftMembers(resource, { id, linked }, surrounding);
  const below = parent === null ? {} : { parent: parent.name };
  const notes = [
    ...described.notes,
    ...(id === null || id === 'id' ? [] : [`its id was ${id}`]),
    ...leftOut.map((each) => `left out: ${each}`),
  ];
  const rule = idRule(described, id, surrounding.api);
  return {
    resource: { name, settings: { ...settings, ...below, id: rule }, fields: members, notes },
    references,
    linked,
  };
}

/** The members of an item that are no fields of their own. */
interface OtherMembers {
  readonly id: string | null;
  /** The names of sub-collections and of the parent. */
  readonly linked: readonly string[];
}

interface DraftedMembers extends ConvertedMembers {
  readonly references: ReadonlyMap<string, InferredReference>;
}

function draftMembers(
  { described }: Described,
  { id, linked }: OtherMembers,
  surrounding: Surrounding,
): DraftedMembers {
  const { api } = surrounding;
  const schema = withBody(described);
  const parentId = linked.at(-1)?.endsWith('_id') === true ? linked.at(-1) : undefined;
  const isOwn = (source: string, value: Json): boolean =>
    source !== id &&
    !SYSTEM_FIELDS.has(snakeName(source)) &&
    snakeName(source) !== parentId &&
    !source.includes('${') &&
    !isSystemField(source, value, api);
  const all = readObject(schema['properties']);
  const properties = Object.entries(all).filter(([source, value]) => isOwn(source, value));
  const related = properties.flatMap(([source, value]) => {
    const target = findReferred(source, value, surrounding);
    return target === null ? [] : [[source, target.name] as const];
  });
  const withoutRelated = Object.fromEntries(properties);
  for (const [source] of related) delete withoutRelated[source];
  const { members, leftOut } = new SchemaConverter(api).members({ ...schema, properties: withoutRelated }, (field) =>
    linked.includes(field) ? `source_${field}` : rename(field),
  );
  const drafted = { members: [...members], leftOut: [...leftOut], references: new Map<string, InferredReference>() };
  const used = new Set([...linked, ...members.map((member) => member.name)]);
  const required = new Set(readStrings(schema['required']));
  for (const [source, target] of related) {
    const member = referenceMember(source, all[source], api);
    if (!used.has(member.name)) {
      used.add(member.name);
      drafted.references.set(member.name, { kind: 'reference', resource: target });
      drafted.members.push({ ...member, required: member.required && required.has(source) });
    } else if (member.name !== parentId) drafted.leftOut.push(`${source}: another field is ${member.name}`);
  }
  return drafted;
}

/** True if the server sets the member in every resource, such as a revision or links that are read-only there, too. */
function isSystemField(source: string, value: Json, api: DescribedApi): boolean {
  return RESERVED_FIELDS.has(snakeName(source)) && api.resolve(value)?.['readOnly'] === true;
}

function rename(field: string): string {
  return RESERVED_FIELDS.has(field) ? `source_${field}` : safeName(field);
}

/** The parent of a resource, where its own path is not too deep. */
function findShallowParent({ described }: Described, byPath: ReadonlyMap<string, Described>): Described | null {
  const line: Described[] = [];
  for (let path = described.parent; path !== null; ) {
    const above = byPath.get(path);
    if (above === undefined || line.includes(above)) break;
    line.push(above);
    path = above.described.parent;
  }
  return line.length < MAX_LEVELS ? (line[0] ?? null) : null;
}

/**
 * Adds to the schema of an item the fields that only the body has, as write-only, and the required fields of the body.
 */
function withBody({ schema, body }: DescribedResource): JsonObject {
  if (body === null) return schema;
  const shown = readObject(schema['properties']);
  const hidden = Object.entries(readObject(body['properties'])).filter(([name]) => !Object.hasOwn(shown, name));
  const written = hidden.map(([name, value]): [string, Json] => [name, { ...readObject(value), writeOnly: true }]);
  const kept = written.filter(([, value]) => referencedComponent(value) === null);
  return { ...schema, properties: { ...shown, ...Object.fromEntries(kept) }, required: body['required'] ?? [] };
}

/** The resource that a member refers to: by its name, or because it embeds the schema of the resource. */
function findReferred(source: string, value: Json, { api, byComponent, byName }: Surrounding): Described | null {
  const items = api.resolve(value)?.['items'];
  const component = referencedComponent(items ?? value);
  const embedded = component === null ? undefined : byComponent.get(component);
  if (embedded !== undefined) return embedded;
  const name = snakeName(source);
  const stem = name.replace(/_ids?$/, '');
  const types = readStrings(readObject(api.resolve(items ?? value))['type']).filter((type) => type !== 'null');
  const isId = types.length === 1 && (types[0] === 'string' || types[0] === 'integer');
  if (stem === name || !isId) return null;
  const words = stem.split('_');
  const suffixes = words.map((_, from) => words.slice(from).join('_'));
  return suffixes.flatMap((each) => byName.get(each) ?? [])[0] ?? null;
}

/** The field with the id, or the ids, of what a member refers to. An embedded object is a relation of its own name. */
function referenceMember(source: string, value: Json | undefined, api: DescribedApi): MemberDraft {
  const name = snakeName(source);
  const isList = api.resolve(value)?.['items'] !== undefined;
  const isId = /_ids?$/.test(name);
  const field = rename(isId || isList ? name : `${name}_id`);
  const id = simpleSchema({ type: 'string', ...(field === source ? {} : { 'x-source': source }) });
  const schema = isList
    ? { ...id, keywords: { ...id.keywords, type: 'array' }, items: simpleSchema({ type: 'string' }) }
    : id;
  return { name: field, required: isId, schema };
}

/** The member that is the id: the one of that name, else the one that the parameter of the item path names. */
function findId({ singular, described }: Described): string | null {
  const { schema, parameter } = described;
  const sources = Object.keys(readObject(schema['properties']));
  const own = sources.find((source) => snakeName(source) === 'id');
  if (own !== undefined || parameter === null) return own ?? null;
  const named = snakeName(parameter);
  const names = [named, `${singular}_${named}`, named.replace(new RegExp(`^${singular}_`), '')];
  return sources.find((source) => names.includes(snakeName(source))) ?? null;
}

/** Clients choose ids where the body that creates an item has one. */
function idRule({ schema, body }: DescribedResource, id: string | null, api: DescribedApi): string {
  if (id === null) return 'uuid';
  const { type, format, readOnly } = readObject(api.resolve(readObject(schema['properties'])[id]));
  const isSent = Object.hasOwn(readObject(body?.['properties']), id);
  return type === 'string' && format !== 'uuid' && isSent && readOnly !== true ? 'client' : 'uuid';
}
