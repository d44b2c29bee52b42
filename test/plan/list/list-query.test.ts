import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { parseQuery, writeQuery } from '../../../src/conventions/url/query.ts';
import type { ListQuery } from '../../../src/plan/list/list-query.ts';
import { throwsApiError } from '../../conventions/throws-api-error.ts';
import { compiled, plainSeal, itemsDocument, readQuery, makeRow, compileRule } from '../rules.ts';

const PROPERTIES = [
  'name: { type: string }',
  'size: { type: integer }',
  'price: { type: string, format: decimal, x-scale: 2 }',
  'place: { type: object, properties: { city: { type: string } } }',
].join(', ');
const items = compiled(itemsDocument(PROPERTIES), 'items');
const rule = compileRule(items);
const read = (text: string): ListQuery => readQuery(rule, text);
const DEFAULT_ORDER = [
  { path: 'created_at', descending: false },
  { path: 'id', descending: false },
];
const ROW = makeRow({ name: 'n', size: null, price: '1.00', place: { city: 'Oslo' } });

describe('readListQuery', () => {
  it('[PAGE-3] [PAGE-5] without parameters reads the first 20 rows by creation, uncounted', () => {
    const { plan, pagination, linkQuery } = read('');
    assert.deepEqual(plan, {
      kind: 'list',
      resource: 'items',
      within: [],
      filter: [],
      order: DEFAULT_ORDER,
      window: { kind: 'seek', after: null, backward: false, limit: 20 },
      count: { kind: 'none' },
      effort: 'light',
      maxSize: 16_777_216,
    });
    assert.deepEqual([pagination.technique, pagination.parameters, linkQuery], ['cursor', [], 'limit=20']);
  });

  const windows: readonly (readonly [
    text: string,
    window: object,
    parameters: readonly (readonly [string, string])[],
  ])[] = [
    ['page=1', { kind: 'offset', offset: 0, limit: 20 }, [['page', '1']]],
    ['page=3&limit=7', { kind: 'offset', offset: 14, limit: 7 }, [['page', '3']]],
    ['page=003&per_page=7', { kind: 'offset', offset: 14, limit: 7 }, [['page', '3']]],
    ['offset=0', { kind: 'offset', offset: 0, limit: 20 }, [['offset', '0']]],
    ['offset=1000000&limit=1000', { kind: 'offset', offset: 1_000_000, limit: 100 }, [['offset', '1000000']]],
    ['page=10001&limit=100', { kind: 'offset', offset: 1_000_000, limit: 100 }, [['page', '10001']]],
  ];
  for (const [text, window, parameters] of windows) {
    it(`[PAGE-4] with ${text} starts at that position`, () => {
      const { plan, pagination } = read(text);
      assert.deepEqual([plan.window, pagination.parameters], [window, parameters]);
    });
  }

  for (const [text, count] of [
    ['', { kind: 'none' }],
    ['include_total=true', { kind: 'exact' }],
    ['page=1', { kind: 'exact' }],
    ['offset=5&name=x', { kind: 'capped', cap: 10_000 }],
    ['page=1&include_total=false', { kind: 'none' }],
    ['name=x&include_total=true', { kind: 'capped', cap: 10_000 }],
  ] as const) {
    it(`[PAGE-9a, PAGE-9c] with ${JSON.stringify(text)} counts ${count.kind === 'none' ? 'nothing' : count.kind}`, () => {
      assert.deepEqual(read(text).plan.count, count);
    });
  }

  it('[PAGE-9c] below a parent counts up to the cap', () => {
    const within = [{ resource: 'others', id: 'o' }];
    assert.deepEqual(readQuery(rule, 'page=1', within).plan.count, { kind: 'capped', cap: 10_000 });
    assert.deepEqual(readQuery(rule, '', within).plan.within, within);
  });

  it('[PAGE-2] has a canonical link query of filters, sort and limit, which reads as the same query', () => {
    const { plan, linkQuery } = read('price=05&sort=-name,size&name[in]=a%2Cb,c&limit=7&page=2');
    const again = read(`${linkQuery}&page=2`);
    assert.deepEqual(again.plan, plan);
    assert.equal(linkQuery, 'price=05&name%5Bin%5D=a%2Cb,c&sort=-name,size&limit=7');
  });

  it('[URL-5] separates by an encoded comma in sort, fields and lists of numbers, and links write the comma', () => {
    const { plan, linkQuery } = read('sort=-name%2Csize&fields=name%2csize&size[in]=1%2C2');
    assert.deepEqual(plan, read('sort=-name,size&fields=name,size&size[in]=1,2').plan);
    assert.equal(linkQuery, 'size%5Bin%5D=1,2&sort=-name,size&fields=name,size&limit=20');
  });

  it('[PAGE-2] reads as the same query from its links, whatever was sent', () => {
    const value = fc.string({ minLength: 0, maxLength: 4 }).filter((text) => !text.includes('\0'));
    const filters = fc.array(
      fc.oneof(
        value.map((text): [string, string] => ['name', text]),
        fc.integer().map((size): [string, string] => ['filter[size]', String(size)]),
      ),
      { maxLength: 3 },
    );
    const list = fc.array(value, { minLength: 1, maxLength: 3 });
    const sort = fc.constantFrom('name', '-size,name', 'place.city');
    fc.assert(
      fc.property(filters, list, sort, (pairs, names, order) => {
        const text = writeQuery([...pairs, ['place.city[in]', names], ['sort', order.split(',')]]);
        const { plan, linkQuery } = read(text);
        assert.deepEqual(read(linkQuery).plan, plan);
      }),
    );
  });

  const refused: readonly (readonly [text: string, code: Parameters<typeof throwsApiError>[1]])[] = [
    ['limit=0', 'PAGINATION_LIMIT_INVALID'],
    ['limit=1&per_page=1', 'PAGINATION_CONFLICT'],
    ['page=1&after=x', 'PAGINATION_CONFLICT'],
    ['page=0', 'PAGINATION_POSITION_INVALID'],
    ['page=10002&limit=100', 'PAGINATION_POSITION_INVALID'],
    ['offset=1000001', 'PAGINATION_POSITION_INVALID'],
    ['after=', 'PAGINATION_CURSOR_INVALID'],
    ['include_total=1', 'REQUEST_PARAMETER_INVALID'],
    ['sort=none', 'QUERY_SORT_INVALID'],
    ['size=x', 'QUERY_FILTER_INVALID'],
    ['none=x', 'REQUEST_PARAMETER_UNKNOWN'],
    ['limit=1&limit=1', 'REQUEST_PARAMETER_DUPLICATED'],
  ];
  for (const [text, code] of refused) {
    it(`[PAGE-3] [PAGE-4] [QRY-5] with ${text} is ${code}`, () =>
      assert.ok(throwsApiError(() => read(text), code).details.length > 0));
  }
});

describe('a cursor', () => {
  it('[PAGE-6] has one value for each key of the order, and restores the position', () => {
    for (const [sort, after] of [
      ['', [ROW.created_at, 'r']],
      ['sort=name,-size', ['n', null, 'r']],
      ['sort=place.city', ['Oslo', 'r']],
      ['sort=-price,revision', ['1.00', 7, 'r']],
      ['sort=id', ['r']],
    ] as const) {
      for (const backward of [false, true]) {
        const token = read(sort).cursorAt(ROW, backward);
        const { plan } = read(`after=${token}`);
        assert.deepEqual(plan.window, { kind: 'seek', after, backward, limit: 20 });
        assert.deepEqual(plan.order, read(sort).plan.order);
      }
    }
  });

  it('[PAGE-6] of a row with an unset object has null', () => {
    const token = read('sort=place.city').cursorAt(makeRow({ place: null }), false);
    assert.deepEqual(read(`after=${token}`).plan.window, {
      kind: 'seek',
      after: [null, 'r'],
      backward: false,
      limit: 20,
    });
  });

  it('[PAGE-2] of the end leads backward from there', () => {
    const token = read('').cursorAt(null, true);
    assert.deepEqual(read(`after=${token}`).plan.window, { kind: 'seek', after: null, backward: true, limit: 20 });
  });

  it('[PAGE-6] is the same for the same state, which includes direction and position', () => {
    const tokens = [
      read('').cursorAt(ROW, false),
      read('limit=3').cursorAt(ROW, false),
      read('').cursorAt(ROW, true),
      read('').cursorAt(null, true),
      read('sort=-created_at').cursorAt(ROW, false),
      read('name=x').cursorAt(ROW, false),
    ];
    assert.equal(tokens[0], tokens[1]);
    assert.equal(new Set(tokens).size, 5);
  });

  it('[PAGE-4] restores its filters and sort, with commas in list items', () => {
    const made = read('name[in]=a%2Cb,c&size=1&size=2&sort=-price');
    const { plan, linkQuery } = read(`limit=5&after=${made.cursorAt(ROW, false)}`);
    assert.deepEqual([plan.filter, plan.order], [made.plan.filter, made.plan.order]);
    assert.equal(linkQuery, 'name%5Bin%5D=a%2Cb,c&size=1&size=2&sort=-price&limit=5');
  });

  const SAME = [
    '',
    'sort=-name',
    'sort=-name,-id',
    'size=1&size=2',
    'size=2&size=1',
    'size[in]=1,2',
    'filter[size][in]=2,1,2&sort=-name',
  ];
  for (const other of SAME) {
    it(`[PAGE-6] accepts its own parameters next to it: ${other}`, () => {
      const token = read('size=1&size=2&sort=-name').cursorAt(ROW, false);
      assert.deepEqual(read(`after=${token}&${other}`).plan.filter.length, 1);
    });
  }

  const OTHER: readonly (readonly [other: string, fields: readonly string[]])[] = [
    ['sort=name', ['sort']],
    ['sort=-name,id', ['sort']],
    ['size=1', ['size']],
    ['size=1&size=2&name=x', ['size', 'name']],
    ['size=1&sort=name', ['size', 'sort']],
    ['size[in]=1,2,3&sort=-name', ['size[in]']],
  ];
  for (const [other, fields] of OTHER) {
    it(`[PAGE-6] refuses other parameters next to it, by name: ${other}`, () => {
      const token = read('size=1&size=2&sort=-name').cursorAt(ROW, false);
      const { details } = throwsApiError(() => read(`after=${token}&${other}`), 'PAGINATION_CURSOR_MISMATCH');
      assert.deepEqual(
        details.map(({ field }) => field),
        fields,
      );
    });
  }

  it('[PAGE-6] belongs to one collection of one parent', () => {
    const one = [{ resource: 'others', id: 'a' }];
    const token = readQuery(rule, '', one).cursorAt(ROW, false);
    assert.equal(readQuery(rule, `after=${token}`, one).plan.within, one);
    for (const within of [[], [{ resource: 'others', id: 'b' }], [{ resource: 'items', id: 'a' }]]) {
      throwsApiError(() => readQuery(rule, `after=${token}`, within), 'PAGINATION_CURSOR_INVALID');
    }
  });

  const CHANGED: readonly (readonly [title: string, query: string, properties: string, rest?: string])[] = [
    ['the default order', '', PROPERTIES, '{"sort":"-name"}'],
    ['a field that it sorts by', 'sort=name', 'size: { type: integer }'],
    ['a field that it filters by', 'name=x', 'size: { type: integer }'],
    ['the type of a field that it filters by', 'name=x', 'name: { type: integer }'],
    ['what may be sorted by', 'sort=name', PROPERTIES, '{"sortable":["size"]}'],
    ['what may be filtered by', 'name=x', PROPERTIES, '{"filterable":["size"]}'],
    ['who may read a field that it filters by', 'name=x', 'name: { type: string, writeOnly: true }'],
    ['the type of a field that it sorts by', 'sort=name', 'name: { type: integer }'],
  ];
  for (const [title, query, properties, rest] of CHANGED) {
    it(`[PAGE-6] is invalid after the model changes ${title}`, () => {
      const token = read(query).cursorAt(ROW, false);
      const later = compileRule(compiled(itemsDocument(properties, rest), 'items'));
      const { details } = throwsApiError(() => readQuery(later, `after=${token}`), 'PAGINATION_CURSOR_INVALID');
      assert.deepEqual(
        details.map(({ field }) => field),
        ['after'],
      );
    });
  }

  it('[PAGE-6] is valid only with its seal', () => {
    const deaf = { ...rule, seal: { ...plainSeal, open: () => null } };
    throwsApiError(() => readQuery(deaf, `after=${read('').cursorAt(ROW, false)}`), 'PAGINATION_CURSOR_INVALID');
  });
});

describe('a lenient query', () => {
  it('[QRY-5] ignores unknown and repeated parameters', () => {
    const { plan, linkQuery } = readQuery(rule, 'none=1&limit=3&limit=9&name=x&name[in]=y&name[in]=z', [], true);
    assert.deepEqual([plan.window.limit, plan.filter.length], [3, 2]);
    assert.deepEqual(
      parseQuery(linkQuery).map(({ name }) => name),
      ['name', 'name[in]', 'limit'],
    );
  });
});
