import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FilterCondition, PathCondition, RelationKey } from '../../src/plan/condition.ts';
import { filterKey } from '../../src/plan/filter-key.ts';
import { throwsApiError } from '../conventions/throws-api-error.ts';
import { compiled, readQuery, compileRule, readFilters } from './rules.ts';

const DOCUMENT = `
name: shop
version: 1.0.0
resources:
  makers: { schema: { type: object, properties: { name: { type: string }, size: { type: integer } } } }
  items:
    schema:
      type: object
      properties:
        name: { type: string }
        any: { type: string }
        filter: { type: string }
        maker_id: { type: string, x-references: { resource: makers, inverse: items } }
  parts: { parent: items, schema: { type: object, properties: { name: { type: string } } } }
`;
const of = compiled(DOCUMENT, 'items');
const read = (text: string): readonly FilterCondition[] => readFilters(text, of.filters);

const is = (path: string, ...values: readonly (string | number)[]): PathCondition => ({ path, operator: 'in', values });
const related = (relation: RelationKey, ...conditions: readonly PathCondition[]) =>
  ({ operator: 'related', relation, conditions }) as const;
const MAKER: RelationKey = { resource: 'makers', field: 'maker_id', inverse: false };
const PARTS: RelationKey = { resource: 'parts', field: 'item_id', inverse: true };

describe('the conditions of a filter', () => {
  const rows: readonly (readonly [query: string, conditions: readonly FilterCondition[]])[] = [
    ['maker.name=a', [related(MAKER, is('name', 'a'))]],
    [
      'maker.name=a&name=b&maker.size[in]=1,2&parts.name=c',
      [related(MAKER, is('name', 'a'), is('size', 1, 2)), is('name', 'b'), related(PARTS, is('name', 'c'))],
    ],
    ['any[1][name]=a', [is('name', 'a')]],
    [
      'any[2][name]=a&name=c&any[1][name]=b&any[2][maker.size]=1&any[2][maker.name]=d',
      [
        is('name', 'c'),
        {
          operator: 'any',
          alternatives: [[is('name', 'b')], [is('name', 'a'), related(MAKER, is('size', 1), is('name', 'd'))]],
        },
      ],
    ],
    ['any=a', [is('any', 'a')]],
    ['any[in]=a,b', [is('any', 'a', 'b')]],
    ['filter=a&filter[filter]=b', [is('filter', 'a'), is('filter', 'b')]],
    ['any[1][any]=a', [is('any', 'a')]],
  ];
  for (const [query, conditions] of rows) {
    it(`[QRY-1] are plain data: ${query}`, () => assert.deepEqual(read(query), conditions));
  }

  it('[QRY-2] of all groups share the limit of ten thousand values', () => {
    const list = Array.from({ length: 5_000 }, (_, index) => `v${index}`).join(',');
    assert.equal(read(`any[1][name][in]=${list}&any[2][maker.name][in]=${list}`).length, 1);
    const { details } = throwsApiError(
      () => read(`any[1][name][in]=${list}&any[2][maker.name][in]=${list},more`),
      'QUERY_FILTER_INVALID',
    );
    assert.equal(details[0]?.field, 'any[2][maker.name][in]');
  });

  it('[PAGE-6] have one key, whatever their order', () => {
    const key = (query: string): string => filterKey(read(query));
    const some = 'maker.name=a&maker.size=1&any[1][name]=x&any[1][parts.name]=p&any[2][any]=y';
    const same = 'any[3][parts.name]=p&any[1][any]=y&maker.size=1&any[3][name]=x&maker.name=a&any[4][any]=y';
    assert.equal(key(some), key(same));
    for (const other of [
      some.replace('maker.size=1', 'maker.size=2'),
      some.replace('any[2][any]=y', 'any[1][any]=y'),
      some.replace('parts.name', 'maker.name'),
    ]) {
      assert.notEqual(key(some), key(other), other);
    }
  });

  it('[PAGE-6] are in the fingerprint of a cursor with their relation and type', () => {
    const token = readQuery(compileRule(of), 'any[1][maker.size]=1&any[2][parts.name]=x').cursorAt(null, false);
    assert.ok(
      Buffer.from(token, 'base64url').toString().includes('maker_id>makers.size:integer parts<item_id.name:text'),
    );
  });
});
