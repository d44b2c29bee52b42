import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../src/conventions/json/json.ts';
import { describedContracts } from '../../../src/describe/described-contract.ts';
import { openApiDocument } from '../../../src/describe/openapi/open-api-document.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { contradictions, listOperations, member, requireString, resolved } from './consistency.ts';
import { describeNewest, SPECIFIED } from './described.ts';
import { largeModel } from './large-model.ts';

/** The compact description of a model that is small. */
function describeCompact(text: string, edition: '3.1' | '3.2'): readonly JsonObject[] {
  const { model } = loadModel({ text, env: {} });
  return describedContracts(model).map((contract) => openApiDocument({ ...contract, isCompact: true }, edition));
}

function parameterNames(document: JsonObject, operationId: string): readonly string[] {
  const found = listOperations(document).find(({ operation }) => operation['operationId'] === operationId);
  const parameters = found?.operation['parameters'];
  assert.ok(Array.isArray(parameters));
  return parameters.map((each: JsonObject) =>
    requireString(member({ found: resolved(document, each['$ref']) ?? each }, 'found')['name']),
  );
}

describe('a compact OpenAPI description', () => {
  it('[OPS-1d] contradicts nothing that it says itself, in both versions of OpenAPI and for every contract', () => {
    const documents = (['3.1', '3.2'] as const).flatMap((edition) => describeCompact(SPECIFIED, edition));
    assert.deepEqual(documents.flatMap(contradictions), []);
  });

  it('[OPS-1d] is that of a model with more than 1,000 fields to filter by, of others it is full', () => {
    const paths = (resources: number): JsonObject => member(describeNewest(largeModel(resources)), 'paths');
    // Ten fields, and those that every resource has.
    assert.ok('head' in member(paths(71), '/api/v1/thing0s'));
    assert.ok(!('head' in member(paths(72), '/api/v1/thing0s')));
  });

  it('[OPS-1d] has at most 8,000 bytes for each resource of a large model', () => {
    const sizes = [80, 100].map((count) => JSON.stringify(describeNewest(largeModel(count))).length);
    const [some = 0, all = 0] = sizes;
    const each = (all - some) / 20;
    assert.ok(each <= 8_000, `each further resource has ${each} bytes`);
  });

  it('[OPS-1d] has the methods, schemas and scopes of the full one, and filters as one parameter', () => {
    const [compact = {}] = describeCompact(SPECIFIED, '3.1');
    const full = describeNewest(SPECIFIED);
    const listed = (document: JsonObject): readonly string[] =>
      listOperations(document).map(({ method, path, operation }) => {
        return `${method} ${path} ${requireString(operation['operationId'])} ${JSON.stringify(operation['security'])}`;
      });
    const known = new Set(listed(compact));
    const lost = listed(full).filter((each) => !known.has(each));
    // The rest of the API is complete.
    assert.deepEqual(
      lost.filter((each) => !/^(?:HEAD|OPTIONS) \/api\/v2\/(?:suppliers|products|api-keys)/.test(each)),
      [],
    );
    assert.deepEqual(parameterNames(compact, 'listProducts'), ['list', 'filters', 'If-None-Match']);
    assert.deepEqual(parameterNames(compact, 'patchProduct'), [
      'dry_run',
      'api_version',
      'Idempotency-Key',
      'If-Match',
    ]);
    const properties = (document: JsonObject, name: string): readonly string[] =>
      Object.keys(member(member(member(member(document, 'components'), 'schemas'), name), 'properties'));
    assert.deepEqual(properties(compact, 'ProductCreate'), properties(full, 'ProductCreate'));
    const expanded = new Set(['supplier', 'reviews']);
    assert.deepEqual(
      properties(compact, 'Product'),
      properties(full, 'Product').filter((name) => !expanded.has(name)),
    );
  });

  it('[OPS-1d] names filters of fields, of related resources and in groups, and no other parameter', () => {
    const [compact = {}] = describeCompact(SPECIFIED, '3.1');
    const { schema } = member(member(member(compact, 'components'), 'parameters'), 'Product.filters');
    const pattern = new RegExp(
      requireString(member(member({ schema: schema ?? {} }, 'schema'), 'propertyNames')['pattern']),
    );
    for (const name of [
      'sku',
      'price[gte]',
      'place.city',
      'supplier.country[in]',
      'any[1][status]',
      'any[2][price][lt]',
    ])
      assert.match(name, pattern);
    for (const name of ['skus', 'limit_', 'cost', 'any[1][cost]', 'supplier']) assert.doesNotMatch(name, pattern);
  });
});
