import { isJsonObject } from '../../conventions/json.ts';
import type { CompileContext } from '../document/compile-context.ts';
import { numberOf, objectOf, stringOf } from '../values/access.ts';
import type { ResourceContext } from './hierarchy.ts';
import { readPattern, checkPattern } from './keywords.ts';
import type { Field, IdRule, Resource } from '../model.ts';
import type { ResourceNames } from './names.ts';
import { compileIndexes, compileSort, compileTimeField, compileUniques } from './sort-and-indexes.ts';
import { compileProperties } from './properties.ts';
import { compileCode, NO_CODE, type UncheckedCode } from './compile-code.ts';
import { compileSearch } from './search.ts';
import { compileState } from './state-machine.ts';

/** A resource of which all is compiled but what depends on others. */
export type UnlinkedResource = Omit<Resource, 'dependents' | 'links'> & CompileContext;

/** What a resource takes from its surroundings. */
export interface ResourceInputs extends ResourceNames {
  /** The declared schema, its `$ref`s resolved. */
  readonly schema: CompileContext['declared'];
  readonly fields: readonly Field[];
  readonly parent: { readonly name: string; readonly singular: string } | null;
  /** The whole document. */
  readonly document: CompileContext['declared'];
}

/** Compiles one resource by itself. @param code of a model in TypeScript; null of one in data */
export function compileResource(
  resource: ResourceContext,
  surroundings: ResourceInputs,
  code: UncheckedCode | null,
): UnlinkedResource {
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
    was: stringOf(declared['was']),
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
function compileParent({ declared, path, report }: CompileContext, { parent, fields }: ResourceInputs): Field | null {
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
  const onDelete = stringOf(declared['on_parent_delete']) === 'cascade' ? 'cascade' : 'restrict';
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

function compileId({ declared, path, report }: CompileContext): IdRule {
  const { id } = declared;
  if (id === 'client') return { kind: 'client', pattern: null };
  if (!isJsonObject(id)) return { kind: 'server' };
  const pattern = stringOf(id['client']);
  checkPattern(pattern ?? undefined, [...path, 'id', 'client'], report);
  return { kind: 'client', pattern: pattern === null ? null : readPattern(pattern) };
}

function compileEvents(declared: CompileContext['declared']): Resource['events'] {
  const events = stringOf(declared['events']);
  return events === 'full' || events === 'none' ? events : 'thin';
}

function compileCache(declared: CompileContext['declared']): Resource['cache'] {
  if (!isJsonObject(declared['cache'])) return null;
  const cache = objectOf(declared['cache']);
  return { maxAge: numberOf(cache['max_age']) ?? 0, scope: cache['scope'] === 'public' ? 'public' : 'private' };
}
