import { acceptedTypes, type BodyUse } from '../../conventions/media/body-type.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import type { Resource } from '../../model/model.ts';
import { apiSchema } from './api-schemas.ts';
import { type Description, partName } from './described-resource.ts';
import { bodySchema, formSchema, patchSchema } from './resource-schemas.ts';
import { linesObject } from './responses.ts';

/** The body of a write of a resource, in every media type that it may have (NEG-2, MET-3). */
export function resourceBody(
  resource: Resource,
  use: Extract<BodyUse, 'create' | 'replace' | 'patch'>,
  description: Description,
): JsonObject {
  const { components, contract } = description;
  const suffix = use === 'create' ? 'Create' : use === 'replace' ? 'Replace' : 'Patch';
  return components.ref('requestBodies', partName(resource, `${use}Body`), () => {
    const whole =
      use === 'patch'
        ? patchSchema(resource, description)
        : bodySchema(resource, description, suffix === 'Create' ? 'Create' : 'Replace');
    const types = acceptedTypes({ name: contract.model.name, version: contract.model.version, use });
    return {
      required: true,
      content: Object.fromEntries(
        types.map(({ kind, type }) => [type, bodyObject(kind, whole, { resource, description })]),
      ),
    };
  });
}

interface BodyContext {
  readonly resource: Resource;
  readonly description: Description;
}

function bodyObject(
  kind: ReturnType<typeof acceptedTypes>[number]['kind'],
  whole: JsonObject,
  { resource, description }: BodyContext,
): JsonObject {
  switch (kind) {
    case 'json':
    case 'merge-patch':
      return { schema: whole };
    case 'json-patch':
      return { schema: apiSchema('JsonPatch', description.components) };
    case 'xml':
      return { schema: { type: 'string' } };
    case 'ndjson':
      return linesObject(whole, description.edition);
    case 'form':
    case 'multipart':
      return { schema: formSchema(resource, description), ...formEncoding(resource, kind) };
  }
}

/** Objects in forms have a name with brackets for each member; in parts they are JSON. */
function formEncoding({ fields }: Resource, kind: 'form' | 'multipart'): JsonObject {
  const objects = fields.filter(({ type, readOnly }) => !readOnly && (type.kind === 'object' || type.kind === 'map'));
  if (objects.length === 0) return {};
  const encoding = kind === 'form' ? { style: 'deepObject', explode: true } : { contentType: 'application/json' };
  return { encoding: Object.fromEntries(objects.map(({ name }) => [name, encoding])) };
}
