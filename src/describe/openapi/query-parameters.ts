import type { JsonObject } from '../../conventions/json/json.ts';
import type { SurfaceParameter } from '../surface/filter-parameters.ts';
import type { SurfaceOperation } from '../surface/operation.ts';
import { PARAMETER_EXAMPLES, withExample } from './api-examples.ts';
import { type Description, schemaName } from './described-resource.ts';
import { requestField, requiredField } from './header-fields.ts';

/** Writes the query parameters and header fields of an operation, in their order. */
export function parameterObjects({ query, fields }: SurfaceOperation, to: Description): readonly JsonObject[] {
  return [
    ...query.map((parameter) => parameterObject(parameter, to)),
    ...fields.map(({ name, required }) => {
      const isRequired = required && (name === 'If-Match' || name === 'Idempotency-Key');
      return isRequired ? requiredField(name, to) : requestField(name, to);
    }),
  ];
}

/** Writes a parameter, as a reference if operations share it. */
export function parameterObject(parameter: SurfaceParameter, to: Description): JsonObject {
  const { component } = parameter;
  const make = (): JsonObject => writeParameter(parameter, to);
  return component === undefined ? make() : to.components.ref('parameters', component, make);
}

function writeParameter(parameter: SurfaceParameter, { components }: Description): JsonObject {
  const { name, schema, schemaName: shared, description, style, example } = parameter;
  const own = shared === undefined ? schema : components.ref('schemas', shared, () => schema);
  const described = description === undefined ? {} : { description };
  const written = withExample(own, example ?? PARAMETER_EXAMPLES[name]);
  if (style === undefined) return { name, in: 'query', ...described, schema: written };
  switch (style) {
    case 'list':
      return { name, in: 'query', ...described, style: 'form', explode: false, schema: written };
    case 'repeated':
      return { name, in: 'query', ...described, style: 'form', explode: true, schema: written };
    case 'members':
      return { name, in: 'query', style: 'form', explode: true, ...described, schema: written };
  }
}

/** Writes the form of a QUERY: the parameters of GET (MET-9). */
export function queryForm({ query, resource }: SurfaceOperation, { components, edition }: Description): JsonObject {
  if (resource === null) throw new Error('a form of QUERY is of a resource');
  // The version is known before the body is read, and a pattern names no member.
  const parameters = query.filter(({ name, style }) => name !== 'api_version' && style !== 'members');
  const make = (): JsonObject => ({
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema: own }) => [name, own])),
    additionalProperties: { type: 'string' },
    description: 'The parameters of GET; further ones are filters on related resources, and alternatives.',
  });
  // OpenAPI 3.1 has QUERY in an extension, in which tools see no reference.
  const schema = edition === '3.2' ? components.ref('schemas', schemaName(resource, 'QueryForm'), make) : make();
  const lists = parameters.filter(({ style }) => style === 'list');
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
