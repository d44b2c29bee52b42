import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compileCsv, compileCsvReader, readCells, readManyCells } from '../../src/formats/csv.ts';
import type { ObjectType } from '../../src/formats/typed-reader.ts';
import type { Member, ValueType } from '../../src/model/model.ts';
import { typedValue } from './typed-values.ts';

const LIMITS = { depth: 32, items: 10_000 };
const TEXT: ValueType = { kind: 'text', format: null };
const optional = (name: string, type: ValueType): Member => ({ name, type, nullable: true, required: false });
const PRODUCT: ObjectType = {
  kind: 'object',
  members: [
    optional('name', TEXT),
    optional('stock', { kind: 'integer' }),
    optional('tags', { kind: 'array', item: { type: TEXT, nullable: false } }),
    optional('address', { kind: 'object', members: [optional('city', TEXT), optional('zip', TEXT)] }),
    optional('size', { kind: 'object', members: [{ name: 'unit', type: TEXT, nullable: false, required: true }] }),
  ],
};
const HEADER = 'name,stock,tags,address,address.city,address.zip,size.unit\r\n';

function row(value: object): string {
  return compileCsv(PRODUCT).rows([{ name: null, stock: null, tags: [], address: null, size: null, ...value }]);
}

describe('CSV', () => {
  it('[NEG-1] round-trips any value that a schema allows', () => {
    fc.assert(
      fc.property(typedValue(), ({ type, value }) => {
        const csv = compileCsv(type);
        assert.deepEqual(
          compileCsvReader(type, csv.header, LIMITS)(csv.rows([value])),
          value,
          csv.header + csv.rows([value]),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('[NEG-1] has a column for each value, dotted names for nested ones', () => {
    assert.equal(compileCsv(PRODUCT).header, HEADER);
  });

  const rows: readonly (readonly [title: string, value: object, row: string])[] = [
    ['null as an empty cell, and an empty string in quotes', { name: '' }, '"",,[],,,,\r\n'],
    ['lists as JSON', { tags: ['a', 'b,"c"'] }, ',,"[""a"",""b,\\""c\\""""]",,,,\r\n'],
    ['an object whose members are all unset', { address: { city: null, zip: null } }, ',,[],{},,,\r\n'],
    ['an object with a set member', { address: { city: 'Oslo', zip: null } }, ',,[],,Oslo,,\r\n'],
    ['an object with a required member', { size: { unit: 'mm' } }, ',,[],,,,mm\r\n'],
    ['quotes, commas and line breaks in quotes', { name: 'a "b", c\r\nd\re' }, '"a ""b"", c\r\nd\re",,[],,,,\r\n'],
    ['leading and trailing spaces in quotes', { name: ' a ' }, '" a ",,[],,,,\r\n'],
  ];
  for (const [title, value, written] of rows) {
    it(`[NEG-1] writes ${title}`, () => {
      assert.equal(row(value), written);
      assert.deepEqual(compileCsvReader(PRODUCT, HEADER, LIMITS)(written), {
        name: null,
        stock: null,
        tags: [],
        address: null,
        size: null,
        ...value,
      });
    });
  }

  for (const formula of ['=1+1', '+1', '-1', '@x', '\tx', '\rx', '\n=1', '＝1', "'=1", "''-2"]) {
    it(`[NEG-1] escapes ${JSON.stringify(formula)}, which could be a formula`, () => {
      const [cell = ''] = row({ name: formula }).split(',,');
      assert.equal(cell.replace(/^"/, '').slice(0, 1), "'");
      assert.equal(compileCsvReader(PRODUCT, HEADER, LIMITS)(row({ name: formula }))['name'], formula);
    });
  }

  it('[NEG-1] does not escape numbers: a sign is not a formula', () => {
    assert.equal(row({ stock: -5 }), ',-5,[],,,,\r\n');
    assert.equal(row({ name: "'tis" }), "'tis,,[],,,,\r\n");
  });

  it('[NEG-1] reads a number that another tool has escaped', () => {
    assert.deepEqual(compileCsvReader(PRODUCT, 'stock', LIMITS)("'-5"), { stock: -5 });
  });

  it('reads columns in any order, and omits absent ones', () => {
    const read = compileCsvReader(PRODUCT, '\ufeffaddress.zip,name\n', LIMITS);
    assert.deepEqual(read('0123,Lamp\n'), { name: 'Lamp', address: { zip: '0123' } });
    assert.deepEqual(read(',""\n'), { name: '', address: null });
  });

  it('keeps values of another type, for validation', () => {
    assert.deepEqual(compileCsvReader(PRODUCT, 'stock', LIMITS)('many'), { stock: 'many' });
  });

  const malformed: readonly (readonly [title: string, header: string, record: string, says: RegExp])[] = [
    ['an unknown column', 'name,price', '', /unknown column "price"; known columns: name, stock/],
    ['a duplicate column', 'name,name', '', /duplicate column name/],
    ['more cells than columns', 'name', 'a,b', /2 cells for 1 columns/],
    ['an unterminated quote', 'name', '"a', /quote/],
    ['a quote in an unquoted cell', 'name', 'a"b', /quote/],
    ['malformed JSON', 'tags', '[a', /Malformed body at line 1/],
  ];
  for (const [title, header, record, says] of malformed) {
    it(`refuses ${title}`, () => {
      assert.throws(() => compileCsvReader(PRODUCT, header, LIMITS)(record), says);
    });
  }
});

describe('cells of any type, as init and serve FILE read them', () => {
  it('[REP-7] contain no NUL and no noncharacter, in a header either', () => {
    for (const character of ['\0', '\uffff', '\ufdd0', '\u{1fffe}']) {
      for (const cell of [`b${character}`, `"b""${character}"`]) {
        assert.throws(() => readCells(`a,${cell}`), /the cell of column 2 must not contain NUL/);
        assert.equal(readManyCells([`a,b`, `a,${cell}`]), null);
      }
    }
    assert.deepEqual(readManyCells(['a,\ufffd', '\u{10000},b']), [
      ['a', '\ufffd'],
      ['\u{10000}', 'b'],
    ]);
  });
});
