import type { BufferedResponse } from '../exchange/handler.ts';
import { bodyETag, namedETags } from '../operations/etags.ts';
import type { FoundDescription } from '../operations/read/descriptions.ts';
import { selectDocument } from '../operations/selected-representation.ts';
import { conditionalResponse } from './conditional-response.ts';
import type { Reply } from './reply.ts';

/** Responds with a description of the API: in OpenAPI, AsyncAPI, or as a page (OPS-1). */
export function descriptionResponse(reply: Reply, { description }: FoundDescription): BufferedResponse {
  const { body, digest, headers, compressed } = description;
  const selected = selectDocument(bodyETag(namedETags(reply.variant, digest), body));
  const response = conditionalResponse(reply, selected, { links: [], headers, body: () => body });
  return response.body === null ? response : { ...response, compressed };
}
