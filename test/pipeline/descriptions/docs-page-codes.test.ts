import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest, type Seen } from '../support/api-under-test.ts';

const MODEL = `
name: shop
version: 2.1.0
default_version: 1
versions:
  2.0.0: { changes: [ { resource: products, without: [tags] } ] }
  1.4.0: { deprecated: 2026-06-01, sunset: 2028-06-01, changes: [ { resource: products, rename: { title: name } }, { resource: suppliers, collection: vendors, singular: vendor } ] }
resources:
  suppliers: { schema: { type: object, required: [name], properties: { name: { type: string } } } }
  products:
    id: client
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string, x-unique: true }
        status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }
        tags: { type: array, items: { type: string } }
        supplier_id: { type: string, x-references: suppliers }
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [CLOSED] } }
  reviews: { parent: products, events: none, schema: { type: object, required: [stars], properties: { stars: { type: integer } } } }
`;

/** Finds the error codes that markup lists. */
function findListedCodes(markup: string): readonly string[] {
  return [...markup.matchAll(/<code class="list">([^<]*)</g)].flatMap(([, codes = '']) => codes.split(' '));
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The error codes of the operations of resources in an OpenAPI document, by method and path. */
function describedCodes({ paths, components }: Seen['body']): Readonly<Record<string, readonly string[]>> {
  const rows = Object.entries<Seen['body']>(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => /^\/api\/v\d\/(?!batches|events)/.test(path) && method in item).map((method) => {
      const responses = Object.entries<Seen['body']>(item[method].responses).filter(
        ([status]) => Number(status) >= 400,
      );
      const codes = responses.flatMap(([, response]) => findErrorCodes(response, components));
      const successes = Object.keys(item[method].responses).filter((status) => Number(status) < 400);
      return [`${method.toUpperCase()} ${path}`, [...new Set(codes), ...successes].sort()] as const;
    }),
  );
  return Object.fromEntries(rows);
}

/** Finds the codes of all responses of an OpenAPI document that the page does not list. */
function findRestOfCodes({ components }: Seen['body'], text: string): readonly string[] {
  const listed = new Set(findListedCodes(text));
  const codes = Object.values(components.responses).flatMap((response) => findErrorCodes(response, components));
  return [...new Set(codes)].filter((code) => !listed.has(code));
}

function findErrorCodes(response: Seen['body'], components: Seen['body']): readonly string[] {
  const { content } = resolved(response, components);
  if (content?.['application/problem+json'] === undefined) return [];
  const schema = resolved(content['application/json'].schema, components);
  return JSON.stringify(schema).match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [];
}

/** Resolves a reference such as `#/components/responses/notAcceptableError`; returns any other value unchanged. */
function resolved(value: Seen['body'], components: Seen['body']): Seen['body'] {
  const [, , kind = '', name = ''] = (value['$ref'] ?? '').split('/');
  return kind === '' ? value : components[kind][name];
}

describe('the documentation of an API', () => {
  it('[OPS-1c] has the operations of the OpenAPI description, with the same statuses and error codes', async () => {
    const strict = `require_if_match: true, idempotency: required, tombstones: 1d, events: none`;
    const models = [MODEL, MODEL.replace('events: none', strict)];
    for (const [index, model] of models.entries()) {
      await using api = await apiUnderTest(model);
      for (const version of ['2.1.0', '2.0.0', '1.4.0']) {
        const described = (await api.send({ send: `GET /openapi.json?api_version=${version}` })).body;
        const { text } = await api.send({ send: `GET /docs?api_version=${version}` });
        const common = findListedCodes(/<details id="errors">.*?<\/ul>/s.exec(text)?.[0] ?? '');
        const shown = [...text.matchAll(/<li id="r-\w+-\w+">.*?<\/details>/gs)].map(([row]) => {
          const [, method = '', path = ''] = / data-method="(\w+)" data-path="([^"]*)"/.exec(row) ?? [];
          const [, successes = ''] = /<p>(.*?); or an error/s.exec(row) ?? [];
          const codes = [...findListedCodes(row), ...common, ...(successes.match(/\b\d{3}\b/g) ?? [])];
          return [`${method} ${path}`, codes.sort()] as const;
        });
        assert.deepEqual(Object.fromEntries(shown), describedCodes(described));
        assert.deepEqual(findRestOfCodes(described, text), []);
        assert.equal(text.match(/>428</g)?.length, index === 1 ? 4 : 1);
      }
    }
  });
});
