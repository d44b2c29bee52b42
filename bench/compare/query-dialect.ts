import type { WorkloadId } from './workload-id.ts';

/** A request for a page of products, independent of the contender. */
export interface PageQuery {
  readonly offset?: number;
  /** The id that precedes the first row of the page. */
  readonly after?: string;
  readonly category?: string;
  readonly priceFrom?: number;
  readonly sort?: 'price';
}

/** The query syntax of a contender: a page query in its URL. */
export interface QueryDialect {
  /** The path of the collection. */
  readonly collection: string;
  /** Renders each part of a query as parameters. */
  readonly parameters: Readonly<Record<keyof PageQuery | 'limit', (value: string) => string>>;
  /** The workloads that the contender does not support, with the reason. */
  readonly unsupported: Readonly<Partial<Record<WorkloadId, string>>>;
}

export const PAGE_LENGTH = 20;

export function pagePath({ collection, parameters }: QueryDialect, query: PageQuery): string {
  const parts = Object.entries({ limit: PAGE_LENGTH, ...query }) as [keyof typeof parameters, string | number][];
  return `${collection}?${parts.map(([name, value]) => parameters[name](String(value))).join('&')}`;
}

const parameter = (name: string) => (value: string) => `${name}=${value}`;
const unsupportedWorkloads = (workloads: readonly WorkloadId[], reason: string): QueryDialect['unsupported'] =>
  Object.fromEntries(workloads.map((workload) => [workload, reason]));

const WRITES: readonly WorkloadId[] = ['post', 'patch', 'post-alone', 'patch-alone', 'mixed'];
const UPDATES: readonly WorkloadId[] = ['patch', 'patch-alone', 'mixed'];
const NO_ETAG = unsupportedWorkloads(['not-modified', 'not-modified-all'], 'sends no `ETag`');

export const RESTWRIGHT: QueryDialect = {
  collection: '/api/v1/products',
  parameters: {
    limit: parameter('limit'),
    offset: parameter('offset'),
    after: parameter('last_id'),
    category: parameter('category'),
    priceFrom: parameter('price[gte]'),
    sort: parameter('sort'),
  },
  unsupported: {},
};

export const FASTIFY: QueryDialect = {
  ...RESTWRIGHT,
  parameters: { ...RESTWRIGHT.parameters, after: parameter('after'), priceFrom: parameter('price_from') },
};

export const BASELINE: QueryDialect = { ...FASTIFY, unsupported: unsupportedWorkloads(WRITES, 'stores nothing') };

export const PLATFORMATIC: QueryDialect = {
  collection: '/products',
  parameters: {
    limit: parameter('limit'),
    offset: parameter('offset'),
    after: (id) => `where.id.gt=${id}&orderby.id=asc`,
    category: parameter('where.category.eq'),
    priceFrom: parameter('where.price.gte'),
    sort: (name) => `orderby.${name}=asc&orderby.id=asc`,
  },
  unsupported: { ...NO_ETAG, ...unsupportedWorkloads(UPDATES, 'has PUT but no PATCH') },
};

export const FEATHERS: QueryDialect = {
  collection: '/products',
  parameters: {
    limit: parameter('$limit'),
    offset: parameter('$skip'),
    after: (id) => `id[$gt]=${id}&$sort[id]=1`,
    category: parameter('category'),
    priceFrom: parameter('price[$gte]'),
    sort: (name) => `$sort[${name}]=1&$sort[id]=1`,
  },
  unsupported: NO_ETAG,
};

export const JSON_SERVER: QueryDialect = {
  collection: '/products',
  parameters: {
    limit: parameter('_limit'),
    offset: parameter('_start'),
    after: parameter('id_gte'),
    category: parameter('category'),
    priceFrom: parameter('price_gte'),
    sort: (name) => `_sort=${name},id&_order=asc,asc`,
  },
  unsupported: {
    ...unsupportedWorkloads(WRITES, 'rewrites its whole file without fsync: writes are not durable'),
    'not-modified-all': 'needs minutes to read each row once',
  },
};
