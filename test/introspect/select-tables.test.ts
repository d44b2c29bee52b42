import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CatalogueEntry } from '../../src/introspect/database.ts';
import { selectTables, UnknownTable } from '../../src/introspect/select-tables.ts';
import { modelOver, readField } from './table-drafts.ts';

const entries = ['actor', 'film', 'Film_Actor', 'film.(x)', 'store'].map(
  (name): CatalogueEntry => ({ name, schema: null, kind: 'table', closed: null }),
);

const select = (tables: readonly string[], exclude: readonly string[] = []): readonly string[] =>
  selectTables(entries, { tables, exclude }).map(({ name }) => name);

describe('the selection of tables', () => {
  const selections: readonly [title: string, selected: readonly string[], expected: readonly string[]][] = [
    ['has all tables without patterns', select([]), ['actor', 'film', 'Film_Actor', 'film.(x)', 'store']],
    ['has the tables of each pattern', select(['film*', 'ACTOR']), ['actor', 'film', 'Film_Actor', 'film.(x)']],
    ['has a question mark for one character', select(['st?re']), ['store']],
    ['reads all other characters as they are', select(['film.(x)']), ['film.(x)']],
    ['leaves out the excluded tables', select([], ['*actor']), ['film', 'film.(x)', 'store']],
    ['leaves out excluded tables that are named too', select(['film*'], ['film_*']), ['film', 'film.(x)']],
  ];
  for (const [title, selected, expected] of selections) {
    it(title, () => {
      assert.deepEqual(selected, expected);
    });
  }

  const unknown: readonly [title: string, tables: readonly string[], exclude: readonly string[], message: string][] = [
    ['names the nearest table', ['flim'], [], "there is no table 'flim'; did you mean 'film'?"],
    ['names none where none is near', ['customers'], [], "there is no table 'customers'."],
    ['is for patterns, too', ['x*'], [], "no table matches 'x*'."],
    ['is for excluded tables, too', [], ['stores'], "there is no table 'stores'; did you mean 'store'?"],
  ];
  for (const [title, tables, exclude, message] of unknown) {
    it(`refuses a name without a table: the error ${title}`, () => {
      const part = tables.length > 0 ? 'tables' : 'exclude';
      assert.throws(
        () => select(tables, exclude),
        (error) => error instanceof UnknownTable && error.message === message && error.part === part,
      );
    });
  }

  it('is in the model: references to other tables are comments', async (context) => {
    const sql = `create table film (id integer primary key, store_id int references store);
      create table store (id integer primary key); create table actor (id integer primary key)`;
    const model = await modelOver(context, sql, { tables: ['*'], exclude: ['store', 'actor'] });
    assert.match(model, /^# Left out by --tables and --exclude: 2 tables or views\.$/m);
    assert.equal(
      readField(model, 'films', 'store_id'),
      '{ type: integer } # no reference: it refers to store, which is not in this model',
    );
    assert.doesNotMatch(model, /^ {2}(?:stores|actors):/m);
  });
});
