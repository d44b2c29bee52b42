import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { writeText, writeTextList } from '../../../src/formats/text.ts';
import { writeXml } from '../../../src/formats/xml.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';
import { create } from '../models/shop-model.ts';

const MODEL = `
name: library
version: 1.0.0
resources:
  authors: { id: client, schema: { type: object, properties: { name: { type: string } } } }
  books:
    id: client
    schema:
      type: object
      properties:
        text: { type: string }
        lines: { type: array, items: { type: string } }
        author_id: { type: string, x-references: { resource: authors, inverse: books } }
`;

const LARGE = { text: '<&\\\u{1f600}é'.repeat(60_000), lines: Array.from({ length: 5_000 }, (_, at) => `line ${at}`) };

describe('an expansion of large rows', () => {
  let library: ApiUnderTest;
  before(async () => {
    library = await apiUnderTest(MODEL);
    await create(library, 'authors', { id: 'ann', name: 'Ann' });
    await create(library, 'authors', { id: 'bob', name: 'Bob' });
    for (const id of ['b1', 'b2', 'b3']) await create(library, 'books', { id, ...LARGE, author_id: 'ann' });
    await create(library, 'books', { id: 'b4', text: 'short', author_id: 'ann' });
    await create(library, 'books', { id: 'b5', text: 'short', author_id: 'bob' });
  });
  after(() => library.close());

  const get = (target: string, type = 'application/json'): Promise<Seen> =>
    library.row({ send: `GET /api/v1/${target}`, headers: { Accept: type }, status: 200 });

  it('[QRY-4] embeds the first page of their collection', async () => {
    const { body, text } = await get('authors/ann?expand=books');
    assert.deepEqual(body['books'], (await get('books?author_id=ann&limit=20')).body);
    assert.deepEqual(Object.keys(body).slice(-2), ['books', 'links']);
    assert.equal(text, JSON.stringify(body));
  });

  it('[QRY-4] embeds a large row in a small one, and both in another', async () => {
    const { body } = await get('books/b1?expand=author.books.author');
    const { body: author } = await get('authors/ann?expand=books.author');
    assert.deepEqual(body['author'], author);
    assert.deepEqual(author['books'].data[3].author, (await get('authors/ann')).body);
  });

  for (const target of ['authors/ann?expand=books', 'authors/ann?expand=books.author']) {
    it(`[NEG-4] [NEG-6] has the same members in every format: ${target}`, async () => {
      const { body } = await get(target);
      assert.equal((await get(target, 'application/xml')).text, writeXml('author', body));
      assert.equal((await get(target, 'text/plain')).text, writeText(body));
    });
  }

  it('[NEG-4] [NEG-6] has the same members in every format of a page', async () => {
    const target = 'authors?expand=books';
    const { body } = await get(target);
    const { data, page, links } = body;
    assert.deepEqual(
      data[0].books.data,
      (await get(`${data[0].links.books}&limit=20`.replace('/api/v1/', ''))).body.data,
    );
    const xml = (await get(target, 'application/xml')).text;
    const elements = writeXml('collection', { data, page, links }).replaceAll('item>', 'author>');
    assert.equal(xml.replaceAll('item>', 'author>'), elements);
    assert.equal((await get(target, 'text/plain')).text, writeTextList(data));
    const lines = (await get(target, 'application/x-ndjson')).text.trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      data,
    );
  });

  it('[CACHE-1] is tagged by its bytes', async () => {
    const first = await get('authors/ann?expand=books');
    const etag = first.headers.get('etag') ?? '';
    const headers = { 'If-None-Match': etag };
    await library.row({ send: 'GET /api/v1/authors/ann?expand=books', headers, status: 304 });
    await library.row({ send: 'HEAD /api/v1/authors/ann?expand=books', status: 200, expectHeaders: { ETag: etag } });
  });
});
