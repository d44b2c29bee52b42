import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { RESERVED_FIELDS } from '../../model/compile/fields/names.ts';
import { DataError } from '../data-error.ts';
import { safeName, snakeName } from '../field-name.ts';
import { modelName, systemSettings } from '../infer-model.ts';
import type { InferredReference } from '../infer-references.ts';
import { type MemberDraft, type ModelDraft, simpleSchema } from '../model-draft.ts';
import { type UnrelatedDraft, nameRelations } from '../relations.ts';
import { type NamedResource, ResourceNamer } from '../resource-name.ts';
import { readObject, readString, readStrings } from '../../model/values/access.ts';
import { SchemaConverter } from './convert-schema.ts';
import { referencedComponent, DescribedApi } from './described-api.ts';
import { type DescribedResource, describedResources } from './described-resources.ts';

/** A resource of a description, with its name in the model. */
interface Described extends NamedResource {
  readonly described: DescribedResource;
}

/** The facts about other resources that the conversion of a resource needs. */
interface Surrounding {
  readonly api: DescribedApi;
  readonly all: readonly Described[];
}

const VERSION = /^(?:0|[1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8})){2}$/;
const SYSTEM_FIELDS: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);
const MAX_OTHERS = 30;
/** Levels of collections in a URL (URL-7). */
const MAX_LEVELS = 3;

/**
 * Converts an OpenAPI description (3.0 or 3.1) to a model. Collections with item paths become resources.
 * Parts that a model cannot express are omitted with a comment.
 *
 * @throws {DataError} for another version, and for a description without resources
 */
export function inferOpenApi(document: JsonObject): ModelDraft {
  const version = readString(document['openapi']) ?? '';
  if (!/^3\.[012]\./.test(`${version}.`)) {
    throw new DataError(null, 'the description is not OpenAPI 3.0 or 3.1; convert it to one of these');
  }
  const api = new DescribedApi(document);
  const { resources, others } = describedResources(api);
  if (resources.length === 0) {
    throw new DataError(null, 'the description has no collection with items, such as /pets and /pets/{id}');
  }
  const namer = new ResourceNamer();
  const all = resources.map((described): Described => ({ ...namer.name(described.source), described }));
  const drafts = all.map((each) => draftDescribed(each, { api, all }));
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

function inferVersion(version: Json | undefined): string {
  const text = readString(version) ?? '';
  return VERSION.test(text) ? text : '1.0.0';
}

function draftDescribed(resource: Described, { api, all }: Surrounding): UnrelatedDraft {
  const { name, settings, described } = resource;
  const parent = findShallowParent(resource, all);
  const schema = withBody(described);
  const omitted = new Set([...SYSTEM_FIELDS, ...(parent === null ? [] : [`${parent.singular}_id`])]);
  const properties = Object.entries(readObject(schema['properties'])).filter(
    ([source, value]) =>
      !omitted.has(snakeName(source)) && !source.includes('${') && !isSystemField(source, value, api),
  );
  const references = new Map<string, InferredReference>();
  const related = new Map<string, string>();
  for (const [source, value] of properties) {
    const target = findReferred(source, value, { api, all });
    if (target !== null) related.set(source, target.name);
  }
  const plain = properties.filter(([source]) => !related.has(source));
  const { members, leftOut } = new SchemaConverter(api).members(
    { ...schema, properties: Object.fromEntries(plain) },
    rename,
  );
  const used = new Set(members.map((member) => member.name));
  const added = [...related].flatMap(([source, target]): readonly MemberDraft[] => {
    const member = referenceMember(source, readObject(schema['properties'])[source], { api, all });
    if (used.has(member.name)) return [];
    used.add(member.name);
    references.set(member.name, { kind: 'reference', resource: target });
    return [{ ...member, required: member.required && readStrings(schema['required']).includes(source) }];
  });
  const children = all.filter((each) => findShallowParent(each, all) === resource).map((each) => each.name);
  return {
    resource: {
      name,
      settings: { ...settings, ...(parent === null ? {} : { parent: parent.name }), id: idRule(described, api) },
      fields: [...members, ...added],
      notes: leftOut.map((each) => `left out: ${each}`),
    },
    references,
    linked: [...children, ...(parent === null ? [] : [parent.singular, `${parent.singular}_id`])],
  };
}

/** True if the server sets the member in every resource, such as a revision or links that are read-only there, too. */
function isSystemField(source: string, value: Json, api: DescribedApi): boolean {
  return RESERVED_FIELDS.has(snakeName(source)) && api.resolve(value)?.['readOnly'] === true;
}

function rename(field: string): string {
  return RESERVED_FIELDS.has(field) ? `source_${field}` : safeName(field);
}

/** The parent of a resource, where its own path is not too deep. */
function findShallowParent({ described }: Described, all: readonly Described[]): Described | null {
  const line: Described[] = [];
  for (let path = described.parent; path !== null; ) {
    const above = all.find((each) => each.described.path === path);
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
function findReferred(source: string, value: Json, { api, all }: Surrounding): Described | null {
  const items = api.resolve(value)?.['items'];
  const component = referencedComponent(items ?? value);
  const embedded = component === null ? undefined : all.find(({ described }) => described.component === component);
  if (embedded !== undefined) return embedded;
  const name = snakeName(source);
  const stem = name.replace(/_ids?$/, '');
  const types = readStrings(readObject(api.resolve(items ?? value))['type']).filter((type) => type !== 'null');
  const isId = types.length === 1 && (types[0] === 'string' || types[0] === 'integer');
  if (stem === name || !isId) return null;
  return all.find((each) => stem === each.name || stem === each.singular || stem.endsWith(`_${each.singular}`)) ?? null;
}

/** The field with the id, or the ids, of what a member refers to. An embedded object is a relation of its own name. */
function referenceMember(source: string, value: Json | undefined, { api }: Surrounding): MemberDraft {
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

/** Clients choose ids where the body that creates an item has one. */
function idRule({ schema, body }: DescribedResource, api: DescribedApi): string {
  const [, id] = Object.entries(readObject(schema['properties'])).find(([name]) => snakeName(name) === 'id') ?? [];
  const { type, format, readOnly } = readObject(api.resolve(id));
  const isSent = Object.keys(readObject(body?.['properties'])).some((name) => snakeName(name) === 'id');
  return type === 'string' && format !== 'uuid' && isSent && readOnly !== true ? 'client' : 'uuid';
}
