import { RESPONSE_FIELDS } from '../../conventions/headers/field-names.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import { FIELD_EXAMPLES, withExample } from './api-examples.ts';
import { versionSchema } from '../surface/query-parameters.ts';
import type { OperationField } from '../surface/operation.ts';
import type { Description } from './described-resource.ts';

/** The header fields of requests that descriptions name. */
type RequestField = OperationField | 'API-Version' | 'X-Correlation-ID' | 'traceparent' | 'tracestate';

const OPAQUE = String.raw`(W/)?"[!#-~]*"`;

/**
 * `*`, or a list of ETags (RFC 9110 8.8.3), without the empty elements and the spaces that senders should not write.
 */
const ETAG_LIST_PATTERN = String.raw`^(\*|${OPAQUE}( ?, ?${OPAQUE})*)$`;

/** 1 to 255 visible characters, bare or as a structured-field string (MET-12). */
const IDEMPOTENCY_KEY_PATTERN = String.raw`^([!#-~][!-~]{0,254}|"([!#-\[\]-~]|\\["\\]){1,255}")$`;

const REQUEST_FIELDS: Readonly<Record<RequestField, readonly [description: string, schema?: JsonObject]>> = {
  'API-Version': ['The version of the API; that of the path where it is left out.'],
  'Idempotency-Key': [
    'Names the request: sent again, it is answered as before and not made again.',
    { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN },
  ],
  'If-Match': [
    'The ETag that the resource has to have; of a write, its first part (the revision) is compared.',
    { type: 'string', pattern: ETAG_LIST_PATTERN },
  ],
  'If-None-Match': [
    'ETags of copies: 304 if one is current. * for a resource that must not exist yet.',
    { type: 'string', pattern: ETAG_LIST_PATTERN },
  ],
  'If-Modified-Since': ['A date: 304 if nothing changed since. If-None-Match ranks before it.'],
  'If-Unmodified-Since': ['A date since which the resource has to be unchanged. If-Match ranks before it.'],
  'Last-Event-ID': [
    'Of a feed: the id of the last event that the reader has, a number; the feed continues after it. Pages do not read it.',
  ],
  Prefer: [
    'return=minimal: no body in the response to a write. handling=lenient: unknown parameters and members are ignored.',
  ],
  'X-Correlation-ID': ['Names the request in logs and events, and in the response.'],
  traceparent: ['W3C Trace Context.'],
  tracestate: ['W3C Trace Context.'],
};

/** A reference to a header field of requests. */
export function requestField(name: RequestField, to: Description): JsonObject {
  return to.components.ref('parameters', `header.${name}`, () => {
    const [description, schema = { type: 'string' }] = REQUEST_FIELDS[name];
    const own = name === 'API-Version' ? requestedVersion(to) : withExample(schema, FIELD_EXAMPLES[name]);
    return { name, in: 'header', description, schema: own };
  });
}

function requestedVersion({ components, contract }: Description): JsonObject {
  return components.ref('schemas', 'RequestedVersion', () => versionSchema(contract));
}

/** A header field that a request has to have, without which the server refuses it. */
export function requiredField(name: 'If-Match' | 'Idempotency-Key', to: Description): JsonObject {
  return to.components.ref('parameters', `header.${name}.required`, () => {
    const [description, schema = { type: 'string' }] = REQUEST_FIELDS[name];
    return { name, in: 'header', required: true, description, schema: withExample(schema, FIELD_EXAMPLES[name]) };
  });
}

/** References to the fields that every request may have. */
export function commonRequestFields(description: Description): readonly JsonObject[] {
  return (['API-Version', 'X-Correlation-ID', 'traceparent', 'tracestate'] as const).map((name) =>
    requestField(name, description),
  );
}

/** The meanings of the fields of responses. */
const RESPONSE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Accept: 'The media types that bodies may have.',
  'Accept-Encoding': 'The content codings that bodies may have.',
  'Accept-Patch': 'The media types of PATCH.',
  'Accept-Post': 'The media types of POST.',
  'Accept-Query': 'The media types of QUERY.',
  'Access-Control-Allow-Credentials': 'Whether pages of other origins may send credentials.',
  'Access-Control-Allow-Origin': 'Whose pages may read the response.',
  'Access-Control-Expose-Headers': 'The fields that pages of other origins may read.',
  Allow: 'The methods that the caller may use.',
  'API-Version': 'The version of the response.',
  'Cache-Control': 'What caches may do with the response.',
  'Content-Location': 'The URL of the resource in the body.',
  'Cross-Origin-Resource-Policy': 'Which pages may embed the response.',
  Deprecation: 'Since when the version is deprecated (RFC 9745).',
  'Dry-Run': 'true: nothing was stored.',
  ETag: 'Names this representation; a strong validator.',
  'Idempotent-Replayed': 'true: the response is that of an earlier request with the same key.',
  'Last-Modified': 'When the resource last changed.',
  Link: 'Links (RFC 8288): to other pages, the canonical URL, descriptions, the successor of the resource in the newest version, the page about the deprecation.',
  Location: 'The URL of what was created; of a QUERY, the same request as GET.',
  'Preference-Applied': 'The preferences that were obeyed.',
  RateLimit: 'What is left of the rate limit.',
  'RateLimit-Policy': 'The rate limit.',
  'Retry-After': 'Seconds to wait before the request is sent again.',
  Sunset: 'When the version will no longer be served (RFC 8594).',
  Vary: 'The fields of the request that the response depends on.',
  'WWW-Authenticate': 'How to authenticate.',
  'X-Accel-Buffering': 'no: of a feed, which proxies pass on as it comes.',
  'X-Content-Type-Options': 'nosniff.',
  'X-Correlation-ID': 'Names the request in the log.',
  'X-End-Cursor': 'Of events: the cursor after the page, for formats without metadata.',
  'X-Next-Cursor': 'The cursor of the next page, for formats without metadata.',
  'X-Total-Count': 'The number of items of all pages, for formats without metadata.',
};

/**
 * The fields of responses that descriptions name: those of the connection, of the coding and of the body are left to
 * HTTP.
 */
export const DESCRIBED_FIELDS: readonly string[] = Object.keys(RESPONSE_DESCRIPTIONS);

/** The fields that every response of a description has. */
export function commonResponseFields({ contract }: Description): readonly string[] {
  const { deprecated, sunset, deprecationPage, model } = contract;
  const cors = ['Access-Control-Allow-Origin', 'Access-Control-Allow-Credentials', 'Access-Control-Expose-Headers'];
  return [
    'API-Version',
    'X-Correlation-ID',
    'Vary',
    'Cache-Control',
    'X-Content-Type-Options',
    'Cross-Origin-Resource-Policy',
    ...(model.limits.rate === null ? [] : ['RateLimit', 'RateLimit-Policy']),
    ...(deprecated === null ? [] : ['Deprecation']),
    ...(sunset === null ? [] : ['Sunset']),
    ...(deprecated === null && deprecationPage === null ? [] : ['Link']),
    ...(model.cors === null ? [] : cors),
  ];
}

/** References to fields of a response, each once, the common ones first. */
export function responseFields(names: readonly string[], description: Description): JsonObject {
  return refer(new Set([...commonResponseFields(description), ...names]), description);
}

/** The fields that only responses of a version have (VER-4). */
const VERSION_FIELDS: ReadonlySet<string> = new Set(['API-Version', 'Deprecation', 'Sunset', 'Link']);

/** References to the fields of a response without a version. */
export function unversionedFields(description: Description): JsonObject {
  return refer(new Set(commonResponseFields(description)).difference(VERSION_FIELDS), description);
}

function refer(names: ReadonlySet<string>, description: Description): JsonObject {
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      description.components.ref('headers', name, () => ({
        description: RESPONSE_DESCRIPTIONS[name] ?? '',
        schema: name === 'Retry-After' ? { type: 'integer', minimum: 0, maximum: 86_400 } : { type: 'string' },
      })),
    ]),
  );
}

/** The fields that {@link RESPONSE_FIELDS} has and descriptions do not. */
export const UNDESCRIBED_FIELDS: readonly string[] = RESPONSE_FIELDS.filter((name) => !DESCRIBED_FIELDS.includes(name));
