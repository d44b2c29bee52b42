import type { JsonObject } from '../../conventions/json.ts';
import type { LinkValue } from '../../conventions/links.ts';
import type { PageLinks, FetchedPage } from '../../conventions/pagination/pagination.ts';
import { joinQueries, writeQuery } from '../../conventions/query.ts';
import type { LinkBase } from '../../plan/url-builder.ts';
import { type ListQuery, valueAt } from '../../plan/list-query.ts';
import type { Page } from '../../plan/plan.ts';
import type { CompiledResource } from '../contract.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * What is told of a page beside its items: `page` and the links to its neighbours (PAGE-1, PAGE-2). A link that would pass the limit of a
 * target is left out: nobody could follow it.
 */
export function pageMetadata(
  { resource }: CompiledResource,
  query: ListQuery,
  page: Page,
  base: LinkBase,
  { compiled: { addresses, model } }: Surroundings,
): { readonly facts: JsonObject; readonly links: readonly LinkValue[] } {
  const { plan, pagination } = query;
  const walked = walk(query, page);
  const neighbours = pagination.links(walked);
  const address = (asked: string): string => addresses.collection(base, resource, plan.within, asked);
  const isFollowed = (href: string): boolean => href.length <= model.limits.target;
  const links = places(query, neighbours).flatMap(([rel, place]) => {
    if (place === null) return [];
    const whole = address(joinQueries(query.linkQuery, writeQuery(place)));
    const href = isFollowed(whole) ? whole : hybrid(rel, walked, query).map(address).find(isFollowed);
    return href === undefined ? [] : [{ rel, href }];
  });
  const facts = {
    technique: pagination.technique,
    limit: plan.window.limit,
    count: page.rows.length,
    has_more: links.some(({ rel }) => rel === 'next'),
    ...pagination.members(walked, neighbours),
    ...totals(walked, plan.window.limit),
  };
  return { facts, links };
}

/** Links as a body has them. */
export function linkTargets(links: readonly LinkValue[]): JsonObject {
  return Object.fromEntries(links.map(({ rel, href }) => [rel, href]));
}

/** The query string that asks for a page itself. */
export function selfQuery({ linkQuery, pagination }: ListQuery): string {
  return joinQueries(linkQuery, writeQuery(pagination.parameters));
}

function places(
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

/** The way on or back by a cursor alone, which holds the filters and the sort: for where those are too long for a link that carries them too. */
function hybrid(rel: string, walked: FetchedPage, { nonCursorParameters }: ListQuery): readonly string[] {
  const edge = rel === 'next' ? 'after-last' : rel === 'prev' ? 'before-first' : null;
  return edge === null || walked.count === 0
    ? []
    : [writeQuery([...nonCursorParameters, ['after', walked.cursor(edge)]])];
}

function walk(query: ListQuery, { rows, more, total }: Page): FetchedPage {
  return {
    count: rows.length,
    hasMore: more,
    total,
    cursor: (edge) => query.cursorAt((edge === 'after-last' ? rows.at(-1) : rows[0]) ?? null, edge === 'before-first'),
    last: (path) => {
      const row = rows.at(-1);
      const value = row === undefined ? null : valueAt(row, path);
      if (typeof value !== 'string') throw new Error(`${path} of the last item is no text`);
      return value;
    },
  };
}

function totals({ total }: FetchedPage, limit: number): JsonObject {
  if (total === null) return {};
  return {
    total_count: total.count,
    total_count_relation: total.exact ? 'eq' : 'gte',
    total_pages: Math.ceil(total.count / limit),
  };
}
