import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { Field, IdRule, Resource, ResourceAccess } from '../../model.ts';
import type { UncheckedCode } from '../../typescript/split-definition.ts';
import { parentKey } from '../../row-key.ts';
import { readNumber, readObject, readString } from '../../values/access.ts';
import { readParent } from '../../values/parent.ts';
import { compilePattern } from '../../values/pattern.ts';
import { compileAccess } from '../access/access.ts';
import type { RuledAccess } from '../access/ruled-access.ts';
import { compileCode, NO_CODE } from './compile-code.ts';
import type { ResourceContext } from './hierarchy.ts';
import { checkPattern } from '../fields/keywords.ts';
import type { ResourceNames } from '../fields/names.ts';
import { compileCallerFills } from '../fields/caller-fills.ts';
import { compileGenerated } from '../fields/generated.ts';
import { compileProperties, compileSearch } from '../fields/properties.ts';
import { compileTombstones } from '../settings/retention.ts';
import { compileIndexes, compileSort, compileTimeField, compileUniques } from './sort-and-indexes.ts';
import { compileState } from './state-machine.ts';
import { compileTable, fitToTable, hasTable } from './compile-table.ts';

/** A compiled resource without the parts that depend on other resources. */
export type UnlinkedResource = Omit<Resource, 'dependents' | 'links' | 'sameForEveryCaller' | keyof RuledAccess> &
  CompileContext;

/** The parent of a resource. */
export interface ParentResource {
  readonly name: string;
  readonly singular: string;
  /** The number of ids above a row of it that its own id needs to identify it. */
  readonly scope: number;
  /** Null where the parent has errors. */
  readonly access: ResourceAccess | null;
}

/** The parts of the rest of the model that a resource depends on. */
interface ResourceInputs extends ResourceNames {
  /** The declared schema, its `$ref`s resolved. */
  readonly schema: CompileContext['declared'];
  readonly fields: readonly Field[];
  readonly parent: ParentResource | null;
  /** The whole document. */
  readonly document: CompileContext['declared'];
}

/** Compiles one resource. @param code the functions of a TypeScript model; null for a document */
export function compileResource(
  resource: ResourceContext,
  inputs: ResourceInputs,
  code: UncheckedCode | null,
): UnlinkedResource {
  const { name, declared } = resource;
  const { schema, fields: plain, parent, document, ...names } = inputs;
  const parentField = compileParentField(resource, inputs);
  const own = compileCallerFills(compileGenerated(plain, schema, resource, code?.generated), inputs, resource);
  const hasClientIds = clientIdTest(document);
  const form = compileForm(document, name);
  const { state, fields: stated } = compileState(listReferring(parentField, own, document, form), schema, resource);
  const table = compileTable(resource, stated, document);
  const fields = fitToTable(stated, table);
  const properties = compileProperties({ fields, schema, hasClientIds, table }, resource);
  return {
    ...resource,
    name,
    ...names,
    table,
    was: readString(declared['was']),
    id: compileId(resource),
    fields,
    field: new Map(fields.map((field) => [field.name, field])),
    ...(code === null ? NO_CODE : compileCode(code, fields, resource, document)),
    properties,
    ...compileParent(parentField, parent),
    uniques: compileUniques(fields, schema, resource),
    ...compileQueries(properties, resource),
    declares: declaredMembers(declared),
    state,
    events: compileEvents(declared),
    access: compileResourceAccess(resource, inputs),
    ...writeRules(declared),
    tombstones: compileTombstones(resource),
    cache: compileCache(declared),
    ...form,
    schema,
  };
}

type QueryRules = Pick<Resource, 'indexes' | 'search' | 'sort' | 'timeField'>;

function compileQueries(properties: Resource['properties'], resource: ResourceContext): QueryRules {
  return {
    indexes: compileIndexes(properties, resource),
    search: compileSearch(properties, resource),
    sort: compileSort(properties, resource),
    timeField: compileTimeField(properties, resource),
  };
}

type WriteRules = Pick<Resource, 'requireIfMatch' | 'idempotency' | 'readOnly'>;

function writeRules(declared: CompileContext['declared']): WriteRules {
  return {
    readOnly: declared['read_only'] === true,
    requireIfMatch: declared['require_if_match'] === true,
    idempotency: declared['idempotency'] === 'required' ? 'required' : 'optional',
  };
}

function compileParent(field: Field | null, parent: ParentResource | null): Pick<Resource, 'parent' | 'parentKey'> {
  if (field === null || parent === null) return { parent: null, parentKey: [] };
  return { parent: { resource: parent.name, field: field.name }, parentKey: parentKey(field.name, parent.scope) };
}

function compileResourceAccess(
  resource: ResourceContext,
  { collection, parent, document }: ResourceInputs,
): ResourceAccess {
  return compileAccess(resource, {
    collection,
    parent: parent?.access ?? null,
    hasAuth: document['auth'] !== undefined,
  });
}

function declaredMembers(declared: CompileContext['declared']): Resource['declares'] {
  const declares = (member: keyof Resource['declares']): boolean => declared[member] !== undefined;
  return {
    sortable: declares('sortable'),
    filterable: declares('filterable'),
    singular: declares('singular'),
    publicCache: compileCache(declared)?.scope === 'public',
  };
}

/** The field with the id of the parent. It is read-only, because the path sets it. */
function compileParentField(
  { declared, path, report }: CompileContext,
  { parent, fields }: ResourceInputs,
): Field | null {
  if (parent === null) {
    if (declared['parent'] === undefined && declared['on_parent_delete'] !== undefined) {
      report([...path, 'on_parent_delete'], 'the resource has no parent', 'remove it, or declare the parent');
    }
    return null;
  }
  const name = `${parent.singular}_id`;
  if (fields.some((field) => field.name === name)) {
    const cause = `the server adds ${name}, the id of the parent, to every child`;
    report([...path, 'schema', 'properties', name], cause, 'remove the field');
  }
  const onDelete = readString(declared['on_parent_delete']) === 'cascade' ? 'cascade' : 'restrict';
  const { as = parent.singular, inverse = null } = readParent(declared) ?? {};
  return {
    name,
    type: { kind: 'text', format: null },
    nullable: false,
    required: true,
    readOnly: true,
    writeOnly: false,
    immutable: false,
    was: null,
    reference: { resource: parent.name, as, inverse, onDelete },
    generator: null,
    shownOnce: false,
    fill: null,
  };
}

const COMPACT = { compact: true } as const;
const DIGITS = { digits: true } as const;

/** Marks the values of a reference as ids, made as the resource says that the field refers to. */
function withIds(field: Field, document: CompileContext['declared']): Field {
  const { type, reference } = field;
  if (reference === null) return field;
  const ids = clientIdTest(document)(reference.resource) ? 'client' : 'server';
  const form = {
    ids,
    ...(isCompact(document, reference.resource) ? COMPACT : {}),
    ...(readsNumbers(document, reference.resource) ? DIGITS : {}),
  } as const;
  if (type.kind === 'text') return { ...field, type: { ...type, ...form } };
  if (type.kind !== 'array' || type.item.type.kind !== 'text') return field;
  return { ...field, type: { ...type, item: { ...type.item, type: { ...type.item.type, ...form } } } };
}

type DatabaseForm = Pick<Resource, 'compact' | 'isBelowCompact'>;

/** Checks if rows of a resource are stored in a compact form: those of the server's own resources. */
function isCompact(document: CompileContext['declared'], resource: string): boolean {
  return readObject(readObject(document['resources'])[resource])['compact'] === true;
}

/**
 * Checks if the outermost row above, of those that identify the parent of a row, is of a compact resource.
 *
 * @param seen the resources below it: an erroneous model may have a cycle
 */
function isBelowCompact(document: CompileContext['declared'], resource: string, seen: readonly string[] = []): boolean {
  const resources = readObject(document['resources']);
  const parent = readParent(readObject(resources[resource]))?.resource;
  if (parent === undefined || seen.includes(resource)) return false;
  const isOutermost = !clientIdTest(document)(parent) || readObject(resources[parent])['parent'] === undefined;
  return isOutermost ? isCompact(document, parent) : isBelowCompact(document, parent, [...seen, resource]);
}

function compileForm(document: CompileContext['declared'], resource: string): DatabaseForm {
  return { compact: isCompact(document, resource), isBelowCompact: isBelowCompact(document, resource) };
}

/** Lists all fields in the form of the database, with the types of references. */
function listReferring(
  parent: Field | null,
  own: readonly Field[],
  document: CompileContext['declared'],
  { compact }: DatabaseForm,
): readonly Field[] {
  const fields = compact ? own.map(withCompactType) : own;
  return [...(parent === null ? [] : [parent]), ...fields].map((field) => withIds(field, document));
}

function withCompactType(field: Field): Field {
  const { type } = field;
  const isUuid = type.kind === 'text' && type.format === 'uuid';
  const isList = type.kind === 'array' && type.item.type.kind === 'object';
  return isUuid || isList ? { ...field, type: { ...type, ...COMPACT } } : field;
}

function clientIdTest(document: CompileContext['declared']): (resource: string) => boolean {
  const resources = readObject(document['resources']);
  return (resource) => hasClientId(readObject(resources[resource]));
}

/** Checks if integers are read as ids of a resource. */
function readsNumbers(document: CompileContext['declared'], resource: string): boolean {
  return readObject(readObject(readObject(document['resources'])[resource])['id'])['number'] === true;
}

function isClientId(id: Json | undefined): boolean {
  return id === 'client' || isJsonObject(id);
}

/** Checks if ids are chosen elsewhere than in the server. Those of a table that exists are the values of its key. */
function hasClientId(declared: CompileContext['declared']): boolean {
  return isClientId(declared['id']) || hasTable(declared);
}

function compileId({ declared, path, report }: CompileContext): IdRule {
  const { id } = declared;
  if (!hasClientId(declared)) return { kind: 'server' };
  const { client = null, optional, number } = readObject(id);
  const pattern = readString(client);
  checkPattern(pattern ?? undefined, [...path, 'id', 'client'], report);
  return {
    kind: 'client',
    pattern: pattern === null ? null : compilePattern(pattern),
    optional: optional === true || hasTable(declared),
    number: number === true,
  };
}

function compileEvents(declared: CompileContext['declared']): Resource['events'] {
  const events = readString(declared['events']);
  return events === 'full' || events === 'none' || events === 'disabled' ? events : 'thin';
}

/** As it is declared: see {@link compileSharing}. */
function compileCache(declared: CompileContext['declared']): Resource['cache'] {
  if (!isJsonObject(declared['cache'])) return null;
  const cache = readObject(declared['cache']);
  return { maxAge: readNumber(cache['max_age']) ?? 0, scope: cache['scope'] === 'public' ? 'public' : 'private' };
}
