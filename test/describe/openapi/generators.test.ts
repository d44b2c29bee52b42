import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '../../../src/conventions/json/json.ts';
import { describedContracts, type OpenApiEdition } from '../../../src/describe/described-contract.ts';
import { openApiDocument } from '../../../src/describe/openapi/open-api-document.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { contradictions, listObjects, listOperations, member, resolved } from './consistency.ts';
import { describeNewest, SPECIFIED, TABLES } from './described.ts';
import { largeModel } from './large-model.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');

/** Describes all contracts of a model for generators of clients. */
function describeForGenerators(text: string, edition: OpenApiEdition = '3.1'): readonly JsonObject[] {
  const { model } = loadModel({ file: 'model.yaml', text, env: {} });
  return describedContracts(model).map((contract) => openApiDocument(contract, edition, 'generators'));
}

/** A model of one resource with so many texts. */
function modelOfTexts(count: number): string {
  const fields = Array.from({ length: count }, (_, index) => [`text_${index}`, { type: 'string', maxLength: 80 }]);
  return JSON.stringify({
    name: 'texts',
    resources: { notes: { schema: { type: 'object', properties: Object.fromEntries(fields) } } },
  });
}

/** Lists the components that nothing outside of extensions refers to, directly or through other components. */
function listUnreferenced(document: JsonObject): readonly string[] {
  const { components: _components, ...rest } = document;
  const pending = [...referencesOutsideExtensions(rest)];
  const used = new Set<string>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (used.has(next)) continue;
    used.add(next);
    pending.push(...referencesOutsideExtensions(resolved(document, next)));
  }
  const { securitySchemes: _schemes, ...sections } = member(document, 'components');
  const names = Object.entries(sections).flatMap(([section, all]) =>
    Object.keys(isJsonObject(all) ? all : {}).map((name) => `#/components/${section}/${name}`),
  );
  return names.filter((name) => !used.has(name));
}

function* referencesOutsideExtensions(value: Json | undefined): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  if (isJsonObject(value) && typeof value['$ref'] === 'string') yield value['$ref'];
  for (const [name, each] of Object.entries(value))
    if (!name.startsWith('x-')) yield* referencesOutsideExtensions(each);
}

function sizeInBytes(document: JsonObject | undefined): number {
  return Buffer.byteLength(JSON.stringify(document));
}

describe('an OpenAPI description for generators of clients', () => {
  it('[OPS-1e] contradicts nothing that it says itself, in both versions of OpenAPI and for every contract', () => {
    const documents = (['3.1', '3.2'] as const).flatMap((edition) => describeForGenerators(SPECIFIED, edition));
    assert.equal(documents.length, 4);
    const all = [...documents, ...describeForGenerators(`${TABLES}webhooks: {}\n`)];
    assert.deepEqual(all.flatMap(contradictions), []);
  });

  it('[OPS-1e] has no QUERY, no extension, no pattern of names, and one media type for each body', () => {
    for (const document of describeForGenerators(`${SPECIFIED}\nwebhooks: {}\n`)) {
      const methods = new Set(listOperations(document).map(({ method }) => method));
      assert.deepEqual([...methods].sort(), ['DELETE', 'GET', 'PATCH', 'POST', 'PUT']);
      const objects = [...listObjects(document)];
      const types = objects.flatMap(([, { content }]) => (isJsonObject(content) ? [Object.keys(content).join()] : []));
      assert.deepEqual([...new Set(types)].sort(), ['application/json', 'application/merge-patch+json']);
      const names = objects.flatMap(([, object]) => Object.keys(object));
      assert.deepEqual(
        names.filter((name) => /^x-(?:oai|additional)|^propertyNames$/.test(name)),
        [],
      );
    }
  });

  it('[OPS-1e] has the filters of a collection as one object, with the names of the wire', () => {
    const [document = {}] = describeForGenerators(SPECIFIED);
    const components = member(document, 'components');
    const { description: _description, ...parameter } = member(member(components, 'parameters'), 'Product.filters');
    assert.deepEqual(parameter, {
      name: 'filters',
      in: 'query',
      style: 'form',
      explode: true,
      schema: { $ref: '#/components/schemas/Product.filters' },
    });
    const properties = member(member(member(components, 'schemas'), 'Product.filters'), 'properties');
    assert.deepEqual(properties['price[gte]'], { type: 'string', format: 'decimal' });
    assert.deepEqual(properties['status[in]'], { type: 'string' });
    assert.deepEqual(properties['sku[exists]'], { type: 'boolean' });
    assert.deepEqual(properties['place.city'], { type: 'string' });
  });

  it('[OPS-1e] has at most 40 parameters for an operation, of 40 fields as of five', () => {
    for (const count of [5, 40]) {
      const [document = {}] = describeForGenerators(modelOfTexts(count));
      const most = listOperations(document).map(({ operation }) =>
        Array.isArray(operation['parameters']) ? operation['parameters'].length : 0,
      );
      assert.ok(Math.max(...most) <= 40, `${Math.max(...most)} parameters`);
    }
  });

  it('[OPS-1e] has at most 60 kB for five fields, and 8,000 bytes for each of many resources', () => {
    const [small] = describeForGenerators(modelOfTexts(5));
    assert.ok(sizeInBytes(small) <= 60_000, `${sizeInBytes(small)} bytes`);
    const [some = 0, all = 0] = [80, 100].map((count) => sizeInBytes(describeForGenerators(largeModel(count))[0]));
    const each = (all - some) / 20;
    assert.ok(each <= 7_900, `each further resource has ${each} bytes`);
    assert.ok(all - 100 * each <= 100_000, `${all - 100 * each} bytes besides resources`);
  });
});

describe('components of an OpenAPI description', () => {
  it('[OPS-1a] are all referred to outside of extensions, for each model of the repository', () => {
    const files = globSync('{examples,test,bench}/**/*.{yaml,yml}', { cwd: root });
    const texts = files.map((file) => readFileSync(path.join(root, file), 'utf8'));
    const models = texts.filter((text) => /^resources:/m.test(text) && /^name:/m.test(text));
    const documents = [SPECIFIED, TABLES, ...models].flatMap((text) => describeLoadable(text));
    assert.ok(documents.length > 1);
    assert.deepEqual(documents.flatMap(listUnreferenced), []);
  });
});

/** Describes a model that needs neither secrets of the environment nor further files; others are left out. */
function describeLoadable(text: string): readonly JsonObject[] {
  try {
    return [describeNewest(text), ...describeForGenerators(text)];
  } catch (error) {
    assert.ok(error instanceof Error);
    return [];
  }
}
