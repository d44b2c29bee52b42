import type { JsonObject } from '../../conventions/json/json.ts';
import type { Resource } from '../../model/model.ts';
import { apiSchema } from './api-schemas.ts';
import { type Description, partName } from './described-resource.ts';
import { bodySchema, patchSchema } from './resource-schemas.ts';

/** The body of a write as JSON. What a resource is created with also replaces it. */
export function compactBody(use: 'create' | 'patch', resource: Resource, to: Description): JsonObject {
  const { components } = to;
  return components.ref('requestBodies', partName(resource, `${use}Body`), () => ({
    required: true,
    content:
      use === 'create'
        ? { 'application/json': { schema: bodySchema(resource, to, 'Create') } }
        : {
            'application/merge-patch+json': { schema: patchSchema(resource, to) },
            'application/json-patch+json': { schema: apiSchema('JsonPatch', components) },
          },
  }));
}

/** The form of a QUERY of any resource. */
export function compactQueryForm({ components }: Description): JsonObject {
  return components.ref('requestBodies', 'queryForm', () => ({
    required: false,
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'The parameters of GET, filters too.',
        },
      },
    },
  }));
}
