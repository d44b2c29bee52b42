import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseQuery } from '../../../src/conventions/url/query.ts';
import { readSelection } from '../../../src/plan/list/selection.ts';
import { compiled, itemsDocument, readQuery, compileRule } from '../rules.ts';

const PROPERTIES = [
  'name: { type: string }',
  'size: { type: integer }',
  'other_id: { type: string, x-references: others }',
].join(', ');
const rule = compileRule(compiled(itemsDocument(PROPERTIES, '{"search":["name"],"indexes":[["name"]]}'), 'items'));

const shape = (text: string) => rule.shapeOf(parseQuery(text));
const queryFingerprint = (text: string) => readSelection(rule, parseQuery(text));
const plan = (text: string) => readQuery(rule, text).plan;

describe('the shape of a query', () => {
  it('[QRY-1] is compiled once for all values of the same names', () => {
    assert.equal(shape('name=a&size[gte]=1&sort=name'), shape('name=b&size[gte]=2&sort=-size'));
    assert.notEqual(shape('name=a&size[gte]=1'), shape('size[gte]=1&name=a'));
    assert.notEqual(shape('name=a'), shape('name=a&name=b'));
  });

  it('[QRY-1] [PAGE-6] keeps the values of each query apart, however often its shape was used', () => {
    for (const [name, size] of [
      ['a', 1],
      ['b', 2],
      ['c,d', 3],
    ] as const) {
      const query = readQuery(rule, `any[2][size]=${size}&any[1][name][in]=${name}&other.name=x${size}&q=w${size}`);
      assert.deepEqual(query.plan.filter, [
        {
          operator: 'related',
          relation: { resource: 'others', field: 'other_id', inverse: false },
          conditions: [{ path: 'name', operator: 'in', values: [`x${size}`] }],
        },
        {
          operator: 'any',
          alternatives: [
            [{ path: 'name', operator: 'in', values: name.split(',') }],
            [{ path: 'size', operator: 'in', values: [size] }],
          ],
        },
        { operator: 'search', words: [`w${size}`] },
      ]);
      assert.equal(
        query.linkQuery,
        `other.name=x${size}&any%5B1%5D%5Bname%5D%5Bin%5D=${name}&any%5B2%5D%5Bsize%5D=${size}&q=w${size}&limit=20`,
      );
    }
  });

  it('[QRY-3] [PAGE-10] costs what its values cost: one value of an indexed field leaves the index in order, several do not', () => {
    assert.equal(plan('name[in]=a&sort=id').effort, 'light');
    assert.equal(plan('name[in]=a,b&sort=id').effort, 'unbounded');
    assert.equal(plan('name[in]=a&sort=id').effort, 'light');
    assert.equal(plan('name[in]=a&sort=size').effort, 'unbounded');
  });

  it('[PAGE-6] names in a cursor the keys of the order, then the compared paths, each with its type', () => {
    const { cursorFingerprint } = queryFingerprint('size[gte]=1&name=a&start_time=2026-01-01T00:00:00Z&sort=-size');
    assert.equal(cursorFingerprint, '-size:integer -id:text  created_at:date-time name:text size:integer');
    assert.equal(queryFingerprint('sort=name').cursorFingerprint, 'name:text id:text ');
  });

  it('[URL-5] separates names that contain what could separate them', () => {
    assert.notEqual(shape('name%22%2C%22size=1'), shape('name=1&size=1'));
  });
});
