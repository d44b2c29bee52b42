import { sendRequest } from './send-request.ts';
import { type QueryDialect, type PageQuery, pagePath } from './query-dialect.ts';
import { type LoadRequest, SERIAL } from './requests.ts';
import type { WorkloadId } from './workload-id.ts';
import type { RequestOrder } from './wrk.ts';
import { CATEGORIES, HIGHEST_PRICE, product } from './products.ts';

/** The server that a workload runs on. */
interface WorkloadContext {
  readonly dialect: QueryDialect;
  /** The ids of all rows in random order. */
  readonly ids: readonly string[];
  readonly port: number;
}

/** A kind of load: one row of the results. */
export interface Workload {
  readonly id: WorkloadId;
  readonly title: string;
  readonly connections: number;
  readonly order: RequestOrder;
  /** Statuses of successful responses. */
  readonly expects: readonly number[];
  readonly requests: (context: WorkloadContext) => readonly LoadRequest[] | Promise<readonly LoadRequest[]>;
}

const CONNECTIONS = 32;
const HOT_ROWS = 5_000;
const CONDITIONAL_ROWS = 500;
const DEEP_OFFSET = 90_000;

export const WORKLOADS: readonly Workload[] = [
  { ...read('by-id', 'item by id, random among all', allItems), order: 'random' },
  { ...read('by-id-hot', 'item by id, random among 5,000', hotItems), order: 'random' },
  { ...read('by-id-alone', 'item by id, random among all, one connection', allItems), connections: 1, order: 'random' },
  read('page', 'page of 20, always the same', ({ dialect }) => [getPage(dialect, {})]),
  read('pages', 'page of 20, all different', ({ dialect, ids }) => ids.map((after) => getPage(dialect, { after }))),
  read('filtered', 'page of 20, filtered and sorted, 20 repeated', ({ dialect }) =>
    CATEGORIES.map((category) => getPage(dialect, { category, sort: 'price' })),
  ),
  read('filtered-pages', 'page of 20, filtered and sorted, all different', ({ dialect, ids }) =>
    ids.map((_, index) => getPage(dialect, { ...distinctFilter(index, ids.length), sort: 'price' })),
  ),
  {
    ...read('not-modified', '304 by `If-None-Match`, 500 rows', (context) =>
      conditionalGets(context, CONDITIONAL_ROWS),
    ),
    expects: [304],
  },
  {
    ...read('not-modified-all', '304 by `If-None-Match`, random among all', (context) =>
      conditionalGets(context, context.ids.length),
    ),
    expects: [304],
    order: 'random',
  },
  read('deep-page', 'page at offset 90,000', ({ dialect }) => [getPage(dialect, { offset: DEEP_OFFSET })]),
  write('post', 'durable POST, 32 writers', CONNECTIONS, ({ dialect }) => [postProduct(dialect)]),
  write('patch', 'durable PATCH, 32 writers', CONNECTIONS, ({ dialect, ids }) =>
    ids.map((id) => patchProduct(dialect, id)),
  ),
  write('post-alone', 'durable POST, one writer', 1, ({ dialect }) => [postProduct(dialect)]),
  write('patch-alone', 'durable PATCH, one writer', 1, ({ dialect, ids }) =>
    ids.map((id) => patchProduct(dialect, id)),
  ),
  read('mixed', '90 % items by id, 5 % pages, 5 % durable PATCH', ({ dialect, ids }) =>
    ids.map((id, index) => mixedRequest(dialect, id, index)),
  ),
];

function read(id: WorkloadId, title: string, requests: Workload['requests']): Workload {
  return { id, title, connections: CONNECTIONS, order: 'sequential', expects: [200], requests };
}

function write(id: WorkloadId, title: string, connections: number, requests: Workload['requests']): Workload {
  return { id, title, connections, order: 'sequential', expects: [200, 201], requests };
}

function allItems({ dialect, ids }: WorkloadContext): readonly LoadRequest[] {
  return ids.map((id) => getItem(dialect, id));
}

function hotItems(context: WorkloadContext): readonly LoadRequest[] {
  return allItems({ ...context, ids: context.ids.slice(0, HOT_ROWS) });
}

function getItem({ collection }: QueryDialect, id: string): LoadRequest {
  return { method: 'GET', path: `${collection}/${id}` };
}

function getPage(dialect: QueryDialect, query: PageQuery): LoadRequest {
  return { method: 'GET', path: pagePath(dialect, query) };
}

/** A category and a minimum price for each index, such that no two pages are the same and every page is full. */
function distinctFilter(index: number, length: number): PageQuery {
  const step = (index * 7919) % length;
  const category = CATEGORIES[index % CATEGORIES.length];
  return { ...(category === undefined ? {} : { category }), priceFrom: (step / length) * HIGHEST_PRICE * 0.9 };
}

function postProduct({ collection }: QueryDialect): LoadRequest {
  return { method: 'POST', path: collection, body: JSON.stringify({ ...product(1), sku: `N-${SERIAL}` }) };
}

function patchProduct({ collection }: QueryDialect, id: string): LoadRequest {
  const body = JSON.stringify({ name: `Changed ${SERIAL}`, stock: 5 });
  return { method: 'PATCH', path: `${collection}/${id}`, body };
}

function mixedRequest(dialect: QueryDialect, id: string, index: number): LoadRequest {
  if (index % 20 === 7) return getPage(dialect, { after: id });
  return index % 20 === 17 ? patchProduct(dialect, id) : getItem(dialect, id);
}

/** Requests that are waiting for their response while the `ETag`s are read. */
const READERS = 32;

/** GET requests for the first rows, with the `ETag` that the server sent. */
async function conditionalGets({ dialect, ids, port }: WorkloadContext, rows: number): Promise<readonly LoadRequest[]> {
  const requests = ids.slice(0, rows).map((id) => getItem(dialect, id));
  const waiting = requests.entries();
  const conditional: LoadRequest[] = [];
  const readETags = async (): Promise<void> => {
    for (const [index, request] of waiting) {
      const { etag } = await sendRequest(port, request);
      conditional[index] = { ...request, headers: { 'If-None-Match': etag } };
    }
  };
  await Promise.all(Array.from({ length: READERS }, readETags));
  return conditional;
}
