import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errors, resourceErrors } from '../../../src/conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/conventions/json/json.ts';
import { member, listOperations, resolved, requireString } from './consistency.ts';
import { describeNewest, describeVersions, SPECIFIED } from './described.ts';

const [newest = {}, older = {}] = describeVersions(SPECIFIED);

/** Follows a reference to its value; else returns the value itself. */
function followed(document: JsonObject, value: Json | undefined): JsonObject {
  if (!isJsonObject(value)) return {};
  return value['$ref'] === undefined ? value : followed(document, resolved(document, value['$ref']));
}

function operation(document: JsonObject, id: string): JsonObject {
  const found = listOperations(document).find(({ operation: each }) => each['operationId'] === id);
  return found?.operation ?? assert.fail(`there is no operation ${id}`);
}

/** The parameters of an operation and of its path but filters: `If-Match!` for one that is required. */
function listParameters(document: JsonObject, id: string): string {
  const { path = '', operation: own = {} } =
    listOperations(document).find(({ operation: each }) => each['operationId'] === id) ?? {};
  const lists = [member(member(document, 'paths'), path)['parameters'], own['parameters']];
  return lists
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((each: Json) => followed(document, each))
    .filter(({ name, in: place }) => place !== 'query' || NO_FILTERS.includes(requireString(name)))
    .map(({ name, required }) => `${requireString(name)}${required === true ? '!' : ''}`)
    .join(' ');
}

const PAGE =
  'limit per_page page offset after last_id after_timestamp after_id start_time before include_total api_version sort';
const NO_FILTERS = `${PAGE} q fields expand dry_run`.split(' ');

/** The responses of an operation by status, references followed. */
function listResponses(document: JsonObject, id: string): readonly (readonly [status: string, response: JsonObject])[] {
  const responses = member(operation(document, id), 'responses');
  return Object.entries(responses).map(([status, response]) => [status, followed(document, response)]);
}

/** The codes of each status of an operation. */
function listCodes(document: JsonObject, id: string): ReadonlyMap<string, readonly string[]> {
  const found = listResponses(document, id).flatMap(([status, response]) => {
    const { allOf } = followed(document, member(member(response, 'content'), 'application/json')['schema']);
    const own: JsonObject = Array.isArray(allOf) ? (allOf.find((each: JsonObject) => 'properties' in each) ?? {}) : {};
    const { enum: codes } = member(member(own, 'properties'), 'errorCode');
    return Array.isArray(codes) ? [[status, codes.map(requireString)] as const] : [];
  });
  return new Map(found);
}

function listAllCodes(document: JsonObject, id: string): readonly string[] {
  return [...listCodes(document, id).values()].flat().toSorted();
}

const GENERAL =
  'REQUEST_MALFORMED REQUEST_URI_INVALID REQUEST_HEADER_INVALID REQUEST_URI_TOO_LONG REQUEST_EXPECTATION_FAILED REQUEST_HEADERS_TOO_LARGE SERVER_ERROR SERVER_UNAVAILABLE SERVER_OVERLOADED SERVER_TIMEOUT AUTH_TLS_REQUIRED';
const API = `${GENERAL} API_VERSION_INVALID API_VERSION_UNSUPPORTED API_VERSION_CONFLICT REQUEST_NOT_ACCEPTABLE AUTH_REQUEST_INVALID AUTH_REQUIRED AUTH_TOKEN_EXPIRED AUTH_TOKEN_INVALID AUTH_UNAVAILABLE AUTH_SCOPE_INSUFFICIENT RATE_LIMIT_EXCEEDED`;
const DOCUMENT = `${API} REQUEST_PARAMETER_UNKNOWN REQUEST_PARAMETER_DUPLICATED REQUEST_PARAMETER_INVALID`;
const ITEM = `${DOCUMENT} QUERY_FIELDS_INVALID QUERY_EXPAND_INVALID`;
const LIST = `${ITEM} QUERY_SORT_INVALID QUERY_FILTER_INVALID PAGINATION_LIMIT_INVALID PAGINATION_POSITION_INVALID PAGINATION_CONFLICT PAGINATION_CURSOR_INVALID PAGINATION_CURSOR_MISMATCH`;
const FORM =
  'REQUEST_BODY_MALFORMED REQUEST_BODY_TOO_LARGE REQUEST_TIMEOUT REQUEST_MEDIA_TYPE_UNSUPPORTED REQUEST_ENCODING_UNSUPPORTED';
const WRITE = `${DOCUMENT} AUTH_ORIGIN_FORBIDDEN SERVER_OUTCOME_UNKNOWN`;
const BODY = `${WRITE} ${FORM} REQUEST_BODY_REQUIRED`;
const KEY = 'IDEMPOTENCY_KEY_INVALID IDEMPOTENCY_KEY_REUSED IDEMPOTENCY_KEY_IN_PROGRESS';
const NEEDS = 'REQUEST_PRECONDITION_REQUIRED';

/** The codes of operations of {@link SPECIFIED}. */
const CODES: Readonly<Record<string, string>> = {
  getLiveness: GENERAL,
  optionsProducts: API,
  getApiRoot: DOCUMENT,
  getOpenApi: DOCUMENT,
  getBatch: `${DOCUMENT} BATCH_NOT_FOUND`,
  listSuppliers: `${LIST} SUPPLIER_PRECONDITION_FAILED`,
  listReviews: `${LIST} REVIEW_PRECONDITION_FAILED PRODUCT_NOT_FOUND`,
  queryProducts: `${LIST} ${FORM} PRODUCT_PRECONDITION_FAILED`,
  getSupplier: `${ITEM} SUPPLIER_PRECONDITION_FAILED SUPPLIER_NOT_FOUND`,
  getReview: `${ITEM} REVIEW_PRECONDITION_FAILED REVIEW_NOT_FOUND PRODUCT_NOT_FOUND`,
  createSupplier: `${BODY} ${KEY} SUPPLIER_PRECONDITION_FAILED SUPPLIER_INVALID`,
  createProduct: `${BODY} ${KEY} IDEMPOTENCY_KEY_REQUIRED PRODUCT_PRECONDITION_FAILED PRODUCT_INVALID PRODUCT_NOT_FOUND PRODUCT_FORBIDDEN PRODUCT_CONFLICT PRODUCT_ALREADY_EXISTS`,
  createReview: `${BODY} ${KEY} REVIEW_PRECONDITION_FAILED REVIEW_INVALID PRODUCT_NOT_FOUND`,
  replaceSupplier: `${BODY} SUPPLIER_PRECONDITION_FAILED SUPPLIER_NOT_FOUND SUPPLIER_INVALID`,
  replaceProduct: `${BODY} ${NEEDS} PRODUCT_PRECONDITION_FAILED PRODUCT_NOT_FOUND PRODUCT_INVALID PRODUCT_FORBIDDEN PRODUCT_CONFLICT PRODUCT_ALREADY_EXISTS`,
  patchSupplier: `${BODY} ${KEY} SUPPLIER_PRECONDITION_FAILED SUPPLIER_NOT_FOUND SUPPLIER_INVALID SUPPLIER_CONFLICT`,
  patchProduct: `${BODY} ${KEY} IDEMPOTENCY_KEY_REQUIRED ${NEEDS} PRODUCT_PRECONDITION_FAILED PRODUCT_NOT_FOUND PRODUCT_INVALID PRODUCT_FORBIDDEN PRODUCT_CONFLICT PRODUCT_ALREADY_EXISTS`,
  deleteSupplier: `${WRITE} SUPPLIER_PRECONDITION_FAILED SUPPLIER_NOT_FOUND SUPPLIER_HAS_DEPENDENTS`,
  deleteProduct: `${WRITE} ${NEEDS} PRODUCT_PRECONDITION_FAILED PRODUCT_NOT_FOUND PRODUCT_FORBIDDEN PRODUCT_HAS_DEPENDENTS`,
  deleteReview: `${WRITE} REVIEW_PRECONDITION_FAILED REVIEW_NOT_FOUND PRODUCT_NOT_FOUND`,
};

describe('the error codes of an OpenAPI description', () => {
  for (const [id, codes] of Object.entries(CODES)) {
    it(`[OPS-1a] [ERR-2] are those that the operation can fail with, and no others: ${id}`, () => {
      assert.deepEqual(listAllCodes(newest, id), codes.split(' ').toSorted());
    });
  }

  it('[OPS-1a] [ERR-2] stand under the statuses of the catalogue', () => {
    const catalogue: Readonly<Record<string, number>> = errors;
    const suffixes = Object.entries(resourceErrors);
    for (const id of Object.keys(CODES)) {
      for (const [status, codes] of listCodes(newest, id)) {
        for (const code of codes) {
          const [, own] = suffixes.find(([suffix]) => code.endsWith(`_${suffix}`)) ?? [];
          assert.equal(status, String(catalogue[code] ?? own), `${id} ${code}`);
        }
      }
    }
  });

  it('[OPS-1a] [ERR-2] are fewer without authentication, TLS, rate limits, keys and rules', () => {
    const plain = describeNewest(
      'name: shop\nlimits: { rate: false }\nresources: { notes: { schema: { type: object, properties: { text: { type: string } } } } }',
    );
    const absent = (codes: string): readonly string[] =>
      codes.split(' ').filter((code) => !/^AUTH_(?!REQUEST_INVALID|ORIGIN)|^RATE/.test(code));
    const own = ['NOTE_PRECONDITION_FAILED', 'NOTE_INVALID'];
    assert.deepEqual(listAllCodes(plain, 'createNote'), [...absent(`${BODY} ${KEY}`), ...own].toSorted());
    assert.deepEqual(listAllCodes(plain, 'getLiveness'), absent(GENERAL).toSorted());
  });

  it('[OPS-1a] [MET-4b] [EVT-7] have those of tombstones, cascades and webhooks', () => {
    const document = describeNewest(`
name: shop
webhooks: {}
resources:
  shelves: { id: client, tombstones: 30d, schema: { type: object, properties: { text: { type: string } } } }
  books:
    parent: shelves
    on_parent_delete: cascade
    schema: { type: object, properties: { text: { type: string } } }
  loans:
    schema: { type: object, properties: { book_id: { type: string, x-references: { resource: shelves, on_delete: restrict } } } }
`);
    const has = (id: string, ...codes: readonly string[]): readonly boolean[] =>
      codes.map((code) => listAllCodes(document, id).includes(code));
    for (const id of ['getShelf', 'patchShelf', 'deleteShelf', 'listBooks', 'getBook'])
      assert.deepEqual(has(id, 'SHELF_NOT_FOUND', 'SHELF_GONE'), [true, true], id);
    // PUT creates the row of an id again.
    assert.deepEqual(has('replaceShelf', 'SHELF_NOT_FOUND', 'SHELF_GONE'), [true, false]);
    assert.deepEqual(has('deleteShelf', 'SHELF_HAS_DEPENDENTS', 'BOOK_HAS_DEPENDENTS'), [true, false]);
    for (const [id, isNamed] of Object.entries({ createWebhook: true, patchWebhook: true, deleteWebhook: false }))
      assert.deepEqual(has(id, 'WEBHOOK_URL_FORBIDDEN'), [isNamed], id);
    assert.deepEqual(has('createWebhookReplay', 'EVENT_POSITION_EXPIRED'), [true]);
    assert.deepEqual(has('createWebhookDelivery', 'EVENT_POSITION_EXPIRED'), [false]);
  });

  it('[OPS-1a] [VER-5a] have those of dependents that an older contract does not know', () => {
    assert.ok(listAllCodes(older, 'deleteVendor').includes('VENDOR_HAS_DEPENDENTS'));
    assert.ok(listAllCodes(older, 'deleteReview').includes('REVIEW_HAS_DEPENDENTS'));
    assert.ok(!listAllCodes(newest, 'deleteReview').includes('REVIEW_HAS_DEPENDENTS'));
  });
});

const REQUEST = 'API-Version X-Correlation-ID traceparent tracestate';
const CONDITIONS = 'If-None-Match If-Modified-Since If-Match If-Unmodified-Since Prefer';
const AFTER = 'If-None-Match If-Modified-Since If-Unmodified-Since Prefer';

describe('the parameters of an OpenAPI description', () => {
  for (const [id, expected] of Object.entries({
    listSuppliers: `${REQUEST} ${PAGE} fields expand ${CONDITIONS}`,
    headSuppliers: `${REQUEST} ${PAGE} fields expand ${CONDITIONS}`,
    listProducts: `${REQUEST} ${PAGE} q fields expand ${CONDITIONS}`,
    queryProducts: `${REQUEST} api_version ${CONDITIONS}`,
    getReview: `product_id! id! ${REQUEST} fields expand api_version ${CONDITIONS}`,
    createSupplier: `${REQUEST} dry_run api_version Idempotency-Key Prefer If-Match If-None-Match`,
    createProduct: `${REQUEST} dry_run api_version Idempotency-Key! Prefer If-Match If-None-Match`,
    replaceSupplier: `id! ${REQUEST} dry_run api_version If-Match ${AFTER}`,
    replaceProduct: `id! ${REQUEST} dry_run api_version If-Match! ${AFTER}`,
    patchSupplier: `id! ${REQUEST} dry_run api_version Idempotency-Key If-Match ${AFTER}`,
    patchProduct: `id! ${REQUEST} dry_run api_version Idempotency-Key! If-Match! ${AFTER}`,
    deleteReview: `product_id! id! ${REQUEST} dry_run api_version If-Match ${AFTER}`,
    deleteProduct: `id! ${REQUEST} dry_run api_version If-Match! ${AFTER}`,
  })) {
    it(`[OPS-1a] [CACHE-3] [MET-12] are those that the operation has, each as required as it is: ${id}`, () => {
      assert.deepEqual(listParameters(newest, id).split(' '), expected.split(' '));
    });
  }

  it('[OPS-1a] are with a body where the method has one, which is required but for a QUERY', () => {
    for (const id of ['createProduct', 'replaceProduct', 'patchProduct', 'createBatch'])
      assert.equal(followed(newest, operation(newest, id)['requestBody'])['required'], true, id);
    assert.equal(followed(newest, operation(newest, 'queryProducts')['requestBody'])['required'], false);
    for (const id of ['listProducts', 'getProduct', 'deleteProduct'])
      assert.equal(operation(newest, id)['requestBody'], undefined, id);
  });
});

const COMMON =
  'API-Version X-Correlation-ID Vary Cache-Control X-Content-Type-Options Cross-Origin-Resource-Policy RateLimit RateLimit-Policy Access-Control-Allow-Origin Access-Control-Allow-Credentials Access-Control-Expose-Headers';

/** The header fields of a response. @param common those that every response of the description has, which come first */
function listFields(response: JsonObject, common: string): string {
  const names = Object.keys(member(response, 'headers')).join(' ');
  assert.ok(names === common || names.startsWith(`${common} `), names);
  return names.slice(common.length + 1);
}

const PAGE_FIELDS = 'ETag Link Preference-Applied X-Next-Cursor X-Total-Count';
const WRITTEN = 'Content-Location ETag Link Preference-Applied Dry-Run Idempotent-Replayed';
const CREATED = 'Location Content-Location ETag Link Preference-Applied Idempotent-Replayed';
const EMPTY = 'ETag Link Preference-Applied Idempotent-Replayed';
const ERROR_FIELDS: Readonly<Record<string, string>> = {
  '401': 'WWW-Authenticate',
  '403': 'WWW-Authenticate',
  '409': 'Retry-After',
  '415': 'Accept Accept-Encoding Accept-Patch Accept-Query',
  '429': 'Retry-After',
  '503': 'Retry-After',
};

describe('the header fields of responses in an OpenAPI description', () => {
  for (const [id, expected] of Object.entries({
    listProducts: { '200': `${PAGE_FIELDS} Location`, '304': 'ETag' },
    queryProducts: { '200': `${PAGE_FIELDS} Location`, '304': 'ETag' },
    headProducts: { '200': PAGE_FIELDS, '304': 'ETag' },
    getProduct: { '200': 'ETag Last-Modified Link Preference-Applied', '304': 'ETag' },
    headProduct: { '200': 'ETag Last-Modified Link Preference-Applied', '304': 'ETag' },
    createProduct: { '200': 'Dry-Run Preference-Applied Link', '201': CREATED },
    replaceProduct: { '200': WRITTEN, '201': CREATED, '204': EMPTY },
    replaceSupplier: { '200': WRITTEN, '204': EMPTY },
    patchProduct: { '200': WRITTEN, '204': EMPTY },
    deleteProduct: { '200': WRITTEN, '204': EMPTY },
    optionsProducts: {
      '204':
        'Allow Accept-Patch Accept-Post Accept-Query Access-Control-Allow-Methods Access-Control-Allow-Headers Access-Control-Max-Age',
    },
  })) {
    it(`[OPS-1a] are those of its success: ${id}`, () => {
      const succeeded = listResponses(newest, id).filter(([status]) => /^[23]\d\d$/.test(status));
      const fields = succeeded.map(([status, response]) => [status, listFields(response, COMMON)]);
      assert.deepEqual(Object.fromEntries(fields), expected);
    });
  }

  it('[OPS-1a] [ERR-1] are those of each error by its status', () => {
    for (const id of Object.keys(CODES)) {
      for (const [status, response] of listResponses(newest, id)) {
        if (!/^[45]\d\d$/.test(status)) continue;
        assert.equal(listFields(response, COMMON), ERROR_FIELDS[status] ?? '', `${id} ${status}`);
      }
    }
  });

  it('[OPS-1a] [VER-4b] [OPS-3a] depend on the end of the contract, on CORS and on rate limits', () => {
    const deprecated = COMMON.replace('RateLimit-Policy', 'RateLimit-Policy Deprecation Sunset Link');
    for (const [status, response] of listResponses(older, 'listVendors'))
      assert.ok(Object.keys(member(response, 'headers')).join(' ').startsWith(deprecated), status);
    const plain = describeNewest(
      'name: shop\nlimits: { rate: false }\nresources: { notes: { schema: { type: object, properties: { text: { type: string } } } } }',
    );
    const few = COMMON.replace(/ RateLimit .*$/, '');
    const [[, success] = assert.fail()] = listResponses(plain, 'listNotes');
    assert.equal(listFields(success, few), `${PAGE_FIELDS} Location`);
    const [[, methods] = assert.fail()] = listResponses(plain, 'optionsNotes');
    assert.equal(listFields(methods, few), 'Allow Accept-Patch Accept-Post Accept-Query');
  });
});

const ID = '0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f';
const AT = '2026-05-17T09:30:00.000Z';
const SUPPLIER = {
  id: ID,
  name: 'text',
  country: 'text',
  created_at: AT,
  updated_at: AT,
  revision: 1,
  links: { self: `/suppliers/${ID}`, collection: '/suppliers' },
};

describe('the examples of an OpenAPI description', () => {
  const schemas = member(member(newest, 'components'), 'schemas');
  for (const [name, example] of Object.entries({
    Supplier: SUPPLIER,
    SupplierCreate: { name: 'text' },
    SupplierPatch: { name: 'text' },
    ProductCreate: { id: 'example', sku: 'text', name: 'text', status: 'DRAFT' },
    ProductReplace: { sku: 'text', name: 'text', status: 'DRAFT' },
    ReviewCreate: { stars: 1 },
    JsonPatch: [{ op: 'remove', path: '/price' }],
  })) {
    it(`[OPS-1a] are complete bodies of responses, and the least of requests: ${name}`, () => {
      assert.deepEqual(member(schemas, name)['examples'], [example]);
    });
  }

  it('[OPS-1a] [ERR-1] are errors with the first code of their status', () => {
    for (const id of Object.keys(CODES)) {
      for (const [status, [code = ''] = []] of listCodes(newest, id)) {
        const [, response = {}] = listResponses(newest, id).find(([each]) => each === status) ?? [];
        const { examples } = followed(newest, member(member(response, 'content'), 'application/json')['schema']);
        const errorMessage = 'The cause and the fix.';
        const error = { httpStatus: Number(status), errorCode: code, errorMessage };
        assert.deepEqual(examples, [{ ...error, correlationId: ID, timestamp: AT, details: [] }], `${id} ${status}`);
      }
    }
  });

  it('[OPS-1a] are values that the parameters may have', () => {
    const parameters = member(member(newest, 'components'), 'parameters');
    const date = 'Sun, 17 May 2026 09:30:00 GMT';
    for (const [name, example] of Object.entries({
      'header.If-Match': '"1"',
      'header.If-Match.required': '"1"',
      'header.If-None-Match': '"1"',
      'header.If-Modified-Since': date,
      'header.If-Unmodified-Since': date,
      'header.Idempotency-Key': ID,
      'header.Idempotency-Key.required': ID,
      'header.Prefer': 'return=minimal',
      'header.Last-Event-ID': '1',
      'query.limit': 20,
      'query.page': 1,
      'query.offset': 0,
      'query.start_time': AT,
      'query.include_total': true,
      'query.dry_run': true,
      'Product.sort': ['-revision'],
      'Product.fields': ['id', 'sku'],
      'Product.expand': ['supplier'],
      'path.id': ID,
    }))
      assert.deepEqual(member(member(parameters, name), 'schema')['examples'], [example], name);
  });
});
