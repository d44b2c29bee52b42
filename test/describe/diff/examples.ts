import type { JsonObject } from '../../../src/conventions/json/json.ts';
import type { Impact } from '../../../src/model/diff/difference-kinds.ts';

/** A change of a description, and its differences as `kind path requests responses`; in reverse, too. */
export interface Example {
  readonly name: string;
  readonly was: JsonObject;
  readonly is: JsonObject;
  readonly there: readonly string[];
  readonly back: readonly string[];
}

const OK: JsonObject = { 200: { description: 'OK' } };

/** A description of one operation. */
export function described(operation: JsonObject, parts: JsonObject = {}): JsonObject {
  return {
    openapi: '3.1.1',
    info: { title: 'Shop', version: '1.4.0' },
    paths: { '/api/v1/items': { get: { operationId: 'listItems', responses: OK, ...operation } } },
    ...parts,
  };
}

function withBody(schema: JsonObject, others: JsonObject = {}): JsonObject {
  return described({ requestBody: { content: { 'application/json': { schema } } }, ...others });
}

function response(schema: JsonObject): JsonObject {
  return described({ responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } } });
}

/** An operation that changes. */
function changedOperation(
  was: JsonObject,
  is: JsonObject,
  [there, back]: readonly [readonly string[], readonly string[]],
): Example {
  return { name: there.join(', '), was: described(was), is: described(is), there, back };
}

/** Schemas of a body, in which the change breaks requests, and of a response, in which the opposite breaks. */
function schemas(
  [kind, opposite]: readonly [string, string],
  was: JsonObject,
  is: JsonObject,
  widening: Impact = 'breaking',
): readonly Example[] {
  const at = 'GET /api/v1/items';
  const [sent, got] = [`${at} body application/json`, `${at} 200 application/json`];
  return [
    {
      name: `${kind} in requests`,
      was: withBody(was),
      is: withBody(is),
      there: [`${kind} ${sent} breaking none`],
      back: [`${opposite} ${sent} compatible none`],
    },
    {
      name: `${kind} in responses`,
      was: response(was),
      is: response(is),
      there: [`${kind} ${got} none compatible`],
      back: [`${opposite} ${got} none ${widening}`],
    },
  ];
}

const AT = 'GET /api/v1/items';
const LIMIT = { name: 'limit', in: 'query', schema: { type: 'integer' } };
const STRING = { type: 'string' };
const TAGGED = { type: 'object', required: ['tag'], properties: { tag: STRING } };
const JSON_BODY = { content: { 'application/json': { schema: STRING } } };
const OTHER = { get: { operationId: 'getOther', responses: OK } };

const scope = (...scopes: readonly string[]): JsonObject => ({ security: [{ bearer: scopes }] });
const status = (code: number): JsonObject => ({ responses: { ...OK, [code]: { description: 'Another.' } } });
const withField = (field: JsonObject): JsonObject => ({
  responses: { 200: { description: 'OK', headers: { ETag: { schema: STRING, ...field } } } },
});

export const EXAMPLES: readonly Example[] = [
  {
    name: 'an operation',
    was: described({}),
    is: described({}, { paths: { ...Object(described({})['paths']), '/api/v1/others': OTHER } }),
    there: ['operation-added GET /api/v1/others compatible compatible'],
    back: ['operation-removed GET /api/v1/others breaking breaking'],
  },
  changedOperation({}, { operationId: 'readItems' }, [
    [`operation-id-changed ${AT} possibly-breaking none`],
    [`operation-id-changed ${AT} possibly-breaking none`],
  ]),
  changedOperation({}, { deprecated: true }, [
    [`annotation-changed ${AT} none none`],
    [`annotation-changed ${AT} none none`],
  ]),
  changedOperation({}, scope(), [[`access-narrower ${AT} breaking none`], [`access-wider ${AT} compatible none`]]),
  changedOperation(scope(), scope('read'), [
    [`access-narrower ${AT} breaking none`],
    [`access-wider ${AT} compatible none`],
  ]),
  changedOperation(scope('read'), scope('write'), [
    [`access-changed ${AT} breaking none`],
    [`access-changed ${AT} breaking none`],
  ]),
  changedOperation({ parameters: [] }, { parameters: [LIMIT] }, [
    [`parameter-added ${AT} compatible none`],
    [`parameter-removed ${AT} breaking none`],
  ]),
  changedOperation({}, { parameters: [{ ...LIMIT, required: true }] }, [
    [`required-parameter-added ${AT} breaking none`],
    [`parameter-removed ${AT} breaking none`],
  ]),
  changedOperation({ parameters: [LIMIT] }, { parameters: [{ ...LIMIT, required: true }] }, [
    [`parameter-required ${AT} query.limit breaking none`],
    [`parameter-not-required ${AT} query.limit compatible none`],
  ]),
  changedOperation({ parameters: [LIMIT] }, { parameters: [{ ...LIMIT, explode: false }] }, [
    [`parameter-style-changed ${AT} query.limit breaking none`],
    [`parameter-style-changed ${AT} query.limit breaking none`],
  ]),
  changedOperation({ parameters: [LIMIT] }, { parameters: [{ ...LIMIT, schema: { type: 'integer', maximum: 9 } }] }, [
    [`values-narrower ${AT} query.limit breaking none`],
    [`values-wider ${AT} query.limit compatible none`],
  ]),
  changedOperation({}, { requestBody: JSON_BODY }, [
    [`body-added ${AT} compatible none`],
    [`body-removed ${AT} breaking none`],
  ]),
  changedOperation({ requestBody: JSON_BODY }, { requestBody: { ...JSON_BODY, required: true } }, [
    [`body-required ${AT} body breaking none`],
    [`body-not-required ${AT} body compatible none`],
  ]),
  changedOperation(
    { requestBody: JSON_BODY },
    { requestBody: { content: { ...JSON_BODY.content, 'application/xml': {} } } },
    [[`media-type-added ${AT} body compatible none`], [`media-type-removed ${AT} body breaking none`]],
  ),
  changedOperation({}, { responses: { 200: { description: 'OK', ...JSON_BODY } } }, [
    [`media-type-added ${AT} 200 none compatible`],
    [`media-type-removed ${AT} 200 none breaking`],
  ]),
  changedOperation({}, status(202), [
    [`response-added ${AT} none possibly-breaking`],
    [`success-response-removed ${AT} none breaking`],
  ]),
  changedOperation({}, status(409), [
    [`response-added ${AT} none possibly-breaking`],
    [`error-response-removed ${AT} none compatible`],
  ]),
  changedOperation({}, withField({}), [
    [`header-added ${AT} 200 none compatible`],
    [`header-removed ${AT} 200 none possibly-breaking`],
  ]),
  changedOperation({}, withField({ required: true }), [
    [`header-added ${AT} 200 none compatible`],
    [`required-header-removed ${AT} 200 none breaking`],
  ]),
  ...schemas(['type-narrower', 'type-wider'], { type: 'number' }, { type: 'integer' }),
  ...schemas(['type-narrower', 'type-wider'], {}, STRING),
  ...schemas(['type-narrower', 'type-wider'], STRING, { ...STRING, format: 'date' }),
  ...schemas(['null-refused', 'null-allowed'], { type: ['string', 'null'] }, STRING),
  ...schemas(['enum-value-removed', 'enum-value-added'], { enum: ['A', 'B'] }, { enum: ['A'] }, 'possibly-breaking'),
  ...schemas(['enum-added', 'enum-removed'], STRING, { ...STRING, enum: ['A'] }),
  ...schemas(['values-narrower', 'values-wider'], STRING, { ...STRING, maxLength: 9 }, 'possibly-breaking'),
  ...schemas(
    ['values-narrower', 'values-wider'],
    { type: 'array' },
    { type: 'array', minItems: 1 },
    'possibly-breaking',
  ),
  ...schemas(
    ['values-narrower', 'values-wider'],
    { ...STRING, pattern: '^(a|b)$' },
    { ...STRING, pattern: '^(b)$' },
    'possibly-breaking',
  ),
  ...schemas(['alternative-removed', 'alternative-added'], { anyOf: [STRING, { type: 'integer' }] }, STRING),
  {
    name: 'a required member of requests',
    was: withBody({ type: 'object', properties: { tag: STRING } }),
    is: withBody(TAGGED),
    there: [`field-required ${AT} body application/json.tag breaking none`],
    back: [`field-not-required ${AT} body application/json.tag compatible none`],
  },
  {
    name: 'a member that is always present',
    was: response({ type: 'object', properties: { tag: STRING } }),
    is: response(TAGGED),
    there: [`member-always-present ${AT} 200 application/json.tag none compatible`],
    back: [`member-not-always-present ${AT} 200 application/json.tag none breaking`],
  },
  {
    name: 'a new required member of requests',
    was: withBody({ type: 'object' }),
    is: withBody(TAGGED),
    there: [`required-field-added ${AT} body application/json.tag breaking none`],
    back: [`field-removed ${AT} body application/json.tag breaking none`],
  },
  {
    name: 'a new member of responses',
    was: response({ type: 'object' }),
    is: response(TAGGED),
    there: [`field-added ${AT} 200 application/json.tag none compatible`],
    back: [`field-removed ${AT} 200 application/json.tag none breaking`],
  },
  {
    name: 'closed objects',
    was: withBody({ type: 'object' }),
    is: withBody({ type: 'object', additionalProperties: false }),
    there: [`values-narrower ${AT} body application/json.* breaking none`],
    back: [`values-wider ${AT} body application/json.* compatible none`],
  },
  {
    name: 'a read-only member',
    was: withBody({ type: 'object', properties: { tag: STRING } }),
    is: withBody({ type: 'object', properties: { tag: { ...STRING, readOnly: true } } }),
    there: [`read-only-added ${AT} body application/json.tag breaking none`],
    back: [`read-only-removed ${AT} body application/json.tag compatible none`],
  },
  {
    name: 'a write-only member',
    was: response({ type: 'object', properties: { tag: STRING } }),
    is: response({ type: 'object', properties: { tag: { ...STRING, writeOnly: true } } }),
    there: [`write-only-added ${AT} 200 application/json.tag none breaking`],
    back: [`write-only-removed ${AT} 200 application/json.tag none compatible`],
  },
  {
    name: 'a default',
    was: withBody({ type: 'object', properties: { tag: STRING } }),
    is: withBody({ type: 'object', properties: { tag: { ...STRING, default: 'x' } } }),
    there: [`default-changed ${AT} body application/json.tag possibly-breaking none`],
    back: [`default-changed ${AT} body application/json.tag possibly-breaking none`],
  },
  {
    name: 'a keyword without an order',
    was: withBody({ type: 'integer' }),
    is: withBody({ type: 'integer', multipleOf: 5 }),
    there: [`values-changed ${AT} body application/json possibly-breaking none`],
    back: [`values-changed ${AT} body application/json possibly-breaking none`],
  },
  {
    name: 'a way to authenticate',
    was: described({}, { components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } }),
    is: described({}),
    there: ['credentials-refused  breaking none'],
    back: ['credentials-accepted  compatible none'],
  },
  {
    name: 'the start of paths',
    was: described({}),
    is: described({}, { servers: [{ url: 'https://shop.example/eu/' }] }),
    there: ['public-url-changed  none possibly-breaking', 'base-path-changed  breaking breaking'],
    back: ['public-url-changed  none possibly-breaking', 'base-path-changed  breaking breaking'],
  },
];
