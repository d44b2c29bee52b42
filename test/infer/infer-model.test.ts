import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '../../src/conventions/json/json.ts';
import { DataError } from '../../src/infer/data-error.ts';
import { load } from '../model/loading.ts';
import { csvModelText, type Data, fieldLine, inferModelText } from '../model/infer/inferring.ts';

const repeat = <T>(values: readonly T[], times: number): readonly T[] =>
  Array.from({ length: times }, () => values).flat();

describe('the type of a field', () => {
  const uuid = '0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f';
  const rows: readonly [title: string, values: readonly Json[], line: string][] = [
    ['integer', [1, 2, 0], '{ type: integer }'],
    ['number where one has decimals', [1, 2.5], '{ type: number }'],
    ['boolean', [true, false], '{ type: boolean }'],
    ['string', ['a', 'b'], '{ type: string }'],
    [
      'string for decimals in strings, with a suggestion',
      ['19.99', '5.00'],
      '{ type: string } # maybe format: decimal, x-scale: 2',
    ],
    ['string for codes of digits', ['007', '12'], '{ type: string }'],
    ['date', ['2026-05-17', '2026-01-01', '2026-01-02'], '{ type: string, format: date }'],
    ['string where one is no date', ['2026-05-17', '2026-01-01', '2026-02-30'], '{ type: string }'],
    ['string for two dates, with a suggestion', ['2026-05-17', '2026-01-01'], '{ type: string } # maybe format: date'],
    [
      'date-time',
      repeat(['2026-05-17T09:30:00Z', '2026-05-17T09:30:00.5+02:00'], 2),
      '{ type: string, format: date-time }',
    ],
    ['string for times without offset', repeat(['2026-05-17T09:30:00'], 3), '{ type: string }'],
    ['uuid', repeat([uuid], 3), '{ type: string, format: uuid }'],
    ['email', repeat(['ann@example.com', 'bob@example.org'], 2), '{ type: string, format: email }'],
    ['uri', repeat(['https://example.com/a', 'ftp://example.com'], 2), '{ type: string, format: uri }'],
    ['string for what only looks like a URI', ['note:this', 'a:b', 'c:d'], '{ type: string }'],
    ['string with a suggested enum', repeat(['NEW', 'in use'], 3), '{ type: string } # maybe enum: ["NEW", "in use"]'],
    ['list', [['a'], []], '{ type: array, items: { type: string } }'],
    ['list with null', [[1, null]], '{ type: array, items: { type: [integer, "null"] } }'],
    ['list of lists', [[[1], [2, 3]]], '{ type: array, items: { type: array, items: { type: integer } } }'],
    [
      'empty list',
      [[], []],
      '{ type: array, items: { type: string } } # every list is empty: the type of the items is a guess',
    ],
    ['map of codes', [{ EUR: 1, USD: 2.5 }, { EUR: 3 }], '{ type: object, additionalProperties: { type: number } }'],
    [
      'map of keys that are no names',
      [{ '2026-01-01': 5 }],
      '{ type: object, additionalProperties: { type: integer } }',
    ],
    [
      'string for several types',
      [1, 'a'],
      '{ type: string, x-source: value } # integers and strings in the data: imported as text',
    ],
    ['string for no value', [null], '{ type: string } # no row has a value: the type is a guess'],
  ];
  for (const [title, values, line] of rows) {
    it(`is ${title}`, () => {
      const text = inferModelText({ items: values.map((value) => ({ value })) });
      assert.equal(fieldLine(text, 'value'), line);
    });
  }

  it('is an object with the members of all rows, of which those in every object are required', () => {
    const text = inferModelText({
      items: [{ address: { city: 'Oslo', zipCode: '1' } }, { address: { city: 'Bergen' } }, {}],
    });
    assert.match(
      text,
      /address:\n {10}type: object\n {10}required: \[city\]\n {10}properties:\n {12}city: \{ type: string \}\n {12}zip_code: \{ type: string, x-source: zipCode \}\n/,
    );
  });

  it('is required where every row has a value, and null nowhere', () => {
    const text = inferModelText({
      items: [
        { a: 1, b: null, c: 1 },
        { a: 2, b: 1 },
      ],
    });
    assert.match(text, /required: \[a\]/);
  });
});

describe('the type of a column of CSV', () => {
  const rows: readonly [title: string, cells: readonly (string | null)[], line: string][] = [
    ['integer', ['1', '-2', null], '{ type: integer }'],
    ['number', ['1', '2.50', '1.5e-7'], '{ type: number }'],
    ['boolean', ['TRUE', 'false'], '{ type: boolean }'],
    ['string for leading zeros', ['007', '12'], '{ type: string }'],
    ['string for digits that a number would lose', ['12345678901234567890'], '{ type: string }'],
    ['string for what may be a code', ['1e5'], '{ type: string }'],
    ['date', ['2026-05-17', '2026-01-01', '2026-01-02', null], '{ type: string, format: date }'],
    ['string where one cell is an empty string', ['1', ''], '{ type: string }'],
  ];
  for (const [title, cells, line] of rows) {
    it(`is ${title}`, () => {
      assert.equal(
        fieldLine(
          csvModelText(
            ['value'],
            cells.map((cell) => [cell]),
          ),
          'value',
        ),
        line,
      );
    });
  }
});

describe('names', () => {
  const rows: readonly [source: string, name: string][] = [
    ['firstName', 'first_name'],
    ['First Name', 'first_name'],
    ['HTTPServer', 'http_server'],
    ['Größe (cm)', 'grosse_cm'],
    ['2nd', 'field_2nd'],
    ['links', 'source_links'],
    ['名前', 'field'],
  ];
  for (const [source, name] of rows) {
    it(`of fields are in snake_case and keep that of the data: ${source}`, () => {
      assert.match(fieldLine(inferModelText({ items: [{ [source]: 1 }] }), name), /x-source: /);
    });
  }

  it('that are in snake_case already are kept where others become the same', () => {
    const text = inferModelText({ items: [{ firstName: 1, first_name: 'a' }] });
    assert.equal(fieldLine(text, 'first_name'), '{ type: string }');
    assert.equal(fieldLine(text, 'first_name_2'), '{ type: integer, x-source: firstName }');
  });

  it('of collections are made valid', () => {
    const names = ['orderItems', 'events', 'search', 'first', 'person', 'people', 'pages'];
    const { model } = load(inferModelText(Object.fromEntries(names.map((each) => [each, [{ a: 1 }]]))));
    assert.deepEqual(
      [...model.resources.keys()],
      ['order_items', 'events', 'search', 'first_items', 'person', 'people', 'pages'],
    );
  });

  it('created_at and updated_at are system fields where all values are times', () => {
    const times = inferModelText({ items: [{ createdAt: '2026-05-17T09:30:00Z', a: 1 }, { a: 2 }] });
    assert.doesNotMatch(times, /created/i);
    const dates = inferModelText({ items: [{ createdAt: '2026-05-17' }] });
    assert.equal(fieldLine(dates, 'source_created_at'), '{ type: string, x-source: createdAt } # maybe format: date');
  });
});

describe('ids', () => {
  const idOf = (rows: readonly JsonObject[]): string =>
    /^ {4}id: (\w+|\{.*?\})/m.exec(inferModelText({ items: rows }))?.[1] ?? '';

  it('of the data are kept: clients choose ids that are not UUIDs', () => {
    assert.equal(idOf([{ id: '1' }, { id: '2' }]), 'client');
    assert.equal(idOf([{ id: 'a' }, { id: 'b' }]), 'client');
    assert.equal(idOf([{ _id: '0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f' }]), 'uuid');
    assert.equal(idOf([{ name: 'a' }]), 'uuid');
  });

  it('that are numbers stay numbers for clients, which need not send one', () => {
    assert.equal(idOf([{ id: 1 }, { id: 2 }]), '{ client: true, optional: true, number: true }');
    assert.equal(idOf([{ id: 1 }, { id: 'b' }]), 'client');
  });

  it('that cannot be ids are a field', () => {
    const text = inferModelText({ items: [{ id: 1.5 }, { id: 2.5 }] });
    assert.equal(fieldLine(text, 'source_id'), '{ type: number, x-source: id }');
  });

  const errors: readonly [title: string, rows: readonly JsonObject[], line: number, message: RegExp][] = [
    ['two rows with one id', [{ id: 1 }, { id: 2 }, { id: '1' }], 3, /items: rows 1 and 3 have the same id "1"/],
    ['a row without an id', [{ id: 1 }, { name: 'a' }], 2, /items: row 2 has no id, but 1 of 2 rows have one/],
    ['a null as id', [{ id: null }, { id: 2 }], 1, /items: row 1 has no id/],
  ];
  for (const [title, rows, line, message] of errors) {
    it(`name the line of ${title}`, () => {
      assert.throws(
        () => inferModelText({ items: rows }),
        (error) => error instanceof DataError && error.line === line && message.test(error.message),
      );
    });
  }
});

describe('references', () => {
  const customers = [{ id: 1 }, { id: 2 }];
  const orders = (name: string, ...values: readonly Json[]): Data => ({
    customers,
    orders: values.map((value, index) => ({ id: `o${index}`, [name]: value })),
  });
  const reference = '{ resource: customers, inverse: orders }';

  for (const [name, field] of [
    ['customer_id', 'customer_id'],
    ['customerId', 'customer_id'],
    ['customer', 'customer_id'],
    ['billingCustomerId', 'billing_customer_id'],
  ] as const) {
    it(`are fields like ${name} whose values are all ids of the collection`, () => {
      const line = fieldLine(inferModelText(orders(name, 1, 2, null)), field);
      assert.equal(line, `{ type: string, x-references: ${reference}${name === field ? '' : `, x-source: ${name}`} }`);
    });
  }

  it('are not declared where a value is not an id, which a comment states', () => {
    assert.equal(
      fieldLine(inferModelText(orders('customer_id', 1, 7)), 'customer_id'),
      '{ type: integer } # no reference: 1 value is not an id of customers',
    );
  });

  it('of a list are those of its items', () => {
    const text = inferModelText(orders('customer_ids', [1, 2], []));
    assert.equal(
      fieldLine(text, 'customer_ids'),
      `{ type: array, items: { type: string, x-references: ${reference} } }`,
    );
  });

  it('follow from the values alone where these are ids of one collection and no numbers', () => {
    const text = inferModelText({ users: [{ id: 'ann' }, { id: 'bob' }], posts: [{ author_id: 'ann' }] });
    assert.match(fieldLine(text, 'author_id'), /x-references: \{ resource: users, inverse: posts \}/);
    const numbers = inferModelText({ users: [{ id: 1 }], posts: [{ author_id: 1 }] });
    assert.equal(fieldLine(numbers, 'author_id'), '{ type: integer } # maybe x-references: users');
  });

  it('to earlier rows of the same collection are declared, to later ones they are not', () => {
    const before = inferModelText({
      nodes: [
        { id: 1, parent_id: null },
        { id: 2, parent_id: 1 },
      ],
    });
    assert.match(fieldLine(before, 'parent_id'), /x-references: \{ resource: nodes/);
    const after = inferModelText({
      nodes: [
        { id: 1, parent_id: 2 },
        { id: 2, parent_id: null },
      ],
    });
    assert.equal(fieldLine(after, 'parent_id'), '{ type: integer }');
  });

  it('in a circle are declared but for the one that closes it', () => {
    const text = inferModelText({
      users: [{ id: 'u', company_id: 'c' }],
      companies: [{ id: 'c', user_id: 'u' }],
    });
    assert.match(fieldLine(text, 'company_id'), /x-references: \{ resource: companies/);
    assert.equal(fieldLine(text, 'user_id'), '{ type: string } # no reference: users refers to companies already');
  });

  it('have names that no field has', () => {
    const rows = [{ id: 1, customer: { name: 'Ann' }, customer_id: 1 }];
    assert.match(
      fieldLine(inferModelText({ customers, orders: rows }), 'customer_id'),
      /resource: customers, as: customer_2,/,
    );
    const lists = [{ id: 1, customers: 'none', customer_ids: [1] }];
    assert.match(
      fieldLine(inferModelText({ customers, orders: lists }), 'customer_ids'),
      /resource: customers, as: customers_2,/,
    );
  });
});
