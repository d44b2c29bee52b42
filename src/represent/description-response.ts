import type { BufferedResponse } from '../exchange/handler.ts';
import type { Negotiated } from '../pipeline/negotiate.ts';
import type { FoundDescription } from '../operations/read/descriptions.ts';
import type { Services } from '../pipeline/services.ts';
import { conditionalResponse, selectedDocument } from './conditional-response.ts';

/** A description of the API: in OpenAPI, or as a page (OPS-1). */
export function descriptionResponse(
  request: Negotiated,
  { description }: FoundDescription,
  { etags }: Pick<Services, 'etags'>,
): BufferedResponse {
  const { body, digest, headers, compressed } = description;
  const selected = selectedDocument(etags.named(request, digest, body));
  const response = conditionalResponse(request, selected, { links: [], headers, body: () => body });
  return response.body === null ? response : { ...response, compressed };
}
