import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itemsDocument, listProblems, load } from '../../loading.ts';

/** Each with the members of the resource, and the problem at its path. */
const REFUSED: readonly (readonly [title: string, members: string, path: string, cause: RegExp])[] = [
  ['a key without a table', 'key: id', 'resources.items.key', /key needs table/],
  ['a column of a time without a table', 'created_at: at', 'resources.items.created_at', /created_at needs table/],
  ['a column of no field', 'table: t\ncolumns: { nmae: x }', 'resources.items.columns.nmae', /there is no field nmae/],
  ['ids of its own', 'table: t\nid: client', 'resources.items.id', /the values of its key/],
  ['events', 'table: t\nevents: thin', 'resources.items.events', /read-only/],
  ['tombstones', 'table: t\ntombstones: 1d', 'resources.items.tombstones', /read-only/],
  ['writes', 'table: t\nread_only: false', 'resources.items.read_only', /read-only/],
  ['idempotency keys', 'table: t\nidempotency: required', 'resources.items.idempotency', /read-only/],
  ['an unknown member', 'tabel: t', 'resources.items.tabel', /unknown/],
];

describe('the table of a resource', () => {
  for (const [title, members, path, cause] of REFUSED) {
    it(`is refused with ${title}, at its line`, () => {
      const [problem] = listProblems(itemsDocument('name: { type: string }', members));
      assert.equal(problem?.path, path);
      assert.match(problem.cause, cause);
      assert.ok(problem.line > 3);
    });
  }

  it('is refused next to resources of own rows, webhooks and versions', () => {
    const own = '  others: { schema: { type: object } }';
    const text = itemsDocument('name: { type: string }', 'table: t');
    const problems = listProblems(`${text}${own}\nwebhooks: {}\n`).map(({ path }) => path);
    assert.deepEqual(problems, ['resources.others', 'webhooks']);
  });

  it('makes it read-only, without events, ordered by its key, without times that have no column', () => {
    const { model } = load(itemsDocument('name: { type: string }', 'table: t\nupdated_at: changed'));
    const item = model.resources.get('items');
    assert.deepEqual([item?.readOnly, item?.events, item?.timeField], [true, 'none', null]);
    assert.deepEqual(item?.sort, [{ path: 'id', descending: false }]);
    assert.deepEqual([...(item?.properties.keys() ?? [])], ['id', 'name', 'updated_at', 'revision']);
  });
});
