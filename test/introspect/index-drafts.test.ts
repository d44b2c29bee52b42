import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load } from '../model/loading.ts';
import { modelOver, resourceLines } from './table-drafts.ts';

const TABLES = `
create table genre (id integer primary key, name text);
create table film (
  film_id integer primary key, title text, year int, code text unique, picture blob, genre integer references genre,
  last_update text not null, a int, b int, unique (a, b)
);
insert into film values (1, 'First', 2004, 'x', x'00', null, '2004-01-02 03:04:05', 1, 1);
`;

/** Indexes, and those of the model. */
const INDEXES: readonly [title: string, sql: string, indexes: readonly (readonly string[])[]][] = [
  ['a column', 'create index i on film (title)', [['title']]],
  ['several columns', 'create index i on film (title, year)', [['title', 'year']]],
  ['the columns before one that is no scalar field', 'create index i on film (title, picture, year)', [['title']]],
  [
    'a reference, a time and the key, by their names',
    'create index i on film (genre, last_update, film_id)',
    [['genre_id', 'updated_at', 'id']],
  ],
  ['columns in one descending order', 'create index i on film (title desc, year desc)', [['title', 'year']]],
  ['no columns in two directions', 'create index i on film (title, year desc)', []],
  ['no part of all rows', 'create index i on film (title) where year > 1', []],
  ['no expression', 'create index i on film (lower(title))', []],
  ['no unique fields, which are indexed anyway', 'create unique index i on film (year)', []],
  ['each once', 'create index i on film (title); create index j on film (title)', [['title']]],
];

describe('the indexes of a resource over a table', () => {
  for (const [title, sql, indexes] of INDEXES) {
    it(`have ${title}`, async (context) => {
      const { model } = load(await modelOver(context, `${TABLES} ${sql}`));
      assert.deepEqual(model.resources.get('films')?.indexes, indexes);
    });
  }

  it('have the columns of a key of several, which filters can name one by one', async (context) => {
    const sql = 'create table line (film int, number int, text text, primary key (film, number)) without rowid';
    assert.ok(resourceLines(await modelOver(context, sql), 'lines').includes('indexes: [[film, number]]'));
  });
});
