import type { Json, JsonObject } from '../../conventions/json/json.ts';
import type { Field, Resource } from '../../model/model.ts';
import { needsId } from '../../model/needs-value.ts';
import { readObject } from '../../model/values/access.ts';
import { exampleValue } from '../example-value.ts';
import type { PlacedResource } from '../surface/placed-resource.ts';

type WritableResource = Pick<PlacedResource, 'resource' | 'writable'>;

/** A body with which a person may start to create a resource: what it must have, with values of the right type. */
export function sampleBody({ resource, writable }: WritableResource): JsonObject {
  const required = writable.filter((field) => field.required && field.fill === null);
  const shown = required.length > 0 ? required : writable.slice(0, 1);
  const body = Object.fromEntries(shown.map((field) => [field.name, sampleValue(field, resource)]));
  return needsId(resource) ? { id: 'example', ...body } : body;
}

/**
 * A body with which a person may start to change a resource: one field that can be changed; empty where there is none.
 */
export function sampleChange({ resource, writable }: WritableResource): JsonObject {
  const field = writable.find(({ name, immutable }) => !immutable && name !== resource.state?.field);
  return field === undefined ? {} : { [field.name]: sampleValue(field, resource) };
}

function sampleValue(field: Field, { schema }: Resource): Json {
  const declared = readObject(readObject(schema['properties'])[field.name]);
  // The person has to write a value if none is known to be valid.
  return exampleValue(field, declared) ?? '';
}
