import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../src/conventions/json/json.ts';
import { describedContracts } from '../../../src/describe/described-contract.ts';
import { openApiDocument } from '../../../src/describe/openapi/open-api-document.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { contradictions, member, requireString, resolved } from './consistency.ts';
import { SPECIFIED } from './described.ts';

const MODEL = `${SPECIFIED}\nwebhooks: {}\n`;

/** The descriptions of a model, for each version in both editions. */
function describeAll(text: string, isCompact: boolean): readonly JsonObject[] {
  const contracts = describedContracts(loadModel({ text, env: {} }).model);
  return (['3.1', '3.2'] as const).flatMap((edition) =>
    contracts.map((contract) => openApiDocument({ ...contract, isCompact: isCompact || contract.isCompact }, edition)),
  );
}

function post(document: JsonObject, name: string): JsonObject {
  return member(member(member(document, 'webhooks'), name), 'post');
}

function parameters(document: JsonObject, operation: JsonObject): readonly JsonObject[] {
  const listed = operation['parameters'];
  assert.ok(Array.isArray(listed));
  return listed.map((each: JsonObject) => member({ found: resolved(document, each['$ref']) ?? null }, 'found'));
}

describe('the webhooks of an OpenAPI description', () => {
  it('[OPS-1a] contradict nothing, in both versions of OpenAPI and for every contract, compact or not', () => {
    for (const isCompact of [false, true]) assert.deepEqual(describeAll(MODEL, isCompact).flatMap(contradictions), []);
  });

  it('[OPS-1a] are one for each type of event, and the ping; none where the model has no webhooks', () => {
    const [document = {}] = describeAll(MODEL, false);
    const names = Object.keys(member(document, 'webhooks'));
    for (const name of ['product.created', 'product.updated', 'product.deleted', 'webhook.disabled', 'webhook.ping'])
      assert.ok(names.includes(name), names.join());
    for (const other of describeAll(SPECIFIED, false)) assert.ok(!('webhooks' in other));
  });

  it('[OPS-1d] are one for all types in a compact description', () => {
    for (const document of describeAll(MODEL, true))
      assert.deepEqual(Object.keys(member(document, 'webhooks')), ['event']);
  });

  it('[OPS-1a] have the signature, both formats, the responses that count, and no credentials', () => {
    for (const document of [...describeAll(MODEL, false), ...describeAll(MODEL, true)]) {
      const [name = ''] = Object.keys(member(document, 'webhooks'));
      const operation = post(document, name);
      const fields = parameters(document, operation);
      assert.deepEqual(
        fields.map(({ name: field, in: place, required }) => [field, place, required]),
        ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'traceparent'].map((each) => [each, 'header', true]),
      );
      const content = member(member(operation, 'requestBody'), 'content');
      assert.deepEqual(Object.keys(content), ['application/json', 'application/cloudevents+json']);
      assert.deepEqual(Object.keys(member(operation, 'responses')).toSorted(), ['2XX', '410']);
      assert.deepEqual(operation['security'], []);
      assert.match(requireString(operation['operationId']), /^on[A-Z]\w+$/);
    }
  });
});
