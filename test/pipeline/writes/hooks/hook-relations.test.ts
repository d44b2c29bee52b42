import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DefinedModel, withServices } from '../../../../src/model/typescript/define-model.ts';
import { apiUnderTest } from '../../support/api-under-test.ts';

/** Orders that record how many items and makers their hook finds through relations. */
function orders(seen: number[]): DefinedModel {
  const { resource, defineModel } = withServices<{ readonly seen: number[] }>();
  const text = { type: 'string' } as const;
  return defineModel({
    name: 'desk',
    resources: {
      makers: resource({ id: 'client', schema: { type: 'object', properties: { country: text } } }),
      items: resource({
        id: 'client',
        schema: {
          type: 'object',
          properties: { maker_id: { ...text, 'x-references': { resource: 'makers', inverse: 'items' } } },
        },
      }),
      orders: resource({
        id: 'client',
        schema: { type: 'object', properties: { note: text } },
        before: {
          create: async (draft, { rows, ...context }) => {
            context.seen.push(
              await rows.count('items', { 'maker.country': 'NO' }),
              await rows.count('makers', { 'items.id': 'i1' }),
              await rows.count('items', { 'any[1][maker.country]': 'SE', 'any[2][id]': 'i1' }),
            );
            return draft;
          },
        },
      }),
    },
    services: { seen },
  });
}

describe('a hook in an atomic batch', () => {
  it('[MET-13] [QRY-1] reads through relations what earlier operations of the batch have written', async () => {
    const seen: number[] = [];
    await using desk = await apiUnderTest(orders(seen));
    const post = (path: string, body: object) => ({ method: 'POST', path, body });
    const operations = [
      post('/makers', { id: 'm1', country: 'NO' }),
      post('/items', { id: 'i1', maker_id: 'm1' }),
      post('/items', { id: 'i2', maker_id: 'm1' }),
      post('/orders', { id: 'o1' }),
      { method: 'PATCH', path: '/makers/m1', body: { country: 'SE' } },
      { method: 'DELETE', path: '/items/i1' },
      post('/orders', { id: 'o2' }),
    ];
    const { status, text } = await desk.send({ send: 'POST /api/v1/batches', body: { atomic: true, operations } });
    assert.equal(status, 201, text);
    assert.deepEqual(seen, [2, 1, 1, 0, 0, 1]);
  });
});
