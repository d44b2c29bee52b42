import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '../../../src/conventions/json/json.ts';
import { SHOP } from '../../pipeline/models/shop-model.ts';
import { member, listObjects, listOperations, resolved, requireString } from './consistency.ts';
import { describeNewest, describeVersions, SPECIFIED, TABLES } from './described.ts';

/** The value at a reference, or the value itself. */
function followed(document: JsonObject, value: Json | undefined): JsonObject {
  if (!isJsonObject(value)) return {};
  const { $ref } = value;
  return $ref === undefined ? value : followed(document, resolved(document, $ref));
}

/** True if a schema shows a value: an example, or a list of all values. */
function showsValue(document: JsonObject, schema: Json | undefined): boolean {
  const { examples, enum: values, anyOf, type, items } = followed(document, schema);
  if (examples !== undefined || values !== undefined || type === 'boolean') return true;
  if (type === 'array') return showsValue(document, items);
  return Array.isArray(anyOf) && anyOf.some((each: Json) => showsValue(document, each));
}

/** The JSON bodies of requests and responses, by their place. */
function jsonSchemas(document: JsonObject): readonly (readonly [at: string, schema: Json | undefined])[] {
  return [...listObjects(document)].flatMap(([at, { content }]) =>
    Object.entries(isJsonObject(content) ? content : {})
      .filter(([type]) => type.endsWith('json'))
      .map(([type, media]) => [`${at} ${type}`, isJsonObject(media) ? media['schema'] : undefined] as const),
  );
}

describe('an OpenAPI description', () => {
  for (const [name, text] of Object.entries({ SPECIFIED, SHOP, TABLES })) {
    it(`[OPS-1a] has an example of each JSON body, and of each parameter but filters by operators (${name})`, () => {
      const document = describeNewest(text);
      const bodies = jsonSchemas(document).filter(([, schema]) => !isAnyObject(schema));
      assert.ok(bodies.length > 100, String(bodies.length));
      const parameters = listOperations(document).flatMap(({ operation: { operationId, parameters: own } }) =>
        (Array.isArray(own) ? own : []).map((each: Json) => {
          const parameter = followed(document, each);
          return [`${requireString(operationId)} ${requireString(parameter['name'])}`, parameter['schema']] as const;
        }),
      );
      const missing = [...bodies, ...parameters]
        .filter(([, schema]) => !showsValue(document, schema))
        .map(([at]) => at);
      assert.deepEqual(
        missing.filter((at) => !/ \S+\[[a-z_]+\]$/.test(at)),
        [],
      );
    });
  }

  it('[OPS-1a] has the same components, whatever other resources there are', () => {
    const extras = `resources:
  extras:
    id: client
    idempotency: required
    require_if_match: true
    unique: [[code]]
    access: { rows: { read: { code: a } } }
    schema: { type: object, required: [code], properties: { code: { type: string } } }
`;
    for (const [index, older] of describeVersions(SPECIFIED).entries()) {
      const more = describeVersions(SPECIFIED.replace('resources:\n', extras))[index] ?? {};
      for (const section of ['schemas', 'responses', 'parameters', 'requestBodies', 'headers']) {
        const [was, is] = [older, more].map((each) => member(member(each, 'components'), section));
        assert.ok(was !== undefined && is !== undefined);
        const own = Object.entries(was).filter(([name]) => !OF_ALL_RESOURCES.has(name));
        for (const [component, value] of own) assert.deepEqual(is[component], value, component);
      }
    }
  });

  it('[OPS-1a] [CACHE-3] requires the fields that the server requires', () => {
    const document = describeNewest(SPECIFIED);
    const required = listOperations(document).flatMap(({ operation: { operationId, parameters } }) =>
      (Array.isArray(parameters) ? parameters : [])
        .map((each: Json) => followed(document, each))
        .filter((each) => each['in'] !== 'path' && each['required'] === true)
        .map((each) => `${requireString(operationId)} ${requireString(each['name'])}`),
    );
    assert.deepEqual(required.toSorted(), [
      'createProduct Idempotency-Key',
      'deleteProduct If-Match',
      'patchProduct Idempotency-Key',
      'patchProduct If-Match',
      'replaceProduct If-Match',
    ]);
  });

  it('[OPS-1a] [MET-9] has no version in the form of QUERY, which the server refuses there', () => {
    const form = member(member(member(describeNewest(SPECIFIED), 'components'), 'schemas'), 'ProductQueryForm');
    assert.ok(!('api_version' in member(form, 'properties')));
  });
});

/** The parameters of the event log whose values are all resources. */
const OF_ALL_RESOURCES: ReadonlySet<string> = new Set(['query.type', 'query.resource_type', 'query.collection']);

/** The description itself, and lines of NDJSON. */
function isAnyObject(schema: Json | undefined): boolean {
  return isJsonObject(schema) && Object.keys(schema).every((key) => key === 'type');
}
