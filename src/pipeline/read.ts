import type { Format } from '../conventions/answer-type.ts';
import { cacheControl } from '../conventions/caching.ts';
import { refusal, resourceRefusal } from '../conventions/errors.ts';
import { strongTag } from '../conventions/etag.ts';
import type { JsonObject } from '../conventions/json.ts';
import { linkField } from '../conventions/links.ts';
import type { Neighbours, Walked } from '../conventions/pagination/position.ts';
import { evaluateRead } from '../conventions/preconditions.ts';
import type { Resource } from '../model/model.ts';
import type { LinkBase } from '../plan/address.ts';
import type { ListQuery } from '../plan/list-query.ts';
import type { Ancestor, Page, Row } from '../plan/plan.ts';
import { appliedHeaders, commonHeaders, type Headers } from './answer.ts';
import type { CompiledResource } from './compiled.ts';
import { type ShownPage, writeDocument, writeItem, writePage } from './encode.ts';
import type { Answer } from './exchange.ts';
import type { Negotiated } from './negotiate.ts';
import { versionedBase } from './route.ts';
import type { Surroundings } from './surroundings.ts';

/** A link that would pass the bound of a target is left out: nobody could follow it (PAGE-2). */
const MAX_LINK = 8192;

/** Reads one resource (S 4.1 GET, MET-5). */
export async function readItem(
  request: Negotiated,
  compiled: CompiledResource,
  within: readonly Ancestor[],
  id: string,
  surroundings: Surroundings,
): Promise<Answer> {
  const row = await findRow(compiled.resource, within, id, surroundings);
  const tag = itemTag(request, row, surroundings);
  const links = canonicalLink(request, surroundings, (base) =>
    surroundings.compiled.addresses.item(base, compiled.resource, within, id),
  );
  return conditional(request, compiled.resource, surroundings, tag, links, () =>
    writeItem(request.offer.format, compiled, compiled.represent(row, within, request.base)),
  );
}

/** Reads one page of a collection (section 5 of the contract), for GET, HEAD and QUERY. */
export async function readCollection(
  request: Negotiated,
  compiled: CompiledResource,
  query: ListQuery,
  surroundings: Surroundings,
): Promise<Answer> {
  const { resource } = compiled;
  const { addresses } = surroundings.compiled;
  const { text, links, facts } = await pageText(request, compiled, query, surroundings);
  const canonical = canonicalLink(request, surroundings, (base) =>
    addresses.collection(base, resource, query.plan.within, selfParameters(query)),
  );
  const tag = textTag(request, text, surroundings);
  const answer = conditional(request, resource, surroundings, tag, [...links, ...canonical], () => text);
  if (answer.status !== 200) return answer;
  const self = links.find(({ rel }) => rel === 'self');
  const location = request.method === 'QUERY' && self !== undefined ? ['Location', self.href] : [];
  return { ...answer, headers: [...answer.headers, ...facts, ...location] };
}

/** The tag that a collection has for this caller now: what preconditions of a POST are compared with (CACHE-3). */
export async function collectionTag(
  request: Negotiated,
  compiled: CompiledResource,
  query: ListQuery,
  surroundings: Surroundings,
): Promise<string> {
  return textTag(request, (await pageText(request, compiled, query, surroundings)).text, surroundings);
}

/** `GET {base}`: links to the collections (REP-10). Those below another resource have no URL without an id. */
export function readRoot(request: Negotiated, surroundings: Surroundings): Answer {
  const { model, addresses } = surroundings.compiled;
  const links: Record<string, string> = { self: addresses.root(request.base) };
  for (const resource of model.resources.values()) {
    if (resource.parent === null) links[resource.name] = addresses.collection(request.base, resource, []);
  }
  const { major, minor, patch } = model.version;
  const root = { name: model.name, title: model.title, version: `${major}.${minor}.${patch}`, links };
  const text = writeDocument(request.offer.format, 'api', root);
  const tag = textTag(request, text, surroundings);
  const canonical = canonicalLink(request, surroundings, addresses.root);
  return conditional(request, null, surroundings, tag, canonical, () => text);
}

/**
 * The row that a path names.
 *
 * @throws {ApiError} 404 with the code of the first resource on the path that is absent (URL-7)
 */
export async function findRow(
  resource: Resource,
  within: readonly Ancestor[],
  id: string,
  surroundings: Surroundings,
): Promise<Row> {
  const row = await surroundings.rows.item({ kind: 'item', resource: resource.name, id, within });
  if (row !== null) return row;
  await requireAncestors(within, surroundings);
  throw notFound(resource);
}

/** Fails with the 404 of the outermost row above a target that is absent (URL-7). */
export async function requireAncestors(within: readonly Ancestor[], surroundings: Surroundings): Promise<void> {
  if (within.length === 0) return;
  const missing = await surroundings.rows.missingAncestor(within);
  if (missing !== null) throw ancestorNotFound(missing.resource, surroundings);
}

export function ancestorNotFound(name: string, { compiled }: Surroundings): Error {
  const resource = compiled.model.resources.get(name);
  if (resource === undefined) throw new Error(`the model has no resource ${name}`);
  return notFound(resource);
}

/** The tag of a row as this caller sees it: its revision, and everything else that the bytes depend on (CACHE-1). */
export function itemTag(request: Negotiated, row: Row, surroundings: Surroundings): string {
  return strongTag(row.revision, variant(request, surroundings));
}

export function textTag(request: Negotiated, text: string, surroundings: Surroundings): string {
  return strongTag(surroundings.digest(text), variant(request, surroundings));
}

function variant(request: Negotiated, { compiled, variants }: Surroundings): string {
  const { prefix, parameters } = request.base;
  return variants.of([
    request.offer.contentType,
    request.exchange.coding,
    prefix,
    ...parameters.flat(2),
    compiled.model.fingerprint,
    request.principal.scope,
  ]);
}

export function notFound(resource: Resource): Error {
  return resourceRefusal(resource.code, 'NOT_FOUND', `There is no ${resource.singular} with this id here.`);
}

async function pageText(
  request: Negotiated,
  compiled: CompiledResource,
  query: ListQuery,
  surroundings: Surroundings,
): Promise<{ readonly text: string; readonly links: readonly RelatedLink[]; readonly facts: Headers }> {
  const { plan, position } = query;
  const page = await surroundings.rows.list(plan);
  // A page with rows proves the rows above it; only an empty one has to ask (URL-7).
  if (page.rows.length === 0) await requireAncestors(plan.within, surroundings);
  const walked = walk(query, page);
  const neighbours = position.neighbours(walked);
  const links = pageLinks(request.base, compiled.resource, query, neighbours, surroundings);
  const shown: ShownPage = {
    data: page.rows.map((row) => compiled.represent(row, plan.within, request.base)),
    page: {
      technique: position.technique,
      limit: plan.window.limit,
      count: page.rows.length,
      has_more: links.some(({ rel }) => rel === 'next'),
      ...position.members(walked, neighbours),
      ...totals(walked, plan.window.limit),
    },
    links: Object.fromEntries(links.map(({ rel, href }) => [rel, href])),
  };
  const { format } = request.offer;
  return { text: pageIn(format, compiled, shown), links, facts: pageFacts(format, shown.page) };
}

/** @throws {ApiError} PAGINATION_LIMIT_INVALID where the rows are so large that no text could hold them all */
function pageIn(format: Format, compiled: CompiledResource, shown: ShownPage): string {
  try {
    return writePage(format, compiled, shown);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw refusal(
      'PAGINATION_LIMIT_INVALID',
      'These items are too large to be told on one page; send a smaller limit.',
      {
        details: [{ field: 'limit', message: 'is too large for items of this size' }],
        cause,
      },
    );
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

function walk(query: ListQuery, { rows, more, total }: Page): Walked {
  return {
    count: rows.length,
    more,
    total,
    cursor: (edge) => query.cursorAt((edge === 'after-last' ? rows.at(-1) : rows[0]) ?? null, edge === 'before-first'),
  };
}

function totals({ total }: Walked, limit: number): JsonObject {
  if (total === null) return {};
  return {
    total_count: total.count,
    total_count_relation: total.exact ? 'eq' : 'gte',
    total_pages: Math.ceil(total.count / limit),
  };
}

interface RelatedLink {
  readonly rel: string;
  readonly href: string;
}

/** `self`, `first`, `prev`, `next`, `last`, each with filters, sort and limit (PAGE-2). */
function pageLinks(
  base: LinkBase,
  resource: Resource,
  query: ListQuery,
  neighbours: Neighbours,
  { compiled }: Surroundings,
): readonly RelatedLink[] {
  const places = [
    ['self', query.position.parameters],
    ['first', neighbours.first],
    ['prev', neighbours.prev],
    ['next', neighbours.next],
    ['last', neighbours.last],
  ] as const;
  return places.flatMap(([rel, place]) => {
    if (place === null) return [];
    const parameters = [...query.carried, ...place];
    const href = compiled.addresses.collection(base, resource, query.plan.within, parameters);
    return href.length > MAX_LINK ? [] : [{ rel, href }];
  });
}

function selfParameters(query: ListQuery): ListQuery['carried'] {
  return [...query.carried, ...query.position.parameters];
}

/** REP-9: an answer in another version carrier than the path names its path-versioned URL. */
export function canonicalLink(
  request: Negotiated,
  { compiled }: Surroundings,
  address: (base: LinkBase) => string,
): readonly RelatedLink[] {
  if (request.version.carrier === 'path') return [];
  return [{ rel: 'canonical', href: address(versionedBase(compiled, compiled.model.publicUrl ?? '')) }];
}

/** The answer to a read, or what its preconditions make of it (CACHE-2, CACHE-3). */
export function conditional(
  request: Negotiated,
  resource: Resource | null,
  surroundings: Surroundings,
  tag: string,
  links: readonly RelatedLink[],
  body: () => string,
): Answer {
  const verdict = evaluateRead(request.preconditions, { etag: tag, lastModified: null });
  // The root has no state that a condition could guard, and so no code to refuse one with: it is shown all the same.
  if (verdict === 'failed' && resource !== null) throw preconditionFailed(resource);
  const headers: Headers = [
    ...commonHeaders(request.exchange, surroundings.version),
    'ETag',
    tag,
    'Cache-Control',
    cacheControl({ credentials: false, cache: resource?.cache ?? null, sameForEveryCaller: true }),
  ];
  if (verdict === 'not-modified') return { status: 304, headers, body: null };
  const link = linkField(links);
  return {
    status: 200,
    headers: [
      ...headers,
      'Content-Type',
      request.offer.contentType,
      ...(link === '' ? [] : ['Link', link]),
      ...appliedHeaders(request),
    ],
    body: body(),
  };
}

export function preconditionFailed(resource: Resource): Error {
  const message = 'A precondition of the request does not hold; read the resource again and repeat with its new ETag.';
  return resourceRefusal(resource.code, 'PRECONDITION_FAILED', message);
}
