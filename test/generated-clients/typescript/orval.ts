import { createAuthor, createBook, getBook, listBooks, patchBook } from './orval/api.js';
import { HEADERS, type IsAny, print, required, TITLES } from './scenario.js';

const options = { headers: HEADERS };
const author = await createAuthor({ name: 'Ibsen', country: 'NO' }, undefined, options);
if (author.status !== 201) throw new Error(String(author.status));
const author_id = author.data.id;
const created = [];
for (const [index, title] of TITLES.entries()) {
  const isbn = `orval-${index}`;
  const size = { unit: 'cm', height: 20 } as const;
  const body = { isbn, title, price: '19.90', tags: ['old', 'red'], size, author_id };
  const response = await createBook(body, undefined, options);
  if (response.status !== 201) throw new Error(String(response.status));
  created.push(response.data);
}
const first = required(created[0], created);
const isAny: IsAny<typeof first> = false;

const read = await getBook(first.id, { expand: ['author'] }, options);
if (read.status !== 200) throw new Error(String(read.status));

const pages = [];
for (let after: string | undefined; ; ) {
  const page = await listBooks({ author_id, sort: ['title', 'id'], 'status[in]': ['DRAFT', 'ACTIVE'], after }, options);
  if (page.status !== 200) throw new Error(String(page.status));
  pages.push(page.data.data.map(({ title }) => title));
  if (!page.data.page.has_more) break;
  after = required(page.data.page.next_cursor, page);
}

const tag = required(read.headers.get('etag'), read);
const change = (title: string) =>
  patchBook(first.id, { title }, undefined, { headers: { ...HEADERS, 'If-Match': tag } });
const changed = await change('Ghosts');
if (changed.status !== 200) throw new Error(String(changed.status));
const refused = await change('Hedda');
if (refused.status !== 412 || !('errorCode' in refused.data)) throw new Error(String(refused.status));
const { httpStatus, errorCode, details } = refused.data;

print({
  created: { title: first.title, tags: first.tags, price: first.price, unit: first.size?.unit },
  read: { title: read.data.title, author: read.data.author?.name },
  pages,
  changed: { title: changed.data.title, is_same_revision: isAny || changed.data.revision === first.revision },
  refused: { status: httpStatus, code: errorCode, details: details.length },
});
