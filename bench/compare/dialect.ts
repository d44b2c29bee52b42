import type { WorkId } from './work-id.ts';

/** A page of products as every server is asked for it. */
export interface PageQuestion {
  readonly offset?: number;
  /** The id that the page begins after. */
  readonly after?: string;
  readonly category?: string;
  readonly priceFrom?: number;
  readonly sort?: 'price';
}

/** How a server words what is asked of it. */
export interface Dialect {
  /** The path of the collection. */
  readonly collection: string;
  /** The parameters that each part of a question becomes. */
  readonly words: Readonly<Record<keyof PageQuestion | 'limit', (value: string) => string>>;
  /** The work that the server does not do, and why. */
  readonly lacks: Readonly<Partial<Record<WorkId, string>>>;
}

export const PAGE_LENGTH = 20;

export function pathOfPage({ collection, words }: Dialect, question: PageQuestion): string {
  const asked = Object.entries({ limit: PAGE_LENGTH, ...question }) as [keyof typeof words, string | number][];
  return `${collection}?${asked.map(([name, value]) => words[name](String(value))).join('&')}`;
}

const named = (name: string) => (value: string) => `${name}=${value}`;
const lacking = (works: readonly WorkId[], reason: string): Dialect['lacks'] =>
  Object.fromEntries(works.map((work) => [work, reason]));

const WRITES: readonly WorkId[] = ['post', 'patch', 'post-alone', 'patch-alone', 'mixed'];
const CHANGES: readonly WorkId[] = ['patch', 'patch-alone', 'mixed'];
const NO_TAG: Dialect['lacks'] = { 'not-modified': 'tells no `ETag`' };

export const OURS: Dialect = {
  collection: '/api/v1/products',
  words: {
    limit: named('limit'),
    offset: named('offset'),
    after: named('last_id'),
    category: named('category'),
    priceFrom: named('price[gte]'),
    sort: named('sort'),
  },
  lacks: {},
};

export const BY_HAND: Dialect = {
  ...OURS,
  words: { ...OURS.words, after: named('after'), priceFrom: named('price_from') },
};

export const FLOOR: Dialect = { ...BY_HAND, lacks: lacking(WRITES, 'stores nothing') };

export const PLATFORMATIC: Dialect = {
  collection: '/products',
  words: {
    limit: named('limit'),
    offset: named('offset'),
    after: (id) => `where.id.gt=${id}&orderby.id=asc`,
    category: named('where.category.eq'),
    priceFrom: named('where.price.gte'),
    sort: (name) => `orderby.${name}=asc&orderby.id=asc`,
  },
  lacks: { ...NO_TAG, ...lacking(CHANGES, 'replaces whole resources (PUT) and has no PATCH') },
};

export const FEATHERS: Dialect = {
  collection: '/products',
  words: {
    limit: named('$limit'),
    offset: named('$skip'),
    after: (id) => `id[$gt]=${id}&$sort[id]=1`,
    category: named('category'),
    priceFrom: named('price[$gte]'),
    sort: (name) => `$sort[${name}]=1&$sort[id]=1`,
  },
  lacks: NO_TAG,
};

export const JSON_SERVER: Dialect = {
  collection: '/products',
  words: {
    limit: named('_limit'),
    offset: named('_start'),
    after: named('id_gte'),
    category: named('category'),
    priceFrom: named('price_gte'),
    sort: (name) => `_sort=${name},id&_order=asc,asc`,
  },
  lacks: lacking(WRITES, 'writes its whole file anew without waiting for the disk: no write is durable'),
};
