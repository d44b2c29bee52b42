import { isJsonObject } from '../conventions/json.ts';
import type { Declaration } from './declaration.ts';
import { numberOf, objectOf, textOf } from './declared.ts';
import type { NamedDeclaration } from './hierarchy.ts';
import { readPattern, checkPattern } from './keywords.ts';
import type { Field, IdRule, Resource } from './model.ts';
import type { ResourceNames } from './names.ts';
import { compileIndexes, compileSort, compileTimeField, compileUniques } from './ordering.ts';
import { compileProperties } from './properties.ts';
import { compileCode, NO_CODE, type ResourceCode } from './resource-code.ts';
import { compileSearch } from './searched.ts';
import { compileState } from './state.ts';

/** A resource of which all is compiled but what depends on others. */
export type ResourceDraft = Omit<Resource, 'dependents' | 'links'> & Declaration;

/** What a resource takes from its surroundings. */
export interface Surroundings extends ResourceNames {
  /** The declared schema, its `$ref`s resolved. */
  readonly schema: Declaration['declared'];
  readonly fields: readonly Field[];
  readonly parent: { readonly name: string; readonly singular: string } | null;
  /** The whole document. */
  readonly document: Declaration['declared'];
}

/** Compiles one resource by itself. @param code of a model in TypeScript; null of one in data */
export function compileResource(
  resource: NamedDeclaration,
  surroundings: Surroundings,
  code: ResourceCode | null,
): ResourceDraft {
  const { name, declared } = resource;
  const { schema, fields: _fields, parent: above, document, ...names } = surroundings;
  const parent = compileParent(resource, surroundings);
  const { state, fields } = compileState(
    parent === null ? surroundings.fields : [parent, ...surroundings.fields],
    schema,
    resource,
  );
  const properties = compileProperties(fields, resource);
  return {
    ...resource,
    name,
    ...names,
    was: textOf(declared['was']),
    id: compileId(resource),
    fields,
    field: new Map(fields.map((field) => [field.name, field])),
    ...(code === null ? NO_CODE : compileCode(code, fields, resource, document)),
    properties,
    parent: parent === null || above === null ? null : { resource: above.name, field: parent.name },
    uniques: compileUniques(fields, schema, resource),
    indexes: compileIndexes(properties, resource),
    search: compileSearch(properties, resource),
    state,
    sort: compileSort(properties, resource),
    timeField: compileTimeField(properties, resource),
    events: compileEvents(declared),
    requireIfMatch: declared['require_if_match'] === true,
    idempotency: declared['idempotency'] === 'required' ? 'required' : 'optional',
    cache: compileCache(declared),
    schema,
  };
}

/** The field that holds the parent's id: the path sets it, so that it is read-only. */
function compileParent({ declared, path, report }: Declaration, { parent, fields }: Surroundings): Field | null {
  if (parent === null) {
    if (declared['parent'] === undefined && declared['on_parent_delete'] !== undefined) {
      report([...path, 'on_parent_delete'], 'the resource has no parent', 'remove it, or name the parent');
    }
    return null;
  }
  const name = `${parent.singular}_id`;
  if (fields.some((field) => field.name === name)) {
    const fix = 'leave it out: every child has it';
    report([...path, 'schema', 'properties', name], `${name} holds the id of the parent`, fix);
  }
  const onDelete = textOf(declared['on_parent_delete']) === 'cascade' ? 'cascade' : 'restrict';
  return {
    name,
    type: { kind: 'text', format: null },
    nullable: false,
    required: true,
    readOnly: true,
    writeOnly: false,
    immutable: false,
    was: null,
    reference: { resource: parent.name, as: parent.singular, inverse: null, onDelete },
  };
}

function compileId({ declared, path, report }: Declaration): IdRule {
  const { id } = declared;
  if (id === 'client') return { kind: 'client', pattern: null };
  if (!isJsonObject(id)) return { kind: 'server' };
  const pattern = textOf(id['client']);
  checkPattern(pattern ?? undefined, [...path, 'id', 'client'], report);
  return { kind: 'client', pattern: pattern === null ? null : readPattern(pattern) };
}

function compileEvents(declared: Declaration['declared']): Resource['events'] {
  const events = textOf(declared['events']);
  return events === 'full' || events === 'none' ? events : 'thin';
}

function compileCache(declared: Declaration['declared']): Resource['cache'] {
  if (!isJsonObject(declared['cache'])) return null;
  const cache = objectOf(declared['cache']);
  return { maxAge: numberOf(cache['max_age']) ?? 0, scope: cache['scope'] === 'public' ? 'public' : 'private' };
}
