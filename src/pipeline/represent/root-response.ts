import type { BufferedResponse } from '../exchange.ts';
import type { Negotiated } from '../negotiate.ts';
import type { Services } from '../services.ts';
import { canonicalLink, conditionalResponse, selectedDocument } from './conditional-response.ts';
import { writeDocument } from './encode.ts';

/** `GET {base}`: links to the collections (REP-10). Those below another resource have no URL without an id. */
export function rootResponse(request: Negotiated, { etags }: Pick<Services, 'etags'>): BufferedResponse {
  const { model, urls, version } = request.contract;
  const links: Record<string, string> = { self: urls.root(request.base) };
  for (const resource of model.resources.values()) {
    if (resource.parent === null) links[resource.name] = urls.collection(request.base, resource, []);
  }
  const text = writeDocument(request.offer.format, 'api', { name: model.name, title: model.title, version, links });
  const selected = selectedDocument(etags.content(request, text));
  return conditionalResponse(request, selected, { links: canonicalLink(request, urls.root), body: () => text });
}
