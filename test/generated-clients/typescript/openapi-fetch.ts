import createClient from 'openapi-fetch';
import type { paths } from './openapi-typescript/api.js';
import { HEADERS, type IsAny, ORIGIN, print, required, TITLES } from './scenario.js';

const client = createClient<paths, 'application/json'>({
  baseUrl: ORIGIN,
  headers: HEADERS,
  querySerializer: { array: { style: 'form', explode: false } },
});

const author = await client.POST('/api/v2/authors', { body: { name: 'Ibsen', country: 'NO' } });
const author_id = required(author.data, author.error).id;
const created = [];
for (const [index, title] of TITLES.entries()) {
  const isbn = `openapi-fetch-${index}`;
  const { data, error } = await client.POST('/api/v2/books', {
    body: { isbn, title, price: '19.90', tags: ['old', 'red'], size: { unit: 'cm', height: 20 }, author_id },
  });
  created.push(required(data, error));
}
const first = required(created[0], created);
const isAny: IsAny<typeof first> = false;

const read = await client.GET('/api/v2/books/{id}', {
  params: { path: { id: first.id }, query: { expand: ['author'] } },
});
const book = required(read.data, read.error);

const pages = [];
for (let after: string | undefined; ; ) {
  const { data, error } = await client.GET('/api/v2/books', {
    params: { query: { author_id, sort: ['title', 'id'], 'status[in]': ['DRAFT', 'ACTIVE'], ...(after && { after }) } },
  });
  const page = required(data, error);
  pages.push(page.data.map(({ title }) => title));
  if (!page.page.has_more) break;
  after = required(page.page.next_cursor, page);
}

const headers = { 'Content-Type': 'application/merge-patch+json' };
const change = (title: string, tag: string) =>
  client.PATCH('/api/v2/books/{id}', {
    params: { path: { id: first.id }, header: { 'If-Match': tag } },
    body: { title },
    headers,
  });
const tag = required(read.response.headers.get('etag'), read);
const changed = required((await change('Ghosts', tag)).data, 'no data');
const refused = await change('Hedda', tag);
if (refused.error === undefined || !('errorCode' in refused.error)) throw new Error('not refused');
const { httpStatus, errorCode, details } = refused.error;
if (errorCode !== 'BOOK_PRECONDITION_FAILED') throw new Error(errorCode);

print({
  created: { title: first.title, tags: first.tags, price: first.price, unit: first.size?.unit },
  read: { title: book.title, author: book.author?.name },
  pages,
  changed: { title: changed.title, is_same_revision: isAny || changed.revision === first.revision },
  refused: { status: httpStatus, code: errorCode, details: details.length },
});
