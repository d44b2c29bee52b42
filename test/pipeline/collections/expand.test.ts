import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Store } from '../../../src/stores/store.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';
import { replacing } from '../support/replacing.ts';
import { create } from '../models/shop-model.ts';

const LIBRARY = `
name: library
version: 1.0.0
resources:
  countries: { id: client, schema: { type: object, properties: { name: { type: string } } } }
  authors:
    id: client
    schema:
      type: object
      properties:
        name: { type: string }
        secret: { type: string, writeOnly: true }
        country_id: { type: string, x-references: { resource: countries, inverse: authors } }
  books:
    id: client
    sort: title
    schema:
      type: object
      properties:
        title: { type: string }
        author_id: { type: string, x-references: { resource: authors, inverse: books } }
        similar_ids: { type: array, items: { type: string, x-references: { resource: books, inverse: alike } } }
  chapters: { id: client, parent: books, schema: { type: object, properties: { number: { type: integer } } } }
  notes:
    id: client
    parent: chapters
    schema:
      type: object
      properties: { text: { type: string }, answers_id: { type: string, x-references: { resource: notes, as: answers } } }
`;

/** Number of queries for related rows. */
let queries = 0;

function counting(store: Store): Store {
  const { rows } = store;
  return replacing(store, {
    lookup(plan) {
      queries += 1;
      return rows.lookup(plan);
    },
    related(plan) {
      queries += 1;
      return rows.related(plan);
    },
  });
}

let library: ApiUnderTest;
before(async () => {
  library = await apiUnderTest(LIBRARY, { breaking: counting });
  await create(library, 'countries', { id: 'no', name: 'Norway' });
  await create(library, 'authors', { id: 'ann', name: 'Ann', secret: 's', country_id: 'no' });
  await create(library, 'authors', { id: 'bob', name: 'Bob' });
  await create(library, 'books', { id: 'b1', title: 'One', author_id: 'ann' });
  await create(library, 'books', { id: 'b2', title: 'Two', author_id: 'ann', similar_ids: ['b1'] });
  await create(library, 'books', { id: 'b3', title: 'Three', author_id: 'bob', similar_ids: ['b1', 'b2'] });
  await create(library, 'books', { id: 'b4', title: 'Four' });
  await create(library, 'books/b1/chapters', { id: 'c1', number: 1 });
  await create(library, 'books/b1/chapters/c1/notes', { id: 'n1', text: 'x' });
  await create(library, 'books/b1/chapters/c1/notes', { id: 'n2', text: 'y', answers_id: 'n1' });
});
after(() => library.close());

const get = (target: string): Promise<Seen> => library.row({ send: `GET /api/v1/${target}`, status: 200 });

describe('an expanded relation', () => {
  it('[QRY-4] to one row is embedded before the links, as a whole resource, or null', async () => {
    const { body } = await get('books?expand=author');
    const [four, one] = body['data'];
    assert.equal(four.author, null);
    assert.deepEqual(one.author, (await get('authors/ann')).body);
    assert.deepEqual(Object.keys(one).slice(-2), ['author', 'links']);
  });

  it('[URL-5] takes an encoded comma as separator', async () => {
    const plain = await get('books/b1?expand=author,chapters');
    assert.ok('author' in plain.body && 'chapters' in plain.body, plain.text);
    assert.equal((await get('books/b1?expand=author%2Cchapters')).text, plain.text);
  });

  it('[QRY-4] [REP-11a] never contains write-only fields', async () => {
    assert.doesNotMatch((await get('books?expand=author')).text, /secret/);
  });

  it('[QRY-4] to many rows is the first page of its collection, with links', async () => {
    const { body } = await get('authors/ann?expand=books');
    const collection = await get('books?author_id=ann&limit=20');
    assert.deepEqual(body['books'], collection.body);
  });

  it('[QRY-4] to nested rows is the first page of the sub-collection', async () => {
    const { body } = await get('books/b1?expand=chapters.notes');
    const [chapter] = body['chapters'].data;
    assert.deepEqual(body['chapters'].links, (await get('books/b1/chapters?limit=20')).body['links']);
    assert.deepEqual(chapter.notes, (await get('books/b1/chapters/c1/notes?limit=20')).body);
    assert.deepEqual((await get('books/b4?expand=chapters')).body['chapters'].data, []);
  });

  it('[QRY-4] works for the inverse of an array of references', async () => {
    const { body } = await get('books/b1?expand=alike');
    const ids = body['alike'].data.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, ['b3', 'b2'], 'in the order of their collection');
    assert.deepEqual((await get(`books/b1`)).body['links'].alike, '/api/v1/books?similar_ids%5Bcontains%5D=b1');
    assert.deepEqual(body['alike'], (await get('books?similar_ids%5Bcontains%5D=b1&limit=20')).body);
  });

  it('[QRY-4] to a nested row has its own path', async () => {
    const { body } = await get('books/b1/chapters/c1/notes/n2?expand=answers,chapter');
    assert.deepEqual(body['answers'], (await get('books/b1/chapters/c1/notes/n1')).body);
    assert.deepEqual(body['chapter'], (await get('books/b1/chapters/c1')).body);
  });

  it('[QRY-4] has at most depth 3', async () => {
    const { body } = await get('countries/no?expand=authors.books.author');
    assert.equal(body['authors'].data[0].books.data[1].author.name, 'Ann');
    const refused = await library.row({
      send: 'GET /api/v1/countries/no?expand=authors.books.author.country',
      status: 400,
      has: { errorCode: 'QUERY_EXPAND_INVALID' },
    });
    assert.match(
      refused.body['details'][0].message,
      /^"authors\.books\.author\.country" is more than 3 relations deep/,
    );
  });

  it('[QRY-4] several relations, and several paths of one relation, are each embedded once', async () => {
    const { body } = await get('books/b1?expand=author.country,chapters,author.books');
    assert.deepEqual(Object.keys(body['author']).slice(-3), ['country', 'books', 'links']);
    assert.ok('chapters' in body);
  });

  for (const [expand, expected] of [
    ['author', 1],
    ['author.country', 2],
    ['author.country,chapters.notes,alike', 5],
    ['similar.similar.author', 3],
  ] as const) {
    it(`[QRY-4] costs one query per relation for any number of rows: ${expand}`, async () => {
      queries = 0;
      // A cached page needs no query.
      await get(`books?expand=${expand}&limit=${50 + expected}`);
      assert.equal(queries, expected);
    });
  }

  for (const [expand, message] of [
    ['autor', 'unknown relation "autor" of resource book; did you mean "author"?'],
    ['author.x', 'unknown relation "x" of resource author; known relations: country, books'],
    ['', 'unknown relation "" of resource book; known relations: author, similar, chapters, alike'],
    ['title', 'unknown relation "title" of resource book; known relations: author, similar, chapters, alike'],
  ] as const) {
    it(`[QRY-4] ${JSON.stringify(expand)} is rejected with the known relations`, async () => {
      await library.row({
        send: `GET /api/v1/books?expand=${expand}`,
        status: 400,
        has: { errorCode: 'QUERY_EXPAND_INVALID', details: [{ field: 'expand', message }] },
      });
    });
  }

  it('[CACHE-1] changes the ETag of the embedding resource', async () => {
    const first = await get('books/b3?expand=author');
    assert.notEqual(first.headers.get('etag'), (await get('books/b3')).headers.get('etag'));
    const tag = first.headers.get('etag') ?? '';
    await library.row({ send: 'GET /api/v1/books/b3?expand=author', headers: { 'If-None-Match': tag }, status: 304 });
    await library.row({
      send: 'PATCH /api/v1/authors/bob',
      body: { name: 'Rob' },
      status: 200,
      events: ['author.updated'],
    });
    await library.row({ send: 'GET /api/v1/books/b3?expand=author', headers: { 'If-None-Match': tag }, status: 200 });
    const { headers, body } = await get('books/b3?expand=author');
    assert.match(headers.get('etag') ?? '', new RegExp(`^"${body['revision']}\\.`));
  });

  it('[NEG-4] is supported in XML and NDJSON, and rejected for CSV', async () => {
    const xml = await library.send({
      send: 'GET /api/v1/books/b2?expand=author',
      headers: { Accept: 'application/xml' },
    });
    assert.match(xml.text, /<author><id>ann<\/id><name>Ann<\/name>/);
    const lines = await library.send({
      send: 'GET /api/v1/books?expand=author',
      headers: { Accept: 'application/x-ndjson' },
    });
    assert.equal(JSON.parse(lines.text.split('\n')[1] ?? '').author.id, 'ann');
    await library.row({
      send: 'GET /api/v1/books?expand=author',
      headers: { Accept: 'text/csv' },
      status: 400,
    });
  });
});

describe('the collection of a relation', () => {
  it('[REP-9c] [QRY-1] has one URL, also if its field has the name of a parameter', async () => {
    await using shop = await apiUnderTest(`
name: shop
version: 1.0.0
resources:
  things:
    id: client
    schema:
      type: object
      properties: { offset: { type: string, x-references: { resource: things, as: off, inverse: offs } } }
`);
    await create(shop, 'things', { id: 'a' });
    await create(shop, 'things', { id: 'b', offset: 'a' });
    const { body } = await shop.row({ send: 'GET /api/v1/things/a?expand=offs', status: 200 });
    assert.equal(body['links'].offs, '/api/v1/things?filter%5Boffset%5D=a');
    const followed = await shop.row({ send: `GET ${body['links'].offs}&limit=20`, status: 200 });
    assert.deepEqual(followed.body, body['offs']);
  });
});

describe('an expansion of many rows', () => {
  it('[QRY-4] contains at most 16 MiB of them', async () => {
    // An index, as that of a default sort, holds no such titles.
    await using shop = await apiUnderTest(LIBRARY.replace('    sort: title\n', ''));
    await create(shop, 'authors', { id: 'a' });
    for (let index = 0; index < 18; index += 1) {
      await create(shop, 'books', { id: `b${index}`, author_id: 'a', title: 'x'.repeat(1_000_000) });
    }
    const { body } = await shop.row({
      send: 'GET /api/v1/authors/a?expand=books',
      status: 400,
      has: { errorCode: 'QUERY_EXPAND_INVALID' },
    });
    assert.match(body['details'][0].message, /16777216 characters/);
  });

  it('[QRY-4] contains 20 per relation, and rejects more than 1,000 in total', async () => {
    await using shop = await apiUnderTest(LIBRARY);
    for (const author of Array.from({ length: 60 }, (_, index) => `a${index}`)) {
      await create(shop, 'authors', { id: author });
      const operations = Array.from({ length: 25 }, (_, index) => ({
        method: 'POST',
        path: '/books',
        body: { id: `${author}-${index}`, title: String(index).padStart(2, '0'), author_id: author },
      }));
      await shop.send({ send: 'POST /api/v1/batches', body: { operations } });
    }
    await shop.newEvents();
    const response = await shop.row({ send: 'GET /api/v1/authors?expand=books&limit=50', status: 200 });
    const [{ books }] = response.body['data'];
    assert.deepEqual([books.data.length, books.page.has_more], [20, true]);
    const rest = await shop.row({ send: `GET ${books.links.next}`, status: 200 });
    assert.deepEqual(
      rest.body['data'].map(({ title }: { title: string }) => title),
      ['20', '21', '22', '23', '24'],
    );
    for (const target of ['authors?expand=books&limit=51', 'authors?expand=books.author&limit=26']) {
      // A precondition does not change an error (RFC 9110 13.2.1).
      for (const headers of [{}, { 'If-None-Match': '*' }, { 'If-Match': '"0"' }]) {
        const refused = { status: 400, has: { errorCode: 'QUERY_EXPAND_INVALID' } };
        await shop.row({ send: `GET /api/v1/${target}`, headers, ...refused });
      }
    }
  });
});
