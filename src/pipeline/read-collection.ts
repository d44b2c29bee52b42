import type { Format } from '../conventions/answer-type.ts';
import { refusal } from '../conventions/errors.ts';
import type { JsonObject } from '../conventions/json.ts';
import type { ListQuery } from '../plan/list-query.ts';
import type { Headers } from './answer.ts';
import type { CompiledResource, DocumentTypes } from './compiled.ts';
import { type ShownPage, writePage } from './encode.ts';
import type { Answer } from './exchange.ts';
import { tellRows } from './expand.ts';
import type { Negotiated } from './negotiate.ts';
import { type RelatedLink, selfParameters, targetsOf, tellPage } from './page.ts';
import { requireAncestors } from './read.ts';
import { answerFound, canonicalLink, type ReadTarget, unchanged } from './read-answer.ts';
import type { Surroundings } from './surroundings.ts';
import { sourcesOf, stateTag, textTag } from './tags.ts';
import { checkRoom, typedView } from './typed-view.ts';

/** Reads one page of a collection (section 5 of the contract), for GET, HEAD and QUERY. */
export async function readCollection(
  request: Negotiated,
  compiled: CompiledResource,
  query: ListQuery,
  surroundings: Surroundings,
): Promise<Answer> {
  const { resource } = compiled;
  const { within } = query.plan;
  checkRoom(request.offer.format, query.view);
  await requireAncestors(within, surroundings);
  const sources = sourcesOf(query);
  const changes = await surroundings.store.resources.changes(sources);
  const target = targetOf(compiled, stateTag(request, query, changes, surroundings));
  const known = unchanged(request, target, surroundings);
  if (known !== null) return known;

  const { text, links, facts } = await pageText(request, compiled, query, surroundings);
  const still = await surroundings.store.resources.changes(sources);
  // What was written while the page was read may be on it or not: then its bytes alone say what it is.
  const isOf = still.every((change, index) => change === changes[index]);
  const canonical = canonicalLink(request, surroundings, (base) =>
    surroundings.compiled.addresses.collection(base, resource, within, selfParameters(query)),
  );
  const self = links.find(({ rel }) => rel === 'self');
  const location = request.method === 'QUERY' && self !== undefined ? ['Location', self.href] : [];
  return answerFound(request, isOf ? target : targetOf(compiled, textTag(request, text, surroundings)), surroundings, {
    links: [...links, ...canonical],
    facts: [...facts, ...location],
    body: () => text,
  });
}

/** The tag that a collection has for this caller now: what preconditions of a POST are compared with (CACHE-3). */
export async function collectionTag(
  request: Negotiated,
  query: ListQuery,
  surroundings: Surroundings,
): Promise<string> {
  const changes = await surroundings.store.resources.changes(sourcesOf(query));
  return stateTag(request, query, changes, surroundings);
}

function targetOf({ resource }: CompiledResource, etag: string): ReadTarget {
  return { resource, state: { etag, lastModified: null } };
}

async function pageText(
  request: Negotiated,
  compiled: CompiledResource,
  query: ListQuery,
  surroundings: Surroundings,
): Promise<{ readonly text: string; readonly links: readonly RelatedLink[]; readonly facts: Headers }> {
  const { plan, view } = query;
  const { format } = request.offer;
  const page = await surroundings.rows.list(plan);
  const located = page.rows.map((row) => ({ row, within: plan.within }));
  const data = await tellRows(compiled, located, view, request.base, surroundings);
  const { facts, links } = tellPage(compiled, query, page, request.base, surroundings);
  const shown: ShownPage = { data, page: facts, links: targetsOf(links) };
  const text = pageIn(format, typedView(compiled, view, surroundings), shown);
  return { text, links, facts: pageFacts(format, facts) };
}

/** @throws {ApiError} PAGINATION_LIMIT_INVALID where the rows are so large that no text could hold them all */
function pageIn(format: Format, types: DocumentTypes, shown: ShownPage): string {
  try {
    return writePage(format, types, shown);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const message = 'These items are too large to be told on one page; send a smaller limit, or fewer fields.';
    throw refusal('PAGINATION_LIMIT_INVALID', message, {
      details: [{ field: 'limit', message: 'is too large for items of this size' }],
      cause,
    });
  }
}

/** What a format without room for it tells of a page in header fields (NEG-1). */
function pageFacts(format: Format, { next_cursor: cursor, total_count: total }: JsonObject): Headers {
  if (format === 'json' || format === 'xml') return [];
  return [
    ...(typeof cursor === 'string' ? ['X-Next-Cursor', cursor] : []),
    ...(typeof total === 'number' ? ['X-Total-Count', String(total)] : []),
  ];
}
