import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../src/conventions/errors.ts';
import { readForm } from '../../src/formats/form.ts';
import type { ObjectType } from '../../src/formats/typed-reader.ts';
import type { Member, ValueType } from '../../src/model/model.ts';
import { formPairs, urlencoded } from './form-writer.ts';
import { typedValue } from './typed-values.ts';

const LIMITS = { depth: 5, items: 4 };
const TEXT: ValueType = { kind: 'text', format: null };
const optional = (name: string, type: ValueType): Member => ({ name, type, nullable: true, required: false });
const PRODUCT: ObjectType = {
  kind: 'object',
  members: [
    optional('name', TEXT),
    optional('due', { kind: 'text', format: 'date' }),
    optional('stock', { kind: 'integer' }),
    { ...optional('price', { kind: 'number' }), nullable: false, required: true },
    optional('fragile', { kind: 'boolean' }),
    optional('tags', { kind: 'array', item: { type: TEXT, nullable: false } }),
    optional('matrix', {
      kind: 'array',
      item: { type: { kind: 'array', item: { type: { kind: 'integer' }, nullable: false } }, nullable: false },
    }),
    optional('address', { kind: 'object', members: [optional('city', TEXT)] }),
    optional('labels', { kind: 'map', value: { type: TEXT, nullable: false } }),
  ],
};

function read(form: string | Uint8Array): unknown {
  return readForm(typeof form === 'string' ? new TextEncoder().encode(form) : form, PRODUCT, LIMITS);
}

describe('a form', () => {
  it('[NEG-5] round-trips any value that a schema allows', () => {
    fc.assert(
      fc.property(typedValue(), ({ type, value }) => {
        const form = urlencoded(formPairs(value, type));
        assert.deepEqual(readForm(new TextEncoder().encode(form), type, { depth: 32, items: 10_000 }), value, form);
      }),
      { numRuns: 500 },
    );
  });

  const taken: readonly (readonly [form: string, value: object])[] = [
    ['', {}],
    ['name=a+b%20c&stock=5&price=-1.5&fragile=true', { name: 'a b c', stock: 5, price: -1.5, fragile: true }],
    ['name=&due=&stock=&fragile=&price=', { name: '', due: null, stock: null, fragile: null, price: '' }],
    ['stock=many', { stock: 'many' }],
    ['tags[]=a&tags[]=b', { tags: ['a', 'b'] }],
    ['tags%5B%5D=a&tags%5B%5D=', { tags: ['a', ''] }],
    ['tags=a&tags=b', { tags: ['a', 'b'] }],
    ['tags=a', { tags: ['a'] }],
    ['tags=', { tags: null }],
    ['tags[]', { tags: [] }],
    ['tags[1]=b&tags[0]=a', { tags: ['a', 'b'] }],
    ['matrix[0][]=1&matrix[0][]=2&matrix[1][]=3', { matrix: [[1, 2], [3]] }],
    ['address[city]=Oslo', { address: { city: 'Oslo' } }],
    ['address=', { address: null }],
    ['address[]', { address: {} }],
    ['labels[a b]=1&labels[%2525%255B]=2&labels[%25]=3', { labels: { 'a b': '1', '%[': '2', '': '3' } }],
    ['labels[caf%25C3%25A9]=1&labels[50%25]=2', { labels: { café: '1', '50%': '2' } }],
    ['name', { name: null }],
    ['name=é', { name: 'é' }],
    ['&&name=a&', { name: 'a' }],
    ['unknown=1&more[a]=2&list[]=3', { unknown: '1', more: { a: '2' }, list: ['3'] }],
    ['a]b=1', { 'a]b': '1' }],
  ];
  for (const [form, value] of taken) {
    it(`[NEG-5] reads ${JSON.stringify(form)}`, () => assert.deepEqual(read(form), value));
  }

  const refused: readonly (readonly [form: string | Uint8Array, says: RegExp])[] = [
    ['name=%', /percent sign/],
    ['name=%zz', /percent sign/],
    ['name=%FF', /percent sign/],
    ['name=%ED%A0%80', /percent sign/],
    ['name=%00', /NUL/],
    [new Uint8Array([0x61, 0x3d, 0xff]), /UTF-8/],
    ['name=a&name=b', /name: must be sent only once/],
    ['address=x&address[city]=y', /address: must be sent either with or without brackets/],
    ['address[]=x', /address: must not be a list/],
    ['tags[0]=a&tags[]=b', /tags: must be a list of/],
    ['tags[0]=a&tags[2]=b', /tags: must be a list of name\[\], or of name\[0\], name\[1\]/],
    ['tags[a]=a', /tags: must be a list of/],
    ['tags[]=1&tags[]=2&tags[]=3&tags[]=4&tags[]=5', /tags: must have at most 4 items/],
    ['tags[0]=&tags[1]=&tags[2]=&tags[3]=&tags[4]=', /tags: must have at most 4 items/],
    ['matrix[][0]=1', /number the items/],
    ['a[b][c][d][e][f]=1', /more than 5 levels/],
    ['__proto__=1', /__proto__/],
    ['labels[constructor]=1', /constructor/],
    ['labels[%25]=1&labels[%]=2', /percent sign/],
    ['labels[%255B]=1&labels[%255b]=2', /duplicate member \[/],
  ];
  for (const [form, says] of refused) {
    it(`[NEG-5] [REP-7] refuses ${JSON.stringify(form)}`, () => {
      assert.throws(
        () => read(form),
        (error) => error instanceof ApiError && error.status === 400 && says.test(error.message),
      );
    });
  }
});
