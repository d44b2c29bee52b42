import type { Format } from '../conventions/answer-type.ts';
import { cacheControl } from '../conventions/caching.ts';
import { refusal, resourceRefusal } from '../conventions/errors.ts';
import { strongTag } from '../conventions/etag.ts';
import type { JsonObject } from '../conventions/json.ts';
import { linkField } from '../conventions/links.ts';
import { evaluateRead } from '../conventions/preconditions.ts';
import type { Resource } from '../model/model.ts';
import type { LinkBase } from '../plan/address.ts';
import type { ListQuery } from '../plan/list-query.ts';
import type { Ancestor, Columns, Row } from '../plan/plan.ts';
import { columnsOf, type View } from '../plan/view.ts';
import { appliedHeaders, commonHeaders, type Headers } from './answer.ts';
import type { CompiledResource, DocumentTypes } from './compiled.ts';
import { type ShownPage, writeDocument, writeItem, writePage } from './encode.ts';
import type { Answer } from './exchange.ts';
import { tellRows } from './expand.ts';
import type { Negotiated } from './negotiate.ts';
import { type RelatedLink, selfParameters, targetsOf, tellPage } from './page.ts';
import { versionedBase } from './route.ts';
import type { Surroundings } from './surroundings.ts';
import { checkRoom, typedView } from './typed-view.ts';

/** Digits of the digest that tells views of one row apart. */
const VIEW_DIGITS = 12;

/** Reads one resource (S 4.1 GET, MET-5). */
export async function readItem(
  request: Negotiated,
  compiled: CompiledResource,
  within: readonly Ancestor[],
  id: string,
  view: View,
  surroundings: Surroundings,
): Promise<Answer> {
  const { resource } = compiled;
  const row = await findRow(resource, within, id, surroundings, columnsOf(resource, view, []));
  const write = (item: JsonObject): string =>
    writeItem(request.offer.format, typedView(compiled, view, surroundings), item);
  const links = canonicalLink(request, surroundings, (base) =>
    surroundings.compiled.addresses.item(base, resource, within, id),
  );
  if (view.expansions.length === 0) {
    const tag = itemTag(request, row, surroundings, view.key);
    return conditional(request, resource, surroundings, tag, links, () =>
      write(compiled.represent(row, within, request.base, view.projection)),
    );
  }
  // What is told of other rows changes without this one's revision.
  const [item = {}] = await tellRows(compiled, [{ row, within }], view, request.base, surroundings);
  const text = write(item);
  const tag = itemTag(request, row, surroundings, surroundings.digest(text));
  return conditional(request, resource, surroundings, tag, links, () => text);
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
  columns: Columns | null = null,
): Promise<Row> {
  const selected = columns === null ? {} : { columns };
  const row = await surroundings.rows.item({ kind: 'item', resource: resource.name, id, within, ...selected });
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

/**
 * The tag of a row as this caller sees it: its revision, and everything else that the bytes depend on (CACHE-1).
 *
 * @param view what tells it from other views of the row
 */
export function itemTag(request: Negotiated, row: Row, surroundings: Surroundings, view = ''): string {
  const own = variant(request, surroundings);
  // Callers choose views: what is worked out of them is not remembered.
  return strongTag(row.revision, view === '' ? own : surroundings.digest(`${own} ${view}`).slice(0, VIEW_DIGITS));
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
  const { plan, view } = query;
  const { format } = request.offer;
  checkRoom(format, view);
  const page = await surroundings.rows.list(plan);
  // A page with rows proves the rows above it; only an empty one has to ask (URL-7).
  if (page.rows.length === 0) await requireAncestors(plan.within, surroundings);
  const located = page.rows.map((row) => ({ row, within: plan.within }));
  const data = await tellRows(compiled, located, view, request.base, surroundings);
  const { facts, links } = tellPage(compiled, query, page, request.base, surroundings);
  const shown: ShownPage = { data, page: facts, links: targetsOf(links) };
  return {
    text: pageIn(format, typedView(compiled, view, surroundings), shown),
    links,
    facts: pageFacts(format, facts),
  };
}

/** @throws {ApiError} PAGINATION_LIMIT_INVALID where the rows are so large that no text could hold them all */
function pageIn(format: Format, types: DocumentTypes, shown: ShownPage): string {
  try {
    return writePage(format, types, shown);
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
