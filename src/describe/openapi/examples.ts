import type { Json, JsonObject } from '../../conventions/json/json.ts';
import type { Field, Resource } from '../../model/model.ts';
import { needsId } from '../../model/needs-value.ts';
import { listTimes } from '../../model/table-source.ts';
import { readObject } from '../../model/values/access.ts';
import { storedForm } from '../../model/values/stored-form.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, exampleValue } from '../example-value.ts';

/**
 * An example of a resource, or of the body that makes one; nothing where a required member has a pattern that no sample
 * matches. Members of examples follow from the model alone, so that they are the same in every description.
 */
export function writeExample(
  resource: Resource,
  fields: readonly Field[],
  suffix: '' | 'Create' | 'Replace' | 'Patch',
): JsonObject {
  const members = suffix === '' ? exampleResource(resource, fields) : requestMembers(resource, fields, suffix);
  return members === null ? {} : { examples: [members] };
}

/** A resource as responses have it; null where a required member has a pattern that no sample matches. */
export function exampleResource(resource: Resource, fields: readonly Field[]): JsonObject | null {
  const values = fields.map((field): readonly [string, Json | null, boolean] => {
    const value = sampleField(field, resource);
    if (value !== null) return [field.name, storedForm(field)(value), true];
    return [field.name, field.type.kind === 'array' ? [] : null, field.nullable || isEmptyList(field, resource)];
  });
  if (!values.every(([, , isValid]) => isValid)) return null;
  const collection = `/${resource.collection}`;
  return {
    id: sampleId(resource),
    ...Object.fromEntries(values.map(([name, value]) => [name, value])),
    ...Object.fromEntries(resource.computed.map(({ name }) => [name, null])),
    ...Object.fromEntries(listTimes(resource).map((name) => [name, EXAMPLE_TIME])),
    revision: 1,
    links: {
      self: `${collection}/${sampleId(resource)}`,
      collection,
      ...(resource.parent === null ? {} : { up: '/' }),
    },
  };
}

function isEmptyList({ name, type }: Field, { schema }: Resource): boolean {
  return type.kind === 'array' && (findDeclared(name, schema)['minItems'] ?? 0) === 0;
}

function requestMembers(
  resource: Resource,
  fields: readonly Field[],
  suffix: 'Create' | 'Replace' | 'Patch',
): JsonObject | null {
  const required = fields.filter((field) => field.required && field.fill === null);
  const shown = required.length > 0 ? required : fields.slice(0, 1);
  const chosen = suffix === 'Patch' ? shown.slice(0, 1) : shown;
  const values = chosen.map((field) => [field.name, sampleField(field, resource)] as const);
  if (values.some(([, value]) => value === null)) return null;
  const id = suffix === 'Create' && needsId(resource) ? { id: sampleId(resource) } : {};
  return { ...id, ...Object.fromEntries(values) };
}

/** An example of a form with the required members; nothing where one of them has brackets in its name. */
export function exampleForm(resource: Resource, fields: readonly Field[]): JsonObject {
  const members = requestMembers(resource, fields, 'Create');
  if (members === null) return {};
  const json = new Set(fields.filter(({ type }) => type.kind === 'json').map(({ name }) => name));
  const written = Object.entries(members).map(([name, value]) => [
    name,
    json.has(name) ? JSON.stringify(value) : value,
  ]);
  const isFlat = written.every(([, value]) => typeof value !== 'object');
  return isFlat ? { examples: [Object.fromEntries(written)] } : {};
}

/** A value of a field as responses have it; null where none is known. */
export function exampleMember(field: Field, resource: Resource): Json {
  const value = sampleField(field, resource);
  return value === null ? null : storedForm(field)(value);
}

function sampleField(field: Field, { schema }: Resource): Json {
  if (field.reference !== null && field.type.kind === 'text') return EXAMPLE_ID;
  return exampleValue(field, findDeclared(field.name, schema));
}

function findDeclared(name: string, schema: JsonObject): JsonObject {
  return readObject(readObject(schema['properties'])[name]);
}

/** An id of a resource. */
export function sampleId({ id }: Pick<Resource, 'id'>): string {
  return id.kind === 'server'
    ? EXAMPLE_ID
    : (['example', 'EXAMPLE', 'A1', '1'].find((text) => id.pattern?.test(text) !== false) ?? EXAMPLE_ID);
}
