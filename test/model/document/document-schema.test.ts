import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject, type Json, type JsonObject } from '../../../src/conventions/json/json.ts';
import { documentSchema } from '../../../src/model/document/document-schema.ts';

/** Every schema within a schema. */
function* schemas(value: Json | undefined): Generator<JsonObject> {
  if (Array.isArray(value)) for (const each of value) yield* schemas(each);
  if (!isJsonObject(value)) return;
  yield value;
  for (const held of Object.values(value)) yield* schemas(held);
}

describe('documentSchema', () => {
  it('is a valid JSON Schema 2020-12, and its default values are valid', () => {
    const validator = new Ajv2020({ strict: false });
    assert.ok(validator.validateSchema(documentSchema));
    const withDefault = [...schemas(documentSchema)].filter((schema) => 'default' in schema && 'type' in schema);
    assert.ok(withDefault.length > 20);
    for (const schema of withDefault) {
      if (typeof schema['type'] === 'string')
        assert.ok(validator.validate(schema, schema['default']), JSON.stringify(schema));
    }
  });

  it('closes every object with declared members, so that a misspelt key is found', () => {
    for (const schema of schemas(documentSchema)) {
      const isSchema = [schema['type'], schema['anyOf']].some(
        (each) => typeof each === 'string' || Array.isArray(each),
      );
      if (isSchema && isJsonObject(schema['properties']))
        assert.equal(schema['additionalProperties'], false, JSON.stringify(schema['properties']));
    }
  });

  it('describes every key of the root and of a resource, for editors', () => {
    const { properties, $defs } = documentSchema;
    const resource = isJsonObject($defs) && isJsonObject($defs['resource']) ? $defs['resource']['properties'] : {};
    for (const [name, schema] of [...Object.entries(properties ?? {}), ...Object.entries(resource ?? {})]) {
      assert.ok(isJsonObject(schema) && typeof schema['description'] === 'string', name);
    }
  });
});
