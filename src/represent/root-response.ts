import { ROOT_PAGE_POLICY, writeRootPage } from '../describe/root-page/root-page.ts';
import { type PlacedResource, placeResources } from '../describe/surface/placed-resource.ts';
import type { BufferedResponse, HeaderList } from '../exchange/handler.ts';
import { linkName } from '../model/link-name.ts';
import type { Model } from '../model/model.ts';
import { bodyETag, type ETags, namedETags, selectDocument } from '../operations/etags.ts';
import type { FoundDescription } from '../operations/read/descriptions.ts';
import type { FoundRoot } from '../operations/read/root.ts';
import type { LinkBase } from '../plan/routes/url-builder.ts';
import { canonicalLink, conditionalResponse } from './conditional-response.ts';
import { writeDescriptionUrl, writeDocsUrl } from './description-urls.ts';
import { writeDocument } from './encode.ts';
import type { Reply } from './reply.ts';

const PAGE_HEADERS: HeaderList = ['Content-Security-Policy', ROOT_PAGE_POLICY];

/** Responds with the links to the collections (REP-10), for browsers as a page (NEG-1). `/` has the page alone. */
export function rootResponse(reply: Reply, root: FoundRoot, { etags }: { readonly etags: ETags }): BufferedResponse {
  const { offer, contract, variant } = reply;
  const isPage = offer.format === 'html';
  const text = isPage ? pageText(reply, root) : documentText(reply, root);
  const selected = selectDocument(etags.content(variant, text));
  const canonical = canonicalLink(reply, contract.urls.root);
  const links = [
    ...canonical,
    { rel: 'service-desc', href: writeDescriptionUrl(contract, 'openapi') },
    { rel: 'service-doc', href: writeDocsUrl(contract) },
  ];
  return conditionalResponse(reply, selected, { links, headers: isPage ? PAGE_HEADERS : [], body: () => text });
}

/**
 * Writes the links to the collections that the caller may read. Those below another resource have no URL without an id.
 */
function documentText({ contract, base, offer }: Reply, { readable, readsEvents }: FoundRoot): string {
  const { model, urls, version } = contract;
  const links: Record<string, string> = { self: urls.root(base) };
  for (const resource of readable.values()) {
    if (resource.parent === null) links[linkName(resource)] = urls.collection(base, resource, []);
  }
  if (readsEvents) links[model.system.events.replaceAll('-', '_')] = urls.system(base, model.system.events);
  links['service_desc'] = writeDescriptionUrl(contract, 'openapi');
  links['service_desc_events'] = writeDescriptionUrl(contract, 'asyncapi');
  links['service_doc'] = writeDocsUrl(contract);
  return writeDocument(offer.format, 'api', { name: model.name, title: model.title, version, links });
}

function pageText(reply: Reply, root: FoundRoot): string {
  const { contract } = reply;
  const { model, urls, version } = contract;
  const base = pageLinkBase(reply, root);
  return writeRootPage({
    model,
    resources: readableResources(model, root),
    version,
    root: urls.root(base),
    docs: writeDocsUrl(contract).slice((model.publicUrl ?? '').length),
    pathOf: (resource) => urls.collection(base, resource, []),
    counts: root.totals,
  });
}

function readableResources(model: Model, { readable }: FoundRoot): ReadonlyMap<string, PlacedResource> {
  const placed = placeResources(model).filter(({ resource }) => readable.has(resource.name));
  return new Map(placed.map((each) => [each.resource.name, each]));
}

/** Removes the public URL, because the page sends requests to its own origin. `/` has the version in its links. */
function pageLinkBase({ contract: { model, linkBases }, base }: Reply, { isHome }: FoundRoot): LinkBase {
  const { prefix, parameters } = isHome ? linkBases.canonical : base;
  return { prefix: prefix.slice((model.publicUrl ?? '').length), parameters };
}

/** Responds with a description of the API: in OpenAPI, AsyncAPI, or as a page (OPS-1). */
export function descriptionResponse(reply: Reply, { description }: FoundDescription): BufferedResponse {
  const { body, digest, headers, compressed } = description;
  const selected = selectDocument(bodyETag(namedETags(reply.variant, digest), body));
  const response = conditionalResponse(reply, selected, { links: [], headers, body: () => body });
  return response.body === null ? response : { ...response, compressed };
}
