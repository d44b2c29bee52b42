import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiCollection, ApiSchema } from '../../console/src/schema/api-schema.ts';
import { readSchema } from '../../console/src/schema/read-schema.ts';
import { describedContracts } from '../../src/describe/described-contract.ts';
import { openApiDocument } from '../../src/describe/openapi/open-api-document.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { describeNewest, SPECIFIED } from '../describe/openapi/described.ts';

const shop = readSchema(describeNewest(SPECIFIED));

/** The same API in a compact document. */
function readCompact(): ApiSchema {
  const [contract] = describedContracts(loadModel({ text: SPECIFIED, env: {} }).model);
  assert.ok(contract !== undefined);
  return readSchema(openApiDocument({ ...contract, isCompact: true }, '3.1'));
}

function collection(schema: ApiSchema, name: string): ApiCollection {
  const found = schema.collections.get(name);
  assert.ok(found !== undefined, name);
  return found;
}

const kinds = ({ fields }: ApiCollection) => Object.fromEntries(fields.map(({ name, kind }) => [name, kind]));
const listNames = (
  { fields }: ApiCollection,
  member: 'required' | 'readOnly' | 'immutable' | 'writeOnly' | 'shownOnce',
) => fields.filter((field) => field[member]).map(({ name }) => name);

describe('the schema of the console', () => {
  it('has the collections of the document, in the order of the model, and the root of the version', () => {
    assert.deepEqual([...shop.collections.keys()], ['suppliers', 'products', 'reviews', 'api_keys']);
    assert.deepEqual([shop.title, shop.version, shop.root, shop.hasCallers], ['Shop', '2.0.0', '/api/v2', true]);
  });

  it('has the kind of every field', () => {
    assert.deepEqual(kinds(collection(shop, 'products')), {
      sku: 'string',
      name: 'string',
      price: 'decimal',
      currency: 'enum',
      status: 'enum',
      limit: 'integer',
      tags: 'list',
      place: 'object',
      labels: 'map',
      owner_id: 'string',
      supplier_id: 'reference',
      token: 'string',
      cost: 'number',
      id: 'string',
      created_at: 'date-time',
      updated_at: 'date-time',
      revision: 'integer',
    });
  });

  it('knows what requests have to send, may change and never see', () => {
    const products = collection(shop, 'products');
    assert.deepEqual(listNames(products, 'required'), ['sku', 'name', 'id']);
    assert.deepEqual(listNames(products, 'readOnly'), ['owner_id', 'token', 'created_at', 'updated_at', 'revision']);
    assert.deepEqual(listNames(products, 'immutable'), ['sku', 'id']);
    assert.deepEqual(listNames(products, 'writeOnly'), ['cost']);
    assert.deepEqual(listNames(products, 'shownOnce'), ['token']);
  });

  it('has the operators of each filter, also of a field with the name of a parameter', () => {
    const operators = new Map(collection(shop, 'products').filters.map((filter) => [filter.path, filter.operators]));
    assert.deepEqual(operators.get('tags'), ['contains', 'exists']);
    assert.equal(operators.get('limit')?.includes('gte'), true);
    assert.equal(operators.get('place.city')?.includes('starts_with'), true);
    assert.equal(operators.get('price')?.includes('contains'), false);
    assert.equal(operators.has('labels'), false);
  });

  it('has sort keys, search, relations and nesting', () => {
    const products = collection(shop, 'products');
    assert.equal(products.sort?.includes('place.shelf'), true);
    assert.deepEqual([products.search, collection(shop, 'suppliers').search], [true, false]);
    assert.deepEqual(products.relations, [
      { name: 'supplier', collection: 'suppliers', many: false },
      { name: 'reviews', collection: 'reviews', many: true },
    ]);
    assert.deepEqual(products.children, ['reviews']);
    assert.deepEqual(collection(shop, 'reviews').parent, { collection: 'products', parameter: 'product_id' });
  });

  it('has the states with the scopes of their transitions', () => {
    assert.deepEqual(collection(shop, 'products').states, {
      field: 'status',
      initial: 'DRAFT',
      transitions: [
        { from: 'DRAFT', to: 'ACTIVE', scope: null },
        { from: 'ACTIVE', to: 'CLOSED', scope: 'products:close' },
      ],
    });
  });

  it('has the methods with their scopes, and the header fields that writes need', () => {
    const products = collection(shop, 'products');
    assert.deepEqual([products.methods.get('list'), products.methods.get('delete')], [null, ['products:write']]);
    assert.deepEqual(
      [products.requiresIfMatch, products.requiresIdempotencyKey, products.choosesId],
      [true, true, true],
    );
  });

  it('refuses a document of something else', () => {
    assert.throws(() => readSchema({ openapi: '3.1.0', paths: {} }), /not describe an API of Restwright/);
  });
});

describe('the schema of a compact document', () => {
  const compact = readCompact();

  it('has the same fields and filters', () => {
    for (const name of ['suppliers', 'products', 'reviews']) {
      const [small, whole] = [collection(compact, name), collection(shop, name)];
      assert.deepEqual(kinds(small), kinds(whole), name);
      assert.deepEqual(
        small.filters.map(({ path }) => path),
        whole.filters.map(({ path }) => path),
        name,
      );
      assert.deepEqual(small.relations, whole.relations, name);
    }
  });

  it('leaves open what the document does not say', () => {
    const { sort, search, states } = collection(compact, 'products');
    assert.deepEqual([sort, search, states], [null, null, null]);
    assert.deepEqual(listNames(collection(compact, 'products'), 'immutable'), ['id']);
  });
});
