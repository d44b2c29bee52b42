import { ask } from './ask.ts';
import { type Dialect, type PageQuestion, pathOfPage } from './dialect.ts';
import { type LoadRequest, NUMBER } from './requests.ts';
import type { WorkId } from './work-id.ts';
import type { Order } from './wrk.ts';
import { CATEGORIES, HIGHEST_PRICE, product } from './products.ts';

/** A server as work is asked of it. */
export interface Asked {
  readonly dialect: Dialect;
  /** The ids of all rows, in no order. */
  readonly ids: readonly string[];
  readonly port: number;
}

/** A kind of work: a row of the table. */
export interface Work {
  readonly id: WorkId;
  readonly title: string;
  readonly connections: number;
  readonly order: Order;
  /** Statuses that say that it was done. */
  readonly expects: readonly number[];
  readonly requests: (asked: Asked) => readonly LoadRequest[] | Promise<readonly LoadRequest[]>;
}

const MANY = 32;
const HOT = 5_000;
const TAGGED = 500;
const DEEP = 90_000;

export const WORKS: readonly Work[] = [
  { ...read('by-id', 'one resource by id, random among all', byIds), order: 'drawn' },
  { ...read('by-id-hot', 'one resource by id, random among 5,000', hotByIds), order: 'drawn' },
  read('page', 'page of 20, always the same', ({ dialect }) => [page(dialect, {})]),
  read('pages', 'page of 20, each another', ({ dialect, ids }) => ids.map((after) => page(dialect, { after }))),
  read('filtered', 'page of 20, filtered and sorted, of 20 the same', ({ dialect }) =>
    CATEGORIES.map((category) => page(dialect, { category, sort: 'price' })),
  ),
  read('filtered-pages', 'page of 20, filtered and sorted, each another', ({ dialect, ids }) =>
    ids.map((_, index) => page(dialect, { ...rangeOf(index, ids.length), sort: 'price' })),
  ),
  { ...read('not-modified', '304 by `If-None-Match`', tagged), expects: [304] },
  read('deep-page', 'page at offset 90,000', ({ dialect }) => [page(dialect, { offset: DEEP })]),
  write('post', 'durable POST, 32 writers', MANY, ({ dialect }) => [post(dialect)]),
  write('patch', 'durable PATCH, 32 writers', MANY, ({ dialect, ids }) => ids.map((id) => patch(dialect, id))),
  write('post-alone', 'durable POST, one writer', 1, ({ dialect }) => [post(dialect)]),
  write('patch-alone', 'durable PATCH, one writer', 1, ({ dialect, ids }) => ids.map((id) => patch(dialect, id))),
  read('mixed', '90 % by id, 5 % pages, 5 % durable PATCH', ({ dialect, ids }) =>
    ids.map((id, index) => mixed(dialect, id, index)),
  ),
];

function read(id: WorkId, title: string, requests: Work['requests']): Work {
  return { id, title, connections: MANY, order: 'in-turn', expects: [200], requests };
}

function write(id: WorkId, title: string, connections: number, requests: Work['requests']): Work {
  return { id, title, connections, order: 'in-turn', expects: [200, 201], requests };
}

function byIds({ dialect, ids }: Asked): readonly LoadRequest[] {
  return ids.map((id) => byId(dialect, id));
}

function hotByIds(asked: Asked): readonly LoadRequest[] {
  return byIds({ ...asked, ids: asked.ids.slice(0, HOT) });
}

function byId({ collection }: Dialect, id: string): LoadRequest {
  return { method: 'GET', path: `${collection}/${id}` };
}

function page(dialect: Dialect, question: PageQuestion): LoadRequest {
  return { method: 'GET', path: pathOfPage(dialect, question) };
}

/** Each index another category and price, so spread that no two pages are the same and each is full. */
function rangeOf(index: number, length: number): PageQuestion {
  const step = (index * 7919) % length;
  const category = CATEGORIES[index % CATEGORIES.length];
  return { ...(category === undefined ? {} : { category }), priceFrom: (step / length) * HIGHEST_PRICE * 0.9 };
}

function post({ collection }: Dialect): LoadRequest {
  return { method: 'POST', path: collection, body: JSON.stringify({ ...product(1), sku: `N-${NUMBER}` }) };
}

function patch({ collection }: Dialect, id: string): LoadRequest {
  const body = JSON.stringify({ name: `Changed ${NUMBER}`, stock: 5 });
  return { method: 'PATCH', path: `${collection}/${id}`, body };
}

function mixed(dialect: Dialect, id: string, index: number): LoadRequest {
  if (index % 20 === 7) return page(dialect, { after: id });
  return index % 20 === 17 ? patch(dialect, id) : byId(dialect, id);
}

/** Resources with the tags that the server tells. */
async function tagged({ dialect, ids, port }: Asked): Promise<readonly LoadRequest[]> {
  const requests: LoadRequest[] = [];
  for (const id of ids.slice(0, TAGGED)) {
    const request = byId(dialect, id);
    const { tag } = await ask(port, request);
    requests.push({ ...request, headers: { 'If-None-Match': tag } });
  }
  return requests;
}
