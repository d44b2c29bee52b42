import { type BodyRule, type BodyType, jsonFormError } from '../../conventions/media/body-type.ts';
import { ApiError, apiError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import { isJsonForm, readForm } from '../../formats/form.ts';
import { inflate } from '../../formats/gzip.ts';
import { readJson } from '../../formats/json.ts';
import { readMultipart } from '../../formats/multipart.ts';
import type { ObjectType } from '../../formats/typed-reader.ts';
import { readXml } from '../../formats/xml.ts';
import type { Limits, Resource } from '../../model/model.ts';
import type { RequestBody } from '../../exchange/handler.ts';

/** A body that a request sends, and the form that its header fields declare. */
export interface SentBody {
  /** null if the method takes none, or the request has none. */
  readonly content: RequestBody | null;
  /** null if there is no body. */
  readonly type: BodyType | null;
  readonly gzipped: boolean;
  /** The types that the method accepts; null if there is no body. */
  readonly rule: BodyRule | null;
}

/** A parsed body with its bytes. An error of parsing is returned, not thrown: 404, 403, 412 and 428 rank before it. */
export type ParsedBody =
  | { readonly kind: 'parsed'; readonly json: Json; readonly bytes: Uint8Array }
  | { readonly kind: 'invalid'; readonly error: ApiError; readonly bytes: Uint8Array };

/** The types by which XML, forms and multipart are read: their values are text. */
export interface BodyShape {
  readonly resource: Pick<Resource, 'singular'>;
  readonly bodyType: ObjectType;
}

const NO_BYTES = new Uint8Array();

/**
 * Reads and parses a whole body.
 *
 * @throws {ApiError} 413 and 408, which rank before every question to the store; REQUEST_MEDIA_TYPE_UNSUPPORTED: JSON
 *   that is sent as a form (NEG-2)
 */
export async function parseBody(sent: SentBody, shape: BodyShape, limits: Limits): Promise<ParsedBody> {
  const { content, gzipped } = sent;
  if (content === null) {
    const error = apiError('REQUEST_BODY_REQUIRED', 'The request needs a body; send the resource as JSON.');
    return { kind: 'invalid', error, bytes: NO_BYTES };
  }
  let bytes = await content.read(limits.body);
  try {
    if (gzipped) bytes = await inflate(bytes, limits.body);
    return { kind: 'parsed', json: await decode(bytes, sent, shape, limits), bytes };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return { kind: 'invalid', error, bytes };
    throw error;
  }
}

function decode(bytes: Uint8Array, { type, rule }: SentBody, shape: BodyShape, limits: Limits): Json | Promise<Json> {
  switch (type?.kind) {
    case 'xml':
      return readXml(bytes, shape.resource.singular, shape.bodyType, limits);
    case 'form':
      if (rule !== null && isJsonForm(bytes)) throw jsonFormError(rule);
      return readForm(bytes, shape.bodyType, limits);
    case 'multipart':
      return readMultipart(bytes, type.boundary, shape.bodyType, limits);
    case 'json':
    case 'merge-patch':
    case 'json-patch':
    case 'ndjson':
    case undefined:
      return readJson(bytes, limits);
  }
}
