import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describedContracts } from '../../../src/describe/described-contract.ts';
import { openApiDocument } from '../../../src/describe/openapi/open-api-document.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { member } from './consistency.ts';

const MODEL = `
name: shop
resources:
  products:
    id: { client: true, optional: true, number: true }
    schema: { type: object, properties: { name: { type: string } } }
  orders:
    schema: { type: object, properties: {
      product_id: { type: string, x-references: { resource: products } },
      product_ids: { type: array, items: { type: string, x-references: { resource: products } } } } }
`;

describe('the description of ids that are read from integers', () => {
  it('[OPS-1a] [REP-4] has integers in requests alone, and requires no optional id', () => {
    const [contract] = describedContracts(loadModel({ text: MODEL }).model);
    assert.ok(contract !== undefined);
    const document = openApiDocument(contract, '3.1', 'full');
    const schemas = member(member(document, 'components'), 'schemas');
    const properties = (name: string) => member(member(schemas, name), 'properties');
    assert.equal('required' in member(schemas, 'ProductCreate'), false);
    assert.deepEqual(member(properties('ProductCreate'), 'id')['type'], ['string', 'integer']);
    assert.deepEqual(member(properties('OrderCreate'), 'product_id')['type'], ['string', 'integer', 'null']);
    const items = member(member(properties('OrderCreate'), 'product_ids'), 'items');
    assert.deepEqual(items['type'], ['string', 'integer']);
    assert.deepEqual(member(properties('Order'), 'product_id')['type'], ['string', 'null']);
  });
});
