import type { Json, JsonObject } from '../../conventions/json.ts';
import type { Field, Member, Resource, TextFormat, ValueType } from '../../model/model.ts';

const TEXTS: Readonly<Record<TextFormat, string>> = {
  date: '2030-01-31',
  time: '12:00:00',
  duration: 'PT1H',
  uuid: '00000000-0000-4000-8000-000000000000',
  email: 'name@example.com',
  uri: 'https://example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

/** A body with which a person may start to create a resource: what it must have, with values of the right type. */
export function sampleBody(resource: Resource): JsonObject {
  const parentFields = new Set(resource.parentKey);
  const writable = resource.fields.filter(({ name, readOnly }) => !readOnly && !parentFields.has(name));
  const required = writable.filter((field) => field.required);
  const shown = required.length > 0 ? required : writable.slice(0, 1);
  const body = Object.fromEntries(shown.map((field) => [field.name, sampleOf(field, resource)]));
  return resource.id.kind === 'client' ? { id: 'example', ...body } : body;
}

function sampleOf(field: Field, { properties }: Resource): Json {
  if (field.default !== undefined && field.default !== null) return field.default;
  const [allowed] = properties.get(field.name)?.allowed ?? [];
  return allowed ?? sampleValue(field.type);
}

function sampleValue(type: ValueType): Json {
  switch (type.kind) {
    case 'text':
      return type.format === null ? 'text' : TEXTS[type.format];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'date-time':
      return '2030-01-31T12:00:00Z';
    case 'decimal':
    case 'int64':
      return '1';
    case 'binary':
      return '';
    case 'object':
      return Object.fromEntries(
        type.members
          .filter(({ required }) => required)
          .map(({ name, type: inner }: Member) => [name, sampleValue(inner)]),
      );
    case 'map':
      return {};
    case 'array':
      return [];
  }
}
