import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../../scripts/command.ts';
import type { Json, JsonObject } from '../../../src/conventions/json/json.ts';
import { readDescription } from '../../../src/describe/diff/api-description.ts';
import { diffDescriptions } from '../../../src/describe/diff/diff-descriptions.ts';
import { DESCRIPTION_DIFFERENCE_KINDS } from '../../../src/model/diff/difference-kinds.ts';
import { neededPart } from '../../../src/model/diff/needed-version.ts';
import { described, EXAMPLES } from './examples.ts';

function listDifferences(was: Json, is: Json): readonly string[] {
  return diffDescriptions(readDescription(was), readDescription(is)).differences.map(
    ({ kind, path: at, requests, responses }) => [kind, at, requests, responses].join(' '),
  );
}

/** A description whose body refers to a component. */
function referring(schemas: JsonObject, parts: JsonObject = {}): JsonObject {
  const schema = { $ref: '#/components/schemas/Item' };
  const content = { 'application/json': { schema } };
  return described(
    { requestBody: { content }, responses: { 200: { description: 'OK', content } } },
    { components: { schemas }, ...parts },
  );
}

describe('the differences of two descriptions', () => {
  for (const { name, was, is, there, back } of EXAMPLES) {
    it(`[VER-6a] are found in both directions: ${name}`, () => {
      assert.deepEqual(listDifferences(was, is), there);
      assert.deepEqual(listDifferences(is, was), back);
      assert.deepEqual(listDifferences(was, was), []);
    });
  }

  it('[VER-6a] have an example for each kind', () => {
    const shown = new Set(EXAMPLES.flatMap(({ there, back }) => [...there, ...back]).map((each) => each.split(' ')[0]));
    assert.deepEqual(
      Object.keys(DESCRIPTION_DIFFERENCE_KINDS).filter((kind) => !shown.has(kind)),
      [],
    );
  });

  it('[VER-6a] are the table of the decision', () => {
    const record = readFileSync(path.join(root, 'docs/decisions/0048-differences-of-descriptions.md'), 'utf8');
    const rows = [...record.matchAll(/^\| `([a-z-]+)` \|.*\| ([a-z-]+) \| ([a-z-]+) \| (major|minor|patch) \|$/gm)];
    const rules = Object.entries(DESCRIPTION_DIFFERENCE_KINDS).map(([kind, [requests, responses]]) => [
      kind,
      requests,
      responses,
      neededPart({ requests, responses }),
    ]);
    assert.deepEqual(
      rows.map((row) => row.slice(1)),
      rules,
    );
  });

  it('[VER-6a] of a component are found once, under its name, for requests and responses', () => {
    const was = referring({ Item: { type: 'object', properties: { size: { type: 'integer', maximum: 9 } } } });
    const is = referring({ Item: { type: 'object', properties: { size: { type: 'integer', maximum: 5 } } } });
    assert.deepEqual(listDifferences(was, is), ['values-narrower Item.size breaking compatible']);
  });

  it('[VER-6a] end at schemas that contain themselves', () => {
    const tree = (most: number): JsonObject => ({
      type: 'object',
      properties: { children: { type: 'array', maxItems: most, items: { $ref: '#/components/schemas/Item' } } },
    });
    const [was, is] = [referring({ Item: tree(9) }), referring({ Item: tree(5) })];
    assert.deepEqual(listDifferences(was, is), ['values-narrower Item.children breaking compatible']);
  });

  it('[VER-6a] are none between the forms of different versions of OpenAPI', () => {
    const now = referring({
      Item: { allOf: [{ type: 'object', properties: { a: { type: ['integer', 'null'], exclusiveMinimum: 0 } } }] },
    });
    const before = referring(
      {
        Item: {
          type: 'object',
          properties: { a: { type: 'integer', nullable: true, minimum: 0, exclusiveMinimum: true } },
        },
      },
      { openapi: '3.0.3' },
    );
    assert.deepEqual(listDifferences(before, now), []);
    assert.deepEqual(listDifferences(now, before), []);
  });

  it('[VER-6a] are none where texts, examples and the names of components and path parameters differ', () => {
    const was = described(
      {},
      { paths: { '/v1/items/{id}': { get: { summary: 'One', parameters: [pathParameter('id')], responses: OK } } } },
    );
    const is = described(
      {},
      { paths: { '/v1/items/{item_id}': { get: { parameters: [pathParameter('item_id')], responses: OK } } } },
    );
    assert.deepEqual(listDifferences(was, is), []);
    const [one, other] = [
      { type: 'string', description: 'a' },
      { type: 'string', examples: ['b'], title: 'c' },
    ];
    assert.deepEqual(listDifferences(referring({ Item: one }), referring({ Item: other })), []);
  });

  it('[VER-6a] of another major version are those of the rest, and the start of paths', () => {
    const version = (major: number): JsonObject => {
      const type = `application/vnd.shop.v${major}+json`;
      const get = { responses: { 200: { description: 'OK', content: { [type]: { schema: { type: 'string' } } } } } };
      const info = { title: 'Shop', version: `${major}.0.0` };
      return described({}, { info, paths: { [`/api/v${major}/items`]: { get }, '/livez': { get } } });
    };
    assert.deepEqual(listDifferences(version(1), version(2)), ['base-path-changed  breaking breaking']);
  });

  const broken: readonly (readonly [name: string, description: Json, message: RegExp])[] = [
    ['no object', [], /^it is not an OpenAPI description/],
    ['Swagger 2', { swagger: '2.0', paths: {} }, /OpenAPI is 2\.0; convert it to 3\.0, 3\.1 or 3\.2$/],
    ['OpenAPI 4', { openapi: '4.0.0', paths: {} }, /OpenAPI is 4\.0\.0; convert it/],
    ['no paths', { openapi: '3.1.0' }, /it has no paths/],
    ['no version', described({}, { info: { title: 'x', version: 'latest' } }), /info\.version is latest; write MAJOR/],
    [
      'an external reference',
      referring({ Item: { $ref: 'other.yaml#/Item' } }),
      /"other\.yaml#\/Item" leads to another document; bundle/,
    ],
    ['a reference to nothing', referring({}), /schemas\/Item" leads to nothing$/],
    [
      'a reference to itself',
      described(
        { requestBody: { $ref: '#/components/requestBodies/a' } },
        { components: { requestBodies: { a: { $ref: '#/components/requestBodies/a' } } } },
      ),
      /leads to itself$/,
    ],
    [
      'a schema of itself',
      referring({ Item: { allOf: [{ $ref: '#/components/schemas/Item' }] } }),
      /consists of itself$/,
    ],
  ];
  for (const [name, description, message] of broken) {
    it(`[VER-6a] are refused with the cause: ${name}`, () => {
      assert.throws(() => listDifferences(description, description), { name: 'DescriptionError', message });
    });
  }
});

const OK: JsonObject = { 200: { description: 'OK' } };

function pathParameter(name: string): JsonObject {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}
