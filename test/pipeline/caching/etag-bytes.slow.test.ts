import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ApiUnderTest, ExchangeRow, Seen } from '../support/api-under-test.ts';
import { filledShelf } from '../models/shelf-model.ts';

type Request = Pick<ExchangeRow, 'send' | 'headers' | 'body'>;
type Choice = Readonly<Record<string, string>>;

const PATHS = ['/books', '/books/b', '/genres', '/genres/g', '/books/b/pages', '/books/b/pages/p', ''];
const RELATIONS: Readonly<Record<string, readonly string[]>> = {
  books: ['genre', 'reader', 'pages', 'genre.books'],
  genres: ['books', 'books.reader', 'books.pages'],
  pages: ['book'],
};
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  books: ['title', 'title,genre_id', 'genre_id,title', 'created_at'],
  genres: ['name', 'updated_at'],
  pages: ['text', 'created_at'],
};
const PAGES = [
  '',
  'limit=1',
  'limit=100',
  'limit=1000',
  'page=1',
  'offset=1',
  'sort=-id',
  'include_total=true',
  'id[gte]=b',
];

const accept = fc.constantFrom<Choice>(
  {},
  { Accept: 'application/xml' },
  { Accept: 'text/plain' },
  { Accept: 'text/csv, */*;q=0.1' },
  { Accept: 'application/vnd.shelf.v1+json' },
  { Accept: 'application/vnd.shelf.v1.4+json' },
);
const preference = fc.constantFrom<Choice>({}, {}, { Prefer: 'handling=lenient' });
const carrier = fc.constantFrom<readonly [base: string, query: string, headers: Choice]>(
  ['/api/v1', '', {}],
  ['/api', '', {}],
  ['/api', 'api_version=1', {}],
  ['/api', 'api_version=1.4.2', {}],
  ['/api', '', { 'API-Version': '1.4' }],
);

const read = fc
  .record({ path: fc.constantFrom(...PATHS), accept, preference, carrier, part: fc.nat(100) })
  .map(({ path, accept: type, preference: preferred, carrier: [base, version, said], part }): Request => {
    const query = [chooseQuery(path, part), version].filter((each) => each !== '').join('&');
    const target = `${base}${path}${query === '' ? '' : `?${query}`}`;
    return { send: `GET ${target}`, headers: { ...type, ...preferred, ...said } };
  })
  // CSV cannot represent related rows.
  .filter(({ send, headers }) => !(send.includes('expand=') && headers?.['Accept']?.startsWith('text/csv')));

/** Chooses a query that the path supports. */
function chooseQuery(path: string, part: number): string {
  const segments = path.split('/');
  const isItem = segments.length % 2 === 1;
  const resource = segments.at(isItem ? -2 : -1) ?? '';
  const pick = (from: readonly string[]): string => from[part % from.length] ?? '';
  if (path === '') return '';
  switch (part % 3) {
    case 0:
      return `fields=${pick(FIELDS[resource] ?? [])}`;
    case 1:
      return resource === 'pages' ? '' : `expand=${pick(RELATIONS[resource] ?? [])}`;
    default:
      return isItem ? '' : pick(PAGES);
  }
}

const text = fc.constantFrom('One', 'Two', 'Three', null);
const write = fc.oneof(
  text.map((title): Request => ({ send: 'PATCH /api/v1/books/b', body: { title } })),
  fc.constantFrom('g', null).map((id): Request => ({ send: 'PATCH /api/v1/books/b', body: { genre_id: id } })),
  text.map((name): Request => ({ send: 'PATCH /api/v1/genres/g', body: { name } })),
  text.map((name): Request => ({ send: 'PATCH /api/v1/readers/r', body: { name } })),
  fc
    .constantFrom('c', 'd')
    .map((id): Request => ({ send: `PUT /api/v1/books/${id}`, body: { title: id, genre_id: 'g' } })),
  fc.constantFrom('c', 'd').map((id): Request => ({ send: `DELETE /api/v1/books/${id}` })),
  fc
    .constantFrom('p', 'q')
    .map((id): Request => ({ send: `PUT /api/v1/books/b/pages/${id}`, body: { text: 'z'.repeat(1_500) } })),
  fc.constant<Request>({ send: 'DELETE /api/v1/books/b/pages/q' }),
);

/** Digests the content that an ETag identifies: bytes, media type and coding. */
function digestContent({ headers, bytes }: Seen): string {
  const digest = createHash('sha256').update(bytes).digest('base64url');
  return JSON.stringify([headers.get('content-type'), headers.get('content-encoding') ?? null, digest]);
}

const CODINGS: readonly Choice[] = [{}, { 'Accept-Encoding': 'gzip' }];

/**
 * Reads in every coding and compares with all earlier content of the same ETag.
 *
 * @param known content by path and ETag
 */
async function checkTags(shelf: ApiUnderTest, { send, headers }: Request, known: Map<string, string>): Promise<void> {
  for (const coding of CODINGS) {
    const coded = { ...headers, ...coding };
    const seen = await shelf.send({ send, headers: coded });
    assert.equal(seen.status, 200, `${send}: ${seen.text}`);
    const tag = seen.headers.get('etag') ?? '';
    const key = `${send.replace(/^GET \/api(?:\/v1)?|\?.*$/g, '')} ${tag}`;
    const content = digestContent(seen);
    assert.equal(known.get(key) ?? content, content, `${send}: ${tag} stands for two contents`);
    known.set(key, content);
    const again = await shelf.send({ send, headers: { ...coded, 'If-None-Match': tag } });
    assert.equal(again.status, 304, `${send}: ${tag} is not known again`);
  }
}

describe('an ETag', () => {
  it('[CACHE-1] never identifies two contents, for any path, version, fields, expand, page, type, coding and writes in between', async () => {
    const reads = fc.array(read, { minLength: 1, maxLength: 10, size: 'max' });
    const writes = fc.array(write, { maxLength: 5, size: 'max' });
    const law = fc.asyncProperty(reads, writes, async (asked, changes) => {
      await using shelf = await filledShelf();
      const known = new Map<string, string>();
      for (const request of asked) await checkTags(shelf, request, known);
      for (const change of changes) {
        await shelf.send(change);
        for (const request of asked) await checkTags(shelf, request, known);
      }
    });
    await fc.assert(law, { numRuns: 60 });
  });
});
