import { client } from './hey-api/client.gen.js';
import { createAuthor, createBook, getBook, listBooks, patchBook } from './hey-api/index.js';
import { type IsAny, ORIGIN, print, required, TITLES } from './scenario.js';

client.setConfig({ baseUrl: ORIGIN, auth: () => process.env['API_TOKEN'] });

const author = await createAuthor({ body: { name: 'Ibsen', country: 'NO' } });
const author_id = required(author.data, author.error).id;
const created = [];
for (const [index, title] of TITLES.entries()) {
  const { data, error } = await createBook({
    body: {
      isbn: `hey-api-${index}`,
      title,
      price: '19.90',
      tags: ['old', 'red'],
      size: { unit: 'cm', height: 20 },
      author_id,
    },
  });
  created.push(required(data, error));
}
const first = required(created[0], created);
const isAny: IsAny<typeof first> = false;

const read = await getBook({ path: { id: first.id }, query: { expand: ['author'] } });
const book = required(read.data, read.error);

const pages = [];
for (let after: string | undefined; ; ) {
  const query = {
    author_id,
    sort: ['title' as const, 'id' as const],
    'status[in]': ['DRAFT' as const, 'ACTIVE' as const],
    after,
  };
  const { data, error } = await listBooks({ query });
  const page = required(data, error);
  pages.push(page.data.map(({ title }) => title));
  if (!page.page.has_more) break;
  after = required(page.page.next_cursor, page);
}

const tag = required(read.response?.headers.get('etag'), read);
const change = (title: string) => patchBook({ path: { id: first.id }, headers: { 'If-Match': tag }, body: { title } });
const changed = required((await change('Ghosts')).data, 'no data');
const { error } = await change('Hedda');
if (error === undefined || !('errorCode' in error)) throw new Error('not refused');
if (error.errorCode !== 'BOOK_PRECONDITION_FAILED') throw new Error(error.errorCode);

print({
  created: { title: first.title, tags: first.tags, price: first.price, unit: first.size?.unit },
  read: { title: book.title, author: book.author?.name },
  pages,
  changed: { title: changed.title, is_same_revision: isAny || changed.revision === first.revision },
  refused: { status: error.httpStatus, code: error.errorCode, details: error.details.length },
});
