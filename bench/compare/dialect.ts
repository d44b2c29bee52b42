import type { WorkId } from './works.ts';

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
  /** What each part of a question is called; what is not asked for is left out. */
  readonly words: Readonly<Record<keyof PageQuestion | 'limit', (value: string) => string>>;
  /** The method that changes some members of a resource. */
  readonly change: 'PATCH' | 'PUT';
  /** The work that the server does not do, and why. */
  readonly lacks: Readonly<Partial<Record<WorkId, string>>>;
}

export const PAGE_LENGTH = 20;

export function pathOfPage({ collection, words }: Dialect, question: PageQuestion): string {
  const asked = Object.entries({ limit: PAGE_LENGTH, ...question }) as [keyof typeof words, string | number][];
  return `${collection}?${asked.map(([name, value]) => words[name](String(value))).join('&')}`;
}
