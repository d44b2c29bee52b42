import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { readSort, totalOrder, writeSort } from '../../../src/plan/list/sort.ts';
import { throwsApiError } from '../../conventions/throws-api-error.ts';
import { compiled, itemsDocument } from '../rules.ts';

const PROPERTIES = [
  'name: { type: string }',
  'size: { type: integer }',
  'place: { type: object, properties: { city: { type: string } } }',
  'tags: { type: array, items: { type: string } }',
  'secret: { type: string, writeOnly: true }',
].join(', ');
const { resource } = compiled(itemsDocument(PROPERTIES), 'items');

const written = (raw: string): string => writeSort(readSort(raw, resource));

describe('an order', () => {
  const rows: readonly (readonly [raw: string, order: string])[] = [
    ['name', 'name,id'],
    ['-name', '-name,-id'],
    ['name,-size', 'name,-size,-id'],
    ['-name,size', '-name,size,id'],
    ['id', 'id'],
    ['-id', '-id'],
    ['name,-id', 'name,-id'],
    ['-created_at,id', '-created_at,id'],
    ['id,name', 'id'],
    ['place.city', 'place.city,id'],
    ['updated_at,revision', 'updated_at,revision,id'],
  ];
  for (const [raw, order] of rows) {
    it(`[PAGE-5] of ${raw} ends with the id, in the direction of the last key: ${order}`, () => {
      assert.equal(written(raw), order);
    });
  }

  it('[PAGE-5] is the same after being written and read again', () => {
    const key = fc.constantFrom('name', 'size', 'place.city', 'id', 'created_at', 'revision');
    const signed = fc.tuple(key, fc.boolean()).map(([path, descending]) => ({ path, descending }));
    const keys = fc.uniqueArray(signed, { minLength: 1, maxLength: 4, selector: ({ path }) => path });
    fc.assert(
      fc.property(keys, (given) => {
        const order = totalOrder(given);
        assert.deepEqual(readSort(writeSort(order), resource), order);
        assert.equal(
          order.findIndex(({ path }) => path === 'id'),
          order.length - 1,
        );
        assert.deepEqual(order.slice(0, -1), given.slice(0, order.length - 1));
      }),
    );
  });

  it('[PAGE-5] without keys is by the id', () => assert.deepEqual(totalOrder([]), [{ path: 'id', descending: false }]));
});

describe('an invalid sort', () => {
  for (const raw of ['', ' name', 'name ', 'tags', 'place', 'secret', 'place.zip', 'links', 'NAME', 'name;size']) {
    it(`[QRY-3] is refused with the sortable fields: ${JSON.stringify(raw)}`, () => {
      const { details } = throwsApiError(() => readSort(raw, resource), 'QUERY_SORT_INVALID');
      const known = 'sortable fields: id, name, size, place.city, created_at, updated_at, revision';
      assert.deepEqual(details, [{ field: 'sort', message: `cannot sort by ${JSON.stringify(raw)}; ${known}` }]);
    });
  }

  it('[QRY-3] is not checked key by key if it is far too long', () => {
    const raw = Array.from({ length: 100_000 }, (_, index) => `u${index}`).join(',');
    const { details } = throwsApiError(() => readSort(raw, resource), 'QUERY_SORT_INVALID');
    assert.deepEqual(details, [{ field: 'sort', message: 'has more than 20 keys; at most 5' }]);
  });

  it('[ERR-3] reports all errors: each unknown key, a repeated one, and the number of keys', () => {
    const { details } = throwsApiError(() => readSort('name,-name,a,size,b,id', resource), 'QUERY_SORT_INVALID');
    const messages = details.map(({ message }) => message.replace(/;.*/, ''));
    assert.deepEqual(messages, [
      'cannot sort by "a"',
      'cannot sort by "b"',
      'has the key name more than once',
      'has 6 keys',
    ]);
  });
});
