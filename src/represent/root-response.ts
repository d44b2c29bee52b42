import { linkName } from '../model/link-name.ts';
import { ROOT_PAGE_POLICY, writeRootPage } from '../describe/root-page/root-page.ts';
import { pathNextToBase } from '../conventions/url/url.ts';
import { joinPath } from '../conventions/url/links.ts';
import { writeQuery } from '../conventions/url/query.ts';
import { ASYNC_API_PATH, DOCS_PATH, OPEN_API_PATH } from '../plan/routes/route-table.ts';
import type { LinkBase } from '../plan/routes/url-builder.ts';
import { eventsRule } from '../plan/events/event-rules.ts';
import type { Contract } from '../contract/contract.ts';
import type { BufferedResponse } from '../exchange/handler.ts';
import type { Negotiated } from '../pipeline/negotiate.ts';
import type { FoundRoot } from '../operations/read/root.ts';
import type { Services } from '../pipeline/services.ts';
import { canonicalLink, conditionalResponse, selectedDocument } from './conditional-response.ts';
import { redirectResponse } from '../pipeline/early-responses.ts';
import { writeDocument } from './encode.ts';
import type { HeaderList } from './response.ts';

const PAGE_HEADERS: HeaderList = ['Content-Security-Policy', ROOT_PAGE_POLICY];

/**
 * `GET {base}`: links to the collections (REP-10), for browsers as a page (NEG-1). `/` has the page alone, and redirects programs to the root of
 * the API.
 */
export function rootResponse(
  request: Negotiated,
  root: FoundRoot,
  { etags }: Pick<Services, 'etags'>,
): BufferedResponse {
  const isPage = request.offer.format === 'html';
  if (request.route.kind === 'home' && !isPage) return redirectHome(request);
  const text = isPage ? pageText(request, root) : documentText(request);
  const selected = selectedDocument(etags.content(request, text));
  const canonical = canonicalLink(request, request.contract.urls.root);
  const links = [
    ...canonical,
    { rel: 'service-desc', href: descriptionUrl(request.contract, OPEN_API_PATH) },
    { rel: 'service-doc', href: docsUrl(request.contract) },
  ];
  return conditionalResponse(request, selected, { links, headers: isPage ? PAGE_HEADERS : [], body: () => text });
}

/** The root of the API, with the query of the request. */
function redirectHome({ exchange, request: { target }, contract }: Negotiated): BufferedResponse {
  const query = target.indexOf('?');
  return redirectResponse(exchange, contract.model.basePath + (query === -1 ? '' : target.slice(query)), contract);
}

/** The links to the collections that the caller may read. Those below another resource have no URL without an id. */
function documentText({ contract, base, offer, accessError }: Negotiated): string {
  const { model, urls, version } = contract;
  const links: Record<string, string> = { self: urls.root(base) };
  for (const resource of model.resources.values()) {
    if (resource.parent === null && accessError([resource.access.read]) === null)
      links[linkName(resource)] = urls.collection(base, resource, []);
  }
  if (accessError([eventsRule(model)]) === null)
    links[model.system.events.replaceAll('-', '_')] = urls.system(base, model.system.events);
  links['service_desc'] = descriptionUrl(contract, OPEN_API_PATH);
  links['service_desc_events'] = descriptionUrl(contract, ASYNC_API_PATH);
  links['service_doc'] = docsUrl(contract);
  return writeDocument(offer.format, 'api', { name: model.name, title: model.title, version, links });
}

/** The URL of a description of a contract (REP-10, RFC 8631). */
function descriptionUrl({ model, mapping, version }: Contract, name: string): string {
  const path = joinPath(model.publicUrl ?? '', name);
  return mapping === null ? path : `${path}?${writeQuery([['api_version', version]])}`;
}

/** The URL of the documentation of a contract: next to the base path, where a mount has it, too. */
function docsUrl({ model, mapping, version }: Contract): string {
  const path = (model.publicUrl ?? '') + pathNextToBase(model.basePath, DOCS_PATH);
  return mapping === null ? path : `${path}?${writeQuery([['api_version', version]])}`;
}

function pageText(request: Negotiated, { totals }: FoundRoot): string {
  const { contract, accessError } = request;
  const { model, urls, version } = contract;
  const base = linkBaseOfPage(request);
  const readable = [...model.resources].filter(([, { access }]) => accessError([access.read]) === null);
  return writeRootPage({
    model: { ...model, resources: new Map(readable) },
    version,
    root: urls.root(base),
    docs: docsUrl(contract).slice((model.publicUrl ?? '').length),
    pathOf: (resource) => urls.collection(base, resource, []),
    counts: totals,
  });
}

/** Without the public URL: the page sends requests to the origin that it comes from. `/` has the version in its links. */
function linkBaseOfPage({ contract: { model, linkBases }, route, base }: Negotiated): LinkBase {
  const { prefix, parameters } = route.kind === 'home' ? linkBases.canonical : base;
  return { prefix: prefix.slice((model.publicUrl ?? '').length), parameters };
}
