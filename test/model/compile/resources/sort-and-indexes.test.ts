import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InvalidDocument, itemsDocument, load, rejectsEach, resource } from '../../loading.ts';
import type { Resource } from '../../../../src/model/model.ts';

const PROPERTIES =
  'name: { type: string }, price: { type: string, format: decimal }, cost: { type: number, writeOnly: true }, tags: { type: array, items: { type: string } }, address: { type: object, required: [city], properties: { city: { type: string }, zip: { type: string } } }, photo: { type: string, contentEncoding: base64 }, labels: { type: object, additionalProperties: { type: string } }, at: { type: string, format: date-time }, due: { type: string, format: date-time }';

const items = (rest = ''): Resource => resource(load(itemsDocument(PROPERTIES, rest, 'due')).model, 'items');

function names(key: 'sortable' | 'filterable', rest = ''): string {
  return [...items(rest).properties.values()]
    .filter((property) => property[key])
    .map(({ path }) => path)
    .join(' ');
}

describe('the properties of a resource', () => {
  const scalars = 'id name price address.city address.zip at due created_at updated_at revision';

  it('[QRY-1] are sortable and filterable if they are scalar, by dotted path within objects', () => {
    assert.equal(names('sortable'), scalars);
    assert.equal(names('filterable'), scalars.replace('price', 'price tags'));
  });

  it('[QRY-3] are restricted by sortable and filterable, except the id', () => {
    assert.equal(names('sortable', 'sortable: [price, address.city]'), 'id price address.city');
    assert.equal(names('filterable', 'filterable: [created_at]'), 'id created_at');
  });

  it('[QRY-7] of arrays are filtered by their items, and never sorted', () => {
    const { properties } = items();
    assert.deepEqual([properties.get('tags')?.sortable, properties.get('tags')?.filterable], [false, true]);
    assert.equal(names('filterable', 'filterable: [tags]'), 'id tags');
  });

  it('[REP-11a] exclude write-only fields, and neither sort nor filter binary values', () => {
    const { properties } = items();
    assert.equal(properties.has('cost'), false);
    assert.deepEqual([properties.get('photo')?.sortable, properties.get('photo')?.filterable], [false, false]);
    assert.equal(properties.has('labels'), false);
  });

  it('[REP-4] are nullable in a nullable object', () => {
    assert.equal(items().properties.get('address.city')?.nullable, true);
    assert.equal(items().properties.get('due')?.nullable, false);
  });
});

describe('the default sort of a resource', () => {
  const key = (path: string, descending = false): object => ({ path, descending });
  const rows: readonly (readonly [rest: string, sort: readonly object[]])[] = [
    ['', [key('created_at'), key('id')]],
    ['sort: -price', [key('price', true), key('id', true)]],
    ['sort: "-price,address.city"', [key('price', true), key('address.city'), key('id')]],
    ['sort: id', [key('id')]],
    ['sort: "-id,name"', [key('id', true)]],
    ['sortable: [name]', [key('created_at'), key('id')]],
  ];
  for (const [rest, sort] of rows) {
    it(`[PAGE-5] ends with the id in the direction of the last key: ${rest}`, () =>
      assert.deepEqual(items(rest).sort, sort));
  }

  it('[PAGE-4] has a time field with a value in every row', () => {
    assert.equal(items().timeField, 'created_at');
    assert.equal(items('time_field: due').timeField, 'due');
    assert.equal(items('time_field: updated_at').timeField, 'updated_at');
  });
});

describe('indexes and unique fields', () => {
  it('[PAGE-10] are lists of paths; a single path counts as a list', () => {
    assert.deepEqual(items('indexes: [name, [address.city, price]]').indexes, [['name'], ['address.city', 'price']]);
  });

  it('[MET-10] come from x-unique and unique, each once', () => {
    const text = itemsDocument('a: { type: string, x-unique: true }, b: { type: integer }', 'unique: [[a], [a, b]]');
    assert.deepEqual(resource(load(text).model, 'items').uniques, [['a'], ['a', 'b']]);
  });

  const rejected = (title: string, rest: string, path: string, cause: RegExp, fix = /./): InvalidDocument => ({
    title,
    text: itemsDocument(PROPERTIES, rest),
    path: `resources.items.${path}`,
    line: 5,
    cause,
    fix,
  });
  rejectsEach([
    rejected(
      '[QRY-3] sortable requires existing fields',
      'sortable: [name, pice]',
      'sortable[1]',
      /pice is not a readable scalar field/,
      /write price/,
    ),
    rejected(
      '[QRY-1] filterable requires scalar fields',
      'filterable: [photo]',
      'filterable[0]',
      /photo is not a readable scalar field/,
    ),
    rejected(
      '[REP-11a] sortable rejects write-only fields',
      'sortable: [cost]',
      'sortable[0]',
      /cost is not a readable scalar field/,
    ),
    rejected(
      '[PAGE-10] an index requires existing fields',
      'indexes: [name, [name, nope]]',
      'indexes[1]',
      /nope is not a readable scalar field/,
    ),
    rejected(
      '[PAGE-10] an index rejects objects',
      'indexes: [address]',
      'indexes[0]',
      /address is not a readable scalar field/,
    ),
    rejected(
      '[PAGE-5] the sort requires existing fields',
      'sort: -prise',
      'sort',
      /prise is not a readable scalar field/,
      /write price/,
    ),
    rejected(
      '[QRY-3] the sort has at most five keys',
      'sort: "name,price,address.city,address.zip,at,due"',
      'sort',
      /at most 5 keys/,
    ),
    rejected('[PAGE-5] the sort has each key once', 'sort: "name,-name"', 'sort', /twice/),
    rejected(
      '[MET-10] unique requires existing fields',
      'unique: [[name, address.city]]',
      'unique[0]',
      /no field address.city/,
    ),
    rejected('[MET-10] unique requires scalar fields', 'unique: [[tags]]', 'unique[0]', /not a scalar field/),
    rejected(
      '[PAGE-4] the time field must be a date-time',
      'time_field: name',
      'time_field',
      /name is not a required date-time field/,
      /date-time/,
    ),
    rejected(
      '[PAGE-4] the time field must be required',
      'time_field: at',
      'time_field',
      /not a required date-time/,
      /required/,
    ),
    rejected(
      '[PAGE-4] the time field must exist',
      'time_field: nope',
      'time_field',
      /nope is not a required/,
      /created_at/,
    ),
  ]);

  rejectsEach([
    {
      title: '[MET-10] x-unique requires a scalar field',
      text: itemsDocument('a: { type: array, items: { type: string }, x-unique: true }'),
      path: 'resources.items.schema.properties.a.x-unique',
      line: 4,
      cause: /not a scalar field/,
      fix: /scalar/,
    },
  ]);
});
