import { SYSTEM_PREFIX } from '../../sql/schema/system-tables.ts';

/** What the names of everything that serves text search begin with. */
export const SEARCH_PREFIX = `${SYSTEM_PREFIX}search.`;

/**
 * The names of what serves the search of one resource. The dot that ends the resource's name keeps those of `product` apart from the tables
 * that FTS5 adds beside those of `product_data`.
 */
export interface SearchNames {
  /** The FTS5 table of the words of each row, by the row's key. */
  readonly words: string;
  /** The key of each row: the resource's own rowids change whenever the file is vacuumed or the table is built anew. */
  readonly keys: string;
  readonly triggers: { readonly insert: string; readonly update: string; readonly delete: string };
}

export function searchNames(resource: string): SearchNames {
  const of = (part: string): string => `${SEARCH_PREFIX}${resource}.${part}`;
  return {
    words: of('words'),
    keys: of('keys'),
    triggers: { insert: of('insert'), update: of('update'), delete: of('delete') },
  };
}

/**
 * The query that FTS5 answers with the rows in which each word begins one. Every word stands in quotes, so that `OR` and `NEAR` are words:
 * none has a quote in it. A word that begins another one asks for nothing more, and would have the most to gather.
 */
export function matchQuery(words: readonly string[]): string {
  const asking = words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
  return asking.map((word) => `"${word}" *`).join(' AND ');
}

/**
 * A query of the ids of the rows that match.
 *
 * @param look a condition that is asked of each of them as it is found; null where there is no deadline
 */
export function matchingIds(resource: string, match: string, look: string | null): string {
  const { words, keys } = searchNames(resource);
  const inTime = look === null ? '' : ` where ${look}`;
  return `select held.id from "${words}"(${match}) as found join "${keys}" as held on held.key = found.rowid${inTime}`;
}
