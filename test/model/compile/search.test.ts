import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InvalidDocument, itemsDocument, load, rejectsEach, resource } from '../loading.ts';

const PROPERTIES =
  'name: { type: string }, tags: { type: array, items: { type: string } }, price: { type: string, format: decimal }, ' +
  'secret: { type: string, writeOnly: true }, labels: { type: object, additionalProperties: { type: string } }, ' +
  'photo: { type: string, contentEncoding: base64 }, ' +
  'address: { type: object, properties: { city: { type: string }, lines: { type: array, items: { type: string } } } }';

function searched(rest: string): readonly string[] {
  return resource(load(itemsDocument(PROPERTIES, rest)).model, 'items').search;
}

describe('the fields that q searches', () => {
  it('[QRY-6] are none by default', () => {
    assert.deepEqual(searched(''), []);
    assert.deepEqual(searched('search: []'), []);
  });

  it('[QRY-6] are strings and arrays of strings, also inside objects', () => {
    const paths = ['name', 'address.city', 'tags', 'address.lines'];
    assert.deepEqual(searched(`search: [${paths.join(', ')}]`), paths);
  });

  const rejected = (
    title: string,
    rest: string,
    path: string,
    fix = /use a readable string field/,
  ): InvalidDocument => ({
    title,
    text: itemsDocument(PROPERTIES, rest),
    path: `resources.items.${path}`,
    line: 5,
    cause: /is not a readable string field/,
    fix,
  });
  rejectsEach([
    rejected('[QRY-6] must exist', 'search: [name, nmae]', 'search[1]', /write name/),
    rejected('[REP-11a] cannot be write-only', 'search: [secret]', 'search[0]'),
    rejected('[QRY-6] cannot be numbers', 'search: [price]', 'search[0]'),
    rejected('[QRY-6] cannot be objects', 'search: [address]', 'search[0]'),
    rejected('[QRY-6] cannot be maps', 'search: [labels]', 'search[0]'),
    rejected('[QRY-6] cannot be binary', 'search: [photo]', 'search[0]'),
  ]);
});
