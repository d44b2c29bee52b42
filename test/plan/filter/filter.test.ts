import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileFilterTest } from '../../../src/plan/filter/filter-rule.ts';
import { readFilterName } from '../../../src/plan/parameters.ts';
import { throwsApiError } from '../../conventions/throws-api-error.ts';
import { compiled, itemsDocument, readFilters } from '../rules.ts';

const PROPERTIES = [
  'name: { type: string }',
  'size: { type: integer }',
  'price: { type: string, format: decimal, x-scale: 2 }',
  'at: { type: string, format: date-time }',
  'place: { type: object, properties: { city: { type: string } } }',
  'tags: { type: array, items: { type: string } }',
  'sizes: { type: array, items: { type: integer } }',
  'day: { type: string, format: date }',
  'photo: { type: string, contentEncoding: base64 }',
  'secret: { type: string, writeOnly: true }',
  'phase: { type: string, enum: [NEW, OPEN] }',
  'phases: { type: array, items: { type: string, enum: [NEW, OPEN] } }',
  'level: { type: integer, enum: [1, 2] }',
  'rate: { type: string, format: decimal, x-scale: 2, enum: ["0.5", "1"] }',
  'odd: { type: string, enum: ["a,b", c] }',
  'box: { type: object, properties: { kind: { type: string, enum: [x, y] } } }',
  'other_id: { type: string, x-references: others }',
  'uuid: { type: string, format: uuid }',
  'link: { type: string, format: uri }',
].join(', ');
const { filters } = compiled(itemsDocument(PROPERTIES), 'items');

const read = (text: string) => readFilters(text, filters);

describe('the name of a filter', () => {
  const names: readonly (readonly [name: string, path: string, operator: string | null])[] = [
    ['name', 'name', null],
    ['place.city', 'place.city', null],
    ['price[gte]', 'price', 'gte'],
    ['place.city[in]', 'place.city', 'in'],
    ['filter[limit]', 'limit', null],
    ['filter[limit][in]', 'limit', 'in'],
    ['filter', 'filter', null],
    ['name[]', 'name', ''],
    ['filter[a.b][]', 'a.b', ''],
  ];
  for (const [name, path, operator] of names) {
    it(`[QRY-1] ${name} is ${path}${operator === null ? '' : ` by ${JSON.stringify(operator)}`}`, () => {
      assert.deepEqual(readFilterName(name), { path, operator });
    });
  }

  for (const name of [
    '',
    '[in]',
    'name[',
    'name]',
    'name[in',
    'name[a][b]',
    'name[in]x',
    'name[[in]]',
    '[name]in',
    'filter[name',
    'filter[a][b][c]',
    'filter[name]x',
  ]) {
    it(`[QRY-5] ${JSON.stringify(name)} is not a filter`, () => assert.equal(compileFilterTest(filters)(name), false));
  }

  it('[REP-11a] is unknown if the field is write-only, absent, or not a field itself', () => {
    const isFilter = compileFilterTest(filters);
    for (const name of ['secret', 'secret[in]', 'filter[secret]', 'nothing', 'links', 'place.zip', 'toString'])
      assert.equal(isFilter(name), false, name);
    for (const name of ['id', 'created_at', 'revision[eq]', 'place.city', 'filter[name]'])
      assert.equal(isFilter(name), true, name);
  });
});

describe('conditions', () => {
  const makeRange = (path: string, operator: string, value: string | number) => ({ path, operator, value });
  const is = (path: string, ...values: readonly (string | number)[]) => ({ path, operator: 'in' as const, values });
  const rows: readonly (readonly [text: string, conditions: readonly object[]])[] = [
    ['', []],
    ['name=a', [is('name', 'a')]],
    ['name[eq]=a', [is('name', 'a')]],
    ['name=a&name=b', [is('name', 'a', 'b')]],
    ['name[in]=a,b', [is('name', 'a', 'b')]],
    ['name[in]=a%2Cb,c+d', [is('name', 'a,b', 'c d')]],
    ['name=a,b', [is('name', 'a,b')]],
    ['size[in]=1%2C2,3', [is('size', 1, 2, 3)]],
    ['phase[in]=NEW%2COPEN', [is('phase', 'NEW', 'OPEN')]],
    ['rate=0.50&rate=1.0', [is('rate', '0.50', '1.00')]],
    ['day[in]=2026-01-02%2C2026-01-03', [is('day', '2026-01-02', '2026-01-03')]],
    ['id[in]=a%2cb', [is('id', 'a', 'b')]],
    ['other_id[in]=a%2Cb', [is('other_id', 'a', 'b')]],
    ['uuid[in]=a%2Cb', [is('uuid', 'a', 'b')]],
    ['box.kind[in]=x%2Cy', [is('box.kind', 'x', 'y')]],
    ['odd[in]=a%2Cb,c', [is('odd', 'a,b', 'c')]],
    ['link[in]=a%2Cb', [is('link', 'a,b')]],
    ['name=a&size=1', [is('name', 'a'), is('size', 1)]],
    ['name=a&name[eq]=b&filter[name]=c', [is('name', 'a'), is('name', 'b'), is('name', 'c')]],
    ['price=05.5', [is('price', '5.50')]],
    ['at=2026-01-01T01:00:00%2B01:00', [is('at', '2026-01-01T00:00:00.000Z')]],
    ['place.city=', [is('place.city', '')]],
    ['revision=3', [is('revision', 3)]],
    ['name[ne]=a', [{ path: 'name', operator: 'nin', values: ['a'] }]],
    ['size[nin]=1,2', [{ path: 'size', operator: 'nin', values: [1, 2] }]],
    ['size[gt]=1&size[lte]=9', [makeRange('size', 'gt', 1), makeRange('size', 'lte', 9)]],
    ['price[gte]=5', [makeRange('price', 'gte', '5.00')]],
    ['price[lt]=5.005', [makeRange('price', 'lt', '5.005')]],
    ['at[lt]=2026-01-01T01:00:00%2B01:00', [makeRange('at', 'lt', '2026-01-01T00:00:00.000Z')]],
    ['name[contains]=50%25', [{ path: 'name', operator: 'contains', value: '50%' }]],
    ['tags[contains]=a,b', [{ path: 'tags', operator: 'contains', value: 'a,b' }]],
    ['sizes[contains]=5', [{ path: 'sizes', operator: 'contains', value: 5 }]],
    ['place.city[starts_with]=', [{ path: 'place.city', operator: 'starts_with', value: '' }]],
    ['day[starts_with]=2026-05', [{ path: 'day', operator: 'starts_with', value: '2026-05' }]],
    ['name[exists]=false', [{ path: 'name', operator: 'exists', value: false }]],
    ['tags[exists]=true', [{ path: 'tags', operator: 'exists', value: true }]],
  ];
  for (const [text, conditions] of rows) {
    it(`[QRY-1] [QRY-2] of ${JSON.stringify(text)}`, () => assert.deepEqual(read(text), conditions));
  }

  it('[QRY-2] [ERR-3] report every invalid value under the parameter as it was sent', () => {
    const { details } = throwsApiError(
      () => read('size=a&size=1&size[in]=2,b,c&tags=x&name[like]=y&at=now'),
      'QUERY_FILTER_INVALID',
    );
    assert.deepEqual(
      details.map(({ field }) => field),
      ['size', 'size[in]', 'tags', 'name[like]', 'at'],
    );
  });

  it('[QRY-2] [ERR-4] are refused with a fix', () => {
    const { details } = throwsApiError(
      () => read('photo=x&tags=x&name[like]=y&size[contains]=1&name[exists]=1&sizes[contains]=x'),
      'QUERY_FILTER_INVALID',
    );
    assert.deepEqual(
      details.map(({ message }) => message),
      [
        'is not filterable; filterable fields: id, name, size, price, at, place.city, tags, sizes, day, phase, phases, level, rate, odd, box.kind, other_id, uuid, link, created_at, updated_at, revision',
        'does not support a filter without an operator; supported: tags[contains], tags[exists]',
        'has an unknown operator; supported: name[eq], name[ne], name[gt], name[gte], name[lt], name[lte], name[in], name[nin], name[exists], name[contains], name[starts_with]',
        'does not support contains; supported: size[eq], size[ne], size[gt], size[gte], size[lt], size[lte], size[in], size[nin], size[exists]',
        'must be true or false',
        'must be an integer such as 42',
      ],
    );
  });

  const outsiders: readonly (readonly [text: string, message: string])[] = [
    ['phase=open', 'must be one of NEW, OPEN'],
    ['phase[ne]=DONE', 'must be one of NEW, OPEN'],
    ['phase[in]=NEW,DONE', 'must be one of NEW, OPEN'],
    ['phase[nin]=NEW%2C', 'must be one of NEW, OPEN'],
    ['phase[gte]=A', 'must be one of NEW, OPEN'],
    ['phases[contains]=DONE', 'must be one of NEW, OPEN'],
    ['level=3', 'must be one of 1, 2'],
    ['rate=0.51', 'must be one of 0.50, 1.00'],
    ['box.kind=z', 'must be one of x, y'],
  ];
  for (const [text, message] of outsiders) {
    it(`[QRY-2] outside the enum are refused with its members: ${text}`, () => {
      const { details } = throwsApiError(() => read(text), 'QUERY_FILTER_INVALID');
      assert.deepEqual(details, [{ field: text.slice(0, text.indexOf('=')), message }]);
    });
  }

  it('[QRY-7] by a part of a text need not be a member of its enum', () => {
    assert.deepEqual(read('phase[starts_with]=N&phase[contains]=x').length, 2);
  });

  it('[QRY-1] of four thousand values are read quickly', () => {
    const values = Array.from({ length: 4000 }, (_, index) => String(index));
    assert.deepEqual(read(`size[in]=${values.join(',')}`), [is('size', ...values.map(Number))]);
  });

  it('[QRY-2] of more than ten thousand values together are refused', () => {
    const list = Array.from({ length: 5_000 }, (_, index) => String(index)).join(',');
    assert.equal(read(`size[in]=${list}&revision[nin]=${list}`).length, 2);
    const { details } = throwsApiError(() => read(`size[in]=${list}&revision[nin]=${list},1`), 'QUERY_FILTER_INVALID');
    assert.equal(details[0]?.field, 'revision[nin]');
  });
});
