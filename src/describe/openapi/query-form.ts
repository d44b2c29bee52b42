import type { JsonObject } from '../../conventions/json/json.ts';
import type { Resource } from '../../model/model.ts';
import { type Description, schemaName } from './described-resource.ts';
import { listParameters } from './query-parameters.ts';

/** The form of a QUERY: the parameters of GET (MET-9). */
export function queryForm(resource: Resource, description: Description): JsonObject {
  const { components } = description;
  // The version is known before the body is read.
  const parameters = listParameters(resource, description).filter(({ name }) => name !== 'api_version');
  const schema = components.ref('schemas', schemaName(resource, 'QueryForm'), () => ({
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema: own }) => [name, own])),
    additionalProperties: { type: 'string' },
    description: 'The parameters of GET; further ones are filters on related resources, and alternatives.',
  }));
  const lists = parameters.filter(({ isList }) => isList === true);
  return {
    required: false,
    content: {
      'application/x-www-form-urlencoded': {
        schema,
        ...(lists.length === 0
          ? {}
          : { encoding: Object.fromEntries(lists.map(({ name }) => [name, { style: 'form', explode: false }])) }),
      },
    },
  };
}
