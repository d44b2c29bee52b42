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

describe('what q searches', () => {
  it('[QRY-6] is nothing unless the model says so', () => {
    assert.deepEqual(searched(''), []);
    assert.deepEqual(searched('search: []'), []);
  });

  it('[QRY-6] is texts and lists of texts, also inside objects', () => {
    const paths = ['name', 'address.city', 'tags', 'address.lines'];
    assert.deepEqual(searched(`search: [${paths.join(', ')}]`), paths);
  });

  const refused = (
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
    refused('[QRY-6] is what the resource has', 'search: [name, nmae]', 'search[1]', /write name/),
    refused('[REP-11] is no write-only field', 'search: [secret]', 'search[0]'),
    refused('[QRY-6] is no number', 'search: [price]', 'search[0]'),
    refused('[QRY-6] is no object', 'search: [address]', 'search[0]'),
    refused('[QRY-6] is no map', 'search: [labels]', 'search[0]'),
    refused('[QRY-6] is no list of bytes', 'search: [photo]', 'search[0]'),
  ]);
});
