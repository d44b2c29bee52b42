import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { errors, resourceErrors } from '../../../src/conventions/errors.ts';
import type { JsonObject } from '../../../src/conventions/json/json.ts';
import { SHOP } from '../../pipeline/models/shop-model.ts';
import { contradictions, member, listObjects, listOperations, resolved, requireString } from './consistency.ts';
import { describeNewest, describeVersions, SPECIFIED } from './described.ts';

const shop = describeNewest(SPECIFIED);
const schemas = member(member(shop, 'components'), 'schemas');

function operation(id: string, document = shop): JsonObject {
  const found = listOperations(document).find(({ operation: each }) => each['operationId'] === id);
  assert.ok(found !== undefined, `there is no operation ${id}`);
  return found.operation;
}

/** The names of the query parameters of an operation. */
function listQueryNames(id: string): readonly string[] {
  const { parameters } = operation(id);
  assert.ok(Array.isArray(parameters));
  return parameters
    .map((each: JsonObject) =>
      each['$ref'] === undefined ? each : member({ found: resolved(shop, each['$ref']) ?? {} }, 'found'),
    )
    .filter((each: JsonObject) => each['in'] === 'query')
    .map((each: JsonObject) => requireString(each['name']));
}

function listCodes(id: string, status: string): unknown {
  const reference = member(member(operation(id), 'responses'), status)['$ref'];
  const response = member({ found: resolved(shop, reference) ?? {} }, 'found');
  const schema = member(member(member(response, 'content'), 'application/json'), 'schema');
  const found = [...listObjects(resolved(shop, schema['$ref']) ?? {})].find(([, each]) => Array.isArray(each['enum']));
  return found?.[1]['enum'];
}

function properties(schema: string): readonly string[] {
  return Object.keys(member(member(schemas, schema), 'properties'));
}

describe('an OpenAPI description', () => {
  it('[OPS-1a] contradicts nothing that it says itself, in both versions of OpenAPI and for every contract', () => {
    for (const edition of ['3.1', '3.2'] as const) {
      const documents = [...describeVersions(SPECIFIED, edition), ...describeVersions(SHOP, edition)];
      assert.deepEqual(documents.flatMap(contradictions), []);
    }
  });

  it('[OPS-1a] is the same bytes each time, with the members of an added resource beside those of the others', () => {
    assert.equal(JSON.stringify(describeNewest(SPECIFIED)), JSON.stringify(shop));
    const more = describeNewest(SPECIFIED.replace('versions:', '  zebras: { schema: { type: object } }\nversions:'));
    const lines = new Set(JSON.stringify(more, null, 1).split('\n'));
    const lost = JSON.stringify(shop, null, 1)
      .split('\n')
      .filter((line) => !lines.has(line) && !lines.has(`${line},`));
    assert.deepEqual(lost, []);
  });

  it('[OPS-1a] names the operations of each collection and resource', () => {
    const ids = listOperations(shop).map(({ method, path: at, operation: { operationId } }) => [
      `${method} ${at}`,
      operationId,
    ]);
    const found = Object.fromEntries(ids);
    const expected = {
      'GET /api/v2/products': 'listProducts',
      'QUERY /api/v2/products': 'queryProducts',
      'POST /api/v2/products': 'createProduct',
      'HEAD /api/v2/products': 'headProducts',
      'OPTIONS /api/v2/products': 'optionsProducts',
      'GET /api/v2/products/{id}': 'getProduct',
      'PUT /api/v2/products/{id}': 'replaceProduct',
      'PATCH /api/v2/products/{id}': 'patchProduct',
      'DELETE /api/v2/products/{id}': 'deleteProduct',
      'GET /api/v2/products/{product_id}/reviews': 'listReviews',
      'PATCH /api/v2/products/{product_id}/reviews/{id}': 'patchReview',
      'POST /api/v2/batches': 'createBatch',
      'GET /api/v2/batches/{id}': 'getBatch',
      'GET /api/v2': 'getApiRoot',
      'GET /api/v2/api-keys': 'listApiKeys',
      'GET /livez': 'getLiveness',
      'GET /openapi.json': 'getOpenApi',
    };
    for (const [target, id] of Object.entries(expected)) assert.equal(found[target], id, target);
  });

  it('[OPS-1a] has QUERY as an extension in OpenAPI 3.1, and as a method in 3.2, where NDJSON has the schema of its lines', () => {
    const at = (document: JsonObject): JsonObject => member(member(document, 'paths'), '/api/v2/products');
    assert.deepEqual(Object.keys(member(at(shop), 'x-oai-additionalOperations')), ['QUERY']);
    assert.equal(shop['openapi'], '3.1.1');
    const later = describeNewest(SPECIFIED, '3.2');
    assert.equal(later['openapi'], '3.2.0');
    assert.equal(member(at(later), 'query')['operationId'], 'queryProducts');
    assert.equal(at(later)['x-oai-additionalOperations'], undefined);
    const lines = member(
      member(member(member(member(later, 'components'), 'responses'), 'Product.pageResponse'), 'content'),
      'application/x-ndjson',
    );
    assert.deepEqual(Object.keys(lines), ['itemSchema']);
  });

  it('[OPS-1a] has the parameters of every technique, and of each filter and operator', () => {
    const names = listQueryNames('listProducts');
    const techniques =
      'limit per_page page offset after last_id after_timestamp after_id start_time before include_total';
    for (const name of `${techniques} sort q fields expand api_version otherFilters`.split(' '))
      assert.ok(names.includes(name), name);
    for (const name of [
      'price',
      'price[gte]',
      'price[in]',
      'price[exists]',
      'name[starts_with]',
      'tags[contains]',
      'place.city[ne]',
    ])
      assert.ok(names.includes(name), name);
    assert.ok(names.includes('filter[limit]') && names.includes('filter[limit][lt]'));
    assert.deepEqual(
      names.filter((name) => /cost|tags\[gt\]|^tags$/.test(name)),
      [],
    );
    assert.deepEqual(listQueryNames('getProduct'), ['fields', 'expand', 'api_version']);
    assert.deepEqual(listQueryNames('createProduct'), ['dry_run', 'api_version']);
  });

  it('[OPS-1a] gives the names of other filters by a pattern: on relations, and in groups', () => {
    const { parameters } = operation('listProducts');
    const list = Array.isArray(parameters) ? parameters : [];
    const other: JsonObject = list.find((each: JsonObject) => each['name'] === 'otherFilters') ?? {};
    const pattern = new RegExp(requireString(member(member(other, 'schema'), 'propertyNames')['pattern']), 'u');
    for (const name of [
      'supplier.country',
      'supplier.name[ne]',
      'reviews.stars[gte]',
      'any[1][status]',
      'any[10][price][lt]',
      'any[2][supplier.country]',
    ])
      assert.match(name, pattern);
    for (const name of [
      'price',
      'supplier',
      'any[11][status]',
      'any[0][status]',
      'any[1]',
      'any[1][cost]',
      'supplier.country[is]',
    ])
      assert.doesNotMatch(name, pattern);
  });

  it('[OPS-1a] [REP-11a] has read-only members in responses alone, and write-only ones in requests alone', () => {
    assert.deepEqual(
      properties('Product').filter((name) => !properties('ProductCreate').includes(name)),
      ['owner_id', 'created_at', 'updated_at', 'revision', 'supplier', 'reviews', 'links'],
    );
    assert.deepEqual(
      properties('ProductCreate').filter((name) => !properties('Product').includes(name)),
      ['cost'],
    );
    assert.ok(properties('ProductCreated').includes('token'));
    assert.deepEqual(properties('ReviewCreate'), ['stars']);
  });

  it('[OPS-1a] [REP-4] requires every member of a response, and of a request those without a default', () => {
    const required = (name: string): unknown => member(schemas, name)['required'];
    const { supplier: _supplier, reviews: _reviews, ...always } = member(member(schemas, 'Product'), 'properties');
    assert.deepEqual(required('Product'), Object.keys(always));
    assert.deepEqual(required('ProductCreate'), ['id', 'sku', 'name']);
    assert.deepEqual(required('ProductReplace'), ['name']);
    assert.equal(required('ProductPatch'), undefined);
    const of = (schema: string, name: string): JsonObject =>
      member(member(member(schemas, schema), 'properties'), name);
    assert.deepEqual(of('Product', 'currency')['type'], ['string', 'null']);
    assert.equal(of('Product', 'currency')['default'], undefined);
    assert.equal(of('ProductCreate', 'currency')['default'], 'EUR');
    assert.equal(of('ProductPatch', 'currency')['default'], undefined);
    assert.equal(of('Product', 'tags')['type'], 'array');
    assert.deepEqual(of('ProductCreate', 'tags')['type'], ['array', 'null']);
  });

  it('[OPS-1a] [ERR-2] lists the codes of each status of each operation', () => {
    assert.deepEqual(listCodes('createProduct', '409'), [
      'IDEMPOTENCY_KEY_IN_PROGRESS',
      'PRODUCT_ALREADY_EXISTS',
      'PRODUCT_CONFLICT',
    ]);
    assert.deepEqual(listCodes('deleteProduct', '428'), ['REQUEST_PRECONDITION_REQUIRED']);
    assert.deepEqual(listCodes('listReviews', '404'), ['PRODUCT_NOT_FOUND']);
    assert.deepEqual(listCodes('getReview', '404'), ['PRODUCT_NOT_FOUND', 'REVIEW_NOT_FOUND']);
    const created = listCodes('createProduct', '400');
    assert.ok(
      Array.isArray(created) && created.includes('PRODUCT_INVALID') && created.includes('IDEMPOTENCY_KEY_REQUIRED'),
    );
    const listed = listCodes('listProducts', '400');
    assert.ok(
      Array.isArray(listed) && listed.includes('PAGINATION_CURSOR_MISMATCH') && !listed.includes('PRODUCT_INVALID'),
    );
  });

  it('[ERR-2] names no code that is not in the catalogue, and every code that an operation has', () => {
    const named = new Set(
      [...listObjects(shop)].flatMap(([, each]) => (Array.isArray(each['enum']) ? each['enum'] : [])),
    );
    const codes = [...named].filter(
      (value) => typeof value === 'string' && /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value),
    );
    const prefixes = ['SUPPLIER', 'PRODUCT', 'REVIEW', 'API_KEY', 'BATCH', 'EVENT'];
    const known = new Set([
      ...Object.keys(errors),
      ...prefixes.flatMap((prefix) => Object.keys(resourceErrors).map((code) => `${prefix}_${code}`)),
    ]);
    assert.deepEqual(
      codes.filter((code) => !known.has(String(code))),
      [],
    );
    const elsewhere = [
      // Errors of paths and methods that no description has, and of a batch, whose errors are those of any operation.
      'REQUEST_ROUTE_NOT_FOUND',
      'REQUEST_METHOD_NOT_ALLOWED',
      'REQUEST_METHOD_NOT_IMPLEMENTED',
      'API_VERSION_NOT_FOUND',
      'API_VERSION_RETIRED',
      'BATCH_INVALID',
      'WEBHOOK_URL_FORBIDDEN',
      // The code of models whose callers have roles of a database.
      'AUTH_ROLE_FORBIDDEN',
    ];
    assert.deepEqual(
      Object.keys(errors).filter((code) => !named.has(code)),
      Object.keys(errors).filter((code) => elsewhere.includes(code)),
    );
  });

  it('[OPS-1a] [AUTH-4a] says which scopes an operation needs, and that a public one needs none', () => {
    assert.deepEqual(operation('createProduct')['security'], [{ bearer: ['products:write'] }]);
    assert.deepEqual(operation('replaceProduct')['security'], [{ bearer: ['products:write'] }]);
    assert.deepEqual(operation('listProducts')['security'], [{}, { bearer: [] }]);
    assert.deepEqual(operation('listSuppliers')['security'], [{ bearer: ['suppliers:read'] }]);
    assert.equal(operation('listProducts', describeNewest(SHOP))['security'], undefined);
  });

  it('[OPS-1a] shows nothing of policies and secrets', () => {
    assert.doesNotMatch(JSON.stringify(shop), /\$caller|jwks|tk_|x-shown-once|x-was/);
  });

  it('[OPS-1a] [VER-4b] describes an older contract in its own words, as deprecated', () => {
    const [, older = {}] = describeVersions(SPECIFIED);
    assert.ok(listOperations(older).every(({ operation: { deprecated } }) => deprecated === true));
    assert.ok(listOperations(shop).every(({ operation: { deprecated } }) => deprecated === undefined));
    const own = member(member(older, 'components'), 'schemas');
    assert.ok('Vendor' in own && !('Supplier' in own));
    const names = Object.keys(member(member(own, 'Product'), 'properties'));
    assert.ok(names.includes('title') && !names.includes('name') && !names.includes('currency'));
    assert.deepEqual(member(older, 'info')['version'], '1.0.0');
    assert.ok('/api/v1/vendors' in member(older, 'paths'));
  });

  it('[OPS-1a] shows the states, events and error codes of a resource in its tag', () => {
    const tags = Array.isArray(shop['tags']) ? shop['tags'] : [];
    const products: JsonObject = tags.find((tag: JsonObject) => tag['name'] === 'products') ?? {};
    assert.match(requireString(products['description']), /DRAFT → ACTIVE\n- ACTIVE → CLOSED \(scope products:close\)/);
    assert.match(requireString(products['description']), /`product\.created`[^]*`PRODUCT_NOT_FOUND` \(404\)/);
  });

  it('[OPS-1a] describes the examples of this repository', () => {
    const world = readFileSync(path.join(import.meta.dirname, '../../../examples/world/model.yaml'), 'utf8');
    assert.deepEqual(contradictions(describeNewest(world)), []);
  });
});
