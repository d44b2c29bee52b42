import type { ErrorCode, ResourceErrorCode } from '../src/conventions/errors.ts';

/** When a code is answered, and what the caller does about it. */
export interface Prose {
  readonly when: string;
  readonly cure: string;
}

const prose = (when: string, cure: string): Prose => ({ when, cure });

/** A line for every code that no resource owns. */
export const errorProse: Readonly<Record<ErrorCode, Prose>> = {
  REQUEST_MALFORMED: prose(
    'The bytes are no HTTP request: a broken request line, `Host` missing or repeated, lengths that contradict each other.',
    'Send a request as RFC 9112 writes it; an HTTP library does.',
  ),
  REQUEST_URI_INVALID: prose(
    'The target holds a bad `%` escape, bytes that are not UTF-8, or a character that must be encoded.',
    'Percent-encode every data byte of the path and the query; a `+` of a time offset is `%2B`.',
  ),
  REQUEST_HEADER_INVALID: prose(
    'A header is malformed, or stands twice where one is allowed.',
    'Correct the header that `details` names.',
  ),
  REQUEST_BODY_REQUIRED: prose('A write came without a body.', 'Send the representation, with its `Content-Type`.'),
  REQUEST_BODY_MALFORMED: prose(
    'The body is not what its `Content-Type` says: a syntax error, duplicate members, nesting too deep.',
    'Correct the body at the line and column that the message names.',
  ),
  REQUEST_PARAMETER_UNKNOWN: prose(
    'A query parameter is neither reserved nor a filterable field.',
    'Use the name that the message suggests, or send `Prefer: handling=lenient`.',
  ),
  REQUEST_PARAMETER_DUPLICATED: prose(
    'A query parameter that takes one value stands twice.',
    'Send it once; for any-of, list the values: `status[in]=a,b`.',
  ),
  REQUEST_PARAMETER_INVALID: prose(
    'A query parameter has a value that it cannot take.',
    'Send one of the values that the message names.',
  ),
  QUERY_FILTER_INVALID: prose(
    "A filter has an unknown operator, or a value that is not of its field's type.",
    'Send a value of the type that the message names.',
  ),
  QUERY_SORT_INVALID: prose(
    '`sort` names a field that is not sortable, or more than 5.',
    'Sort by the fields that the message lists.',
  ),
  QUERY_FIELDS_INVALID: prose(
    '`fields` names a field that the resource lacks.',
    'Take the names from a representation.',
  ),
  QUERY_EXPAND_INVALID: prose(
    '`expand` names no relation, goes too deep or would bring too many resources.',
    'Expand relations that the message lists, on a smaller page.',
  ),
  PAGINATION_LIMIT_INVALID: prose(
    '`limit` is zero, negative or no integer.',
    'Send an integer from 1; above the maximum it is lowered for you.',
  ),
  PAGINATION_POSITION_INVALID: prose(
    'A page, offset or time is out of its range.',
    'Start at 1 for `page` and 0 for `offset`; go far into a collection by cursor.',
  ),
  PAGINATION_CONFLICT: prose(
    'Parameters of two pagination techniques stand together.',
    'Keep those of one technique: `page`, `offset`, `after`, ...',
  ),
  PAGINATION_CURSOR_INVALID: prose(
    'The cursor was cut, changed or made for something else.',
    'Send `next_cursor` or `prev_cursor` unchanged, or follow `links.next`; else start at the first page.',
  ),
  PAGINATION_CURSOR_MISMATCH: prose(
    'Filters or `sort` differ from those that the cursor was made with.',
    'Leave them out (the cursor restores them), or start at the first page with the new ones.',
  ),
  API_VERSION_INVALID: prose('A version is not written `MAJOR[.MINOR[.PATCH]]`.', 'Write it like `1` or `1.4`.'),
  API_VERSION_UNSUPPORTED: prose(
    'The version in the query or the header is not served.',
    'Ask for one of the versions that the message lists.',
  ),
  API_VERSION_CONFLICT: prose('Two places of the request name different versions.', 'Name the version in one place.'),
  IDEMPOTENCY_KEY_REQUIRED: prose(
    'This resource takes writes only with an idempotency key.',
    'Send `Idempotency-Key` with a fresh random value, the same on every retry.',
  ),
  IDEMPOTENCY_KEY_INVALID: prose(
    'The idempotency key is empty, too long or not visible ASCII.',
    'Send 1 to 255 visible ASCII characters.',
  ),
  AUTH_REQUEST_INVALID: prose(
    '`Authorization` is malformed or stands twice.',
    'Send one line: `Authorization: Bearer TOKEN`.',
  ),
  WEBHOOK_URL_FORBIDDEN: prose(
    'A webhook points to an address that is not public, or not to https.',
    'Give an https URL of a public host without user information.',
  ),
  BATCH_INVALID: prose('The batch itself is faulty.', 'Correct what `details` names; no operation was carried out.'),
  AUTH_REQUIRED: prose('The request carries no credentials.', 'Send `Authorization: Bearer TOKEN`.'),
  AUTH_TOKEN_EXPIRED: prose('The token was valid once.', 'Get a new token and send the request again.'),
  AUTH_TOKEN_INVALID: prose(
    'The token is forged, malformed or meant for another service.',
    'Get a token from the issuer that `WWW-Authenticate` leads to.',
  ),
  AUTH_SCOPE_INSUFFICIENT: prose(
    'The token is good, but lacks a scope.',
    'Get a token with the scope that `WWW-Authenticate` names.',
  ),
  AUTH_TLS_REQUIRED: prose(
    'The request came in the clear.',
    'Use https. Treat the token that was sent as known to others.',
  ),
  REQUEST_ROUTE_NOT_FOUND: prose(
    'No resource has this path in this version.',
    'Follow the links, which begin at the base path of the API.',
  ),
  API_VERSION_NOT_FOUND: prose('The path names a version that is not served.', 'Use one that the message lists.'),
  REQUEST_METHOD_NOT_ALLOWED: prose('This target does not have the method.', 'Use one that `Allow` lists.'),
  REQUEST_NOT_ACCEPTABLE: prose(
    'No representation fits `Accept`.',
    'Accept one of the media types that the message lists, or `*/*`.',
  ),
  REQUEST_TIMEOUT: prose('The request did not arrive in time.', 'Send it again, over a better connection.'),
  IDEMPOTENCY_KEY_IN_PROGRESS: prose(
    'The first request with this key is still being worked on.',
    'Wait as long as `Retry-After` says and send it again with the same key.',
  ),
  API_VERSION_RETIRED: prose('The version was served once.', 'Move to the version that `Link` names.'),
  EVENT_POSITION_EXPIRED: prose(
    'The events after this position are no longer kept.',
    'Read the resources anew and go on from the latest event.',
  ),
  REQUEST_BODY_TOO_LARGE: prose('The body is longer than the limit.', 'Send less, or in several requests.'),
  REQUEST_URI_TOO_LONG: prose(
    'The target is longer than the limit.',
    'Shorten the query: fewer values, fewer filters.',
  ),
  REQUEST_MEDIA_TYPE_UNSUPPORTED: prose(
    'The body has no type, or one that this target does not take.',
    'Send one that `Accept`, `Accept-Patch` or the message lists, in UTF-8.',
  ),
  REQUEST_ENCODING_UNSUPPORTED: prose(
    'The body has a `Content-Encoding` that is not taken.',
    'Send it plain, or in one that `Accept-Encoding` lists.',
  ),
  REQUEST_EXPECTATION_FAILED: prose('`Expect` asks for something other than `100-continue`.', 'Leave the header out.'),
  IDEMPOTENCY_KEY_REUSED: prose(
    'The key was used for another request.',
    'Use a fresh key for each request; the same one only to repeat it unchanged.',
  ),
  REQUEST_PRECONDITION_REQUIRED: prose(
    'This resource is changed only by those who say which state they saw.',
    'Read it and send its `ETag` in `If-Match`.',
  ),
  RATE_LIMIT_EXCEEDED: prose('Too many requests in the window.', 'Wait as long as `Retry-After` says.'),
  REQUEST_HEADERS_TOO_LARGE: prose('The headers are too many or too long.', 'Send fewer: cookies are not needed here.'),
  SERVER_ERROR: prose(
    'Something failed on the server.',
    'Report `correlationId`: the log names the cause under it. Whether a write was kept is unknown: read before you repeat it.',
  ),
  REQUEST_METHOD_NOT_IMPLEMENTED: prose('The method is known nowhere.', 'Use one that OPTIONS lists in `Allow`.'),
  SERVER_UNAVAILABLE: prose('The server is stopping or has no database.', 'Wait as long as `Retry-After` says.'),
  SERVER_OVERLOADED: prose(
    'More work is waiting than can be done in time; this request was not begun.',
    'Wait as long as `Retry-After` says and send it again.',
  ),
  SERVER_TIMEOUT: prose(
    'The answer took too long and was given up; a write was rolled back.',
    'Ask for less: a smaller page, a filter or sort that an index serves. Then send it again.',
  ),
  AUTH_UNAVAILABLE: prose(
    'The keys that tokens are checked with cannot be fetched.',
    'Wait as long as `Retry-After` says; the token may be good.',
  ),
};

/** A line for every code that follows a resource's name. */
export const resourceErrorProse: Readonly<Record<ResourceErrorCode, Prose>> = {
  INVALID: prose('The body breaks the schema of the resource.', 'Correct every field that `details` names.'),
  FORBIDDEN: prose('The caller sees the resource but may not change it.', 'Ask its owner for the right to.'),
  NOT_FOUND: prose(
    'There is no such resource, or none that the caller may see.',
    'Check the id, and in a nested URL that it lies under this parent.',
  ),
  ALREADY_EXISTS: prose(
    'The id, or a value that must be unique, is taken.',
    'Choose another value for the field that `details` names, or change the resource that has it.',
  ),
  CONFLICT: prose(
    'The resource is not in a state that allows this: a move that is not listed, a patch that does not fit.',
    'Read the resource and decide anew.',
  ),
  HAS_DEPENDENTS: prose('Other resources still refer to it.', 'Delete or change those first.'),
  GONE: prose('The resource was deleted.', 'Drop the address.'),
  PRECONDITION_FAILED: prose(
    'The resource changed since the caller read it, or does not exist.',
    'Read it again, apply the change to what it is now, and send the new `ETag`.',
  ),
};
