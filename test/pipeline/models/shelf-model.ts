import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create } from './shop-model.ts';

/** Resources with different cache settings, and relations between them. */
export const SHELF = `
name: shelf
version: 1.4.2
resources:
  genres: { id: client, cache: { max_age: 30, scope: public }, schema: { type: object, properties: { name: { type: string } } } }
  readers: { id: client, cache: { max_age: 90, scope: private }, schema: { type: object, properties: { name: { type: string } } } }
  drafts: { id: client, schema: { type: object, properties: { text: { type: string } } } }
  books:
    id: client
    cache: { max_age: 60, scope: public }
    schema:
      type: object
      properties:
        title: { type: string }
        genre_id: { type: string, x-references: { resource: genres, inverse: books } }
        reader_id: { type: string, x-references: { resource: readers, inverse: books } }
        draft_id: { type: string, x-references: { resource: drafts, inverse: books } }
  pages: { id: client, parent: books, schema: { type: object, properties: { text: { type: string } } } }
`;

/** A shelf with one row of each resource: `g`, `r`, `d`, `b` and `p`, old enough for `Last-Modified`. */
export async function filledShelf(): Promise<ApiUnderTest> {
  const shelf = await apiUnderTest(SHELF);
  await create(shelf, 'genres', { id: 'g', name: 'Novel' });
  await create(shelf, 'readers', { id: 'r', name: 'Ann' });
  await create(shelf, 'drafts', { id: 'd', text: 'x' });
  await create(shelf, 'books', { id: 'b', title: 'One', genre_id: 'g', reader_id: 'r', draft_id: 'd' });
  await create(shelf, 'books/b/pages', { id: 'p', text: 'é'.repeat(2_000) });
  shelf.clock.advance(60_000);
  return shelf;
}
