import type { JsonObject } from '../conventions/json/json.ts';
import { storedMember } from '../model/row-key.ts';
import type { LinkValue } from '../conventions/url/links.ts';
import type { PageLinks, FetchedPage } from '../conventions/pagination/pagination.ts';
import { joinQueries, writeQuery } from '../conventions/url/query.ts';
import { type ListQuery, valueAt } from '../plan/list/list-query.ts';
import type { Page } from '../plan/plan.ts';
import type { CompiledResource } from '../contract/contract.ts';
import type { Reply } from './reply.ts';

type DescribedPage = Omit<Page, 'size'>;

/** The metadata and links of a page. */
export interface PageDescription {
  readonly metadata: JsonObject;
  readonly links: readonly LinkValue[];
}

/**
 * Writes the `page` member of a page and the links to its neighbours (PAGE-1, PAGE-2). A link longer than the limit of
 * request targets is left out: no client could follow it.
 */
export function pageMetadata(
  { base, contract }: Reply,
  { resource }: CompiledResource,
  query: ListQuery,
  page: DescribedPage,
): PageDescription {
  const { plan, pagination } = query;
  const { urls, model } = contract;
  const fetched = fetchedPage(query, page);
  const neighbours = pagination.links(fetched);
  const url = (parameters: string): string => urls.collection(base, resource, plan.within, parameters);
  const isShortEnough = (href: string): boolean => href.length <= model.limits.target;
  const links = positions(query, neighbours).flatMap(([rel, parameters]) => {
    if (parameters === null) return [];
    const whole = url(joinQueries(query.linkQuery, writeQuery(parameters)));
    const href = isShortEnough(whole) ? whole : cursorQuery(rel, fetched, query).map(url).find(isShortEnough);
    return href === undefined ? [] : [{ rel, href }];
  });
  const metadata = {
    technique: pagination.technique,
    limit: plan.window.limit,
    count: page.rows.length,
    has_more: links.some(({ rel }) => rel === 'next'),
    ...pagination.members(fetched, neighbours),
    ...totals(fetched, plan.window.limit),
  };
  return { metadata, links };
}

/**
 * Writes the `page` member of rows that have no collection of their own, because they are below several parents
 * (REP-9).
 */
export function unlinkedMetadata(query: ListQuery, page: DescribedPage): PageDescription {
  const { plan, pagination } = query;
  const links = { first: [], prev: null, next: null, last: null };
  const metadata = {
    technique: pagination.technique,
    limit: plan.window.limit,
    count: page.rows.length,
    has_more: page.more,
    ...pagination.members(fetchedPage(query, page), links),
  };
  return { metadata, links: [] };
}

/** Writes links as members of a body. */
export function linkTargets(links: readonly LinkValue[]): JsonObject {
  return Object.fromEntries(links.map(({ rel, href }) => [rel, href]));
}

function positions(
  { pagination }: ListQuery,
  { first, prev, next, last }: PageLinks,
): readonly (readonly [string, PageLinks['next']])[] {
  return [
    ['self', pagination.parameters],
    ['first', first],
    ['prev', prev],
    ['next', next],
    ['last', last],
  ];
}

/**
 * Writes the query of the next or previous page by its cursor alone, which holds filters and sort: for links that would
 * be too long.
 */
function cursorQuery(rel: string, fetched: FetchedPage, { nonCursorParameters }: ListQuery): readonly string[] {
  const edge = rel === 'next' ? 'after-last' : rel === 'prev' ? 'before-first' : null;
  return edge === null || fetched.count === 0
    ? []
    : [writeQuery([...nonCursorParameters, ['after', fetched.cursor(edge)]])];
}

function fetchedPage(query: ListQuery, { rows, more, total }: DescribedPage): FetchedPage {
  return {
    count: rows.length,
    hasMore: more,
    total,
    cursor: (edge) => query.cursorAt((edge === 'after-last' ? rows.at(-1) : rows[0]) ?? null, edge === 'before-first'),
    last: (path) => {
      const row = rows.at(-1);
      const value = row === undefined || row[storedMember(path)] !== undefined ? null : valueAt(row, path);
      return typeof value === 'string' ? value : null;
    },
  };
}

/** The number of pages is known only with an exact total (PAGE-1). */
function totals({ total }: FetchedPage, limit: number): JsonObject {
  if (total === null) return {};
  if (!total.exact) return { total_count: total.count, total_count_relation: 'gte' };
  return { total_count: total.count, total_count_relation: 'eq', total_pages: Math.ceil(total.count / limit) };
}
