import type { ErrorCode, ResourceErrorCode } from '../src/conventions/errors.ts';

/** The cause of an error code, and how a client fixes it. */
export interface Prose {
  readonly cause: string;
  readonly fix: string;
}

const prose = (cause: string, fix: string): Prose => ({ cause, fix });

/** The codes that belong to no resource. */
export const errorProse: Readonly<Record<ErrorCode, Prose>> = {
  REQUEST_MALFORMED: prose(
    'The bytes are not a valid HTTP request: a broken request line, a missing or repeated `Host`, contradictory lengths.',
    'Send a request as RFC 9112 defines it; HTTP libraries do.',
  ),
  REQUEST_URI_INVALID: prose(
    'The request target has an invalid `%` escape, bytes that are not UTF-8, or a character that must be encoded.',
    'Percent-encode the data in the path and the query; the `+` of a time offset is `%2B`.',
  ),
  REQUEST_HEADER_INVALID: prose(
    'A header is malformed, or was sent twice where only one is allowed.',
    'Correct the header named in `details`.',
  ),
  REQUEST_BODY_REQUIRED: prose('A write has no body.', 'Send the representation, with its `Content-Type`.'),
  REQUEST_BODY_MALFORMED: prose(
    'The body does not match its `Content-Type`: a syntax error, duplicate members, too many levels of nesting.',
    'Correct the body at the line and column in the message.',
  ),
  REQUEST_PARAMETER_UNKNOWN: prose(
    'A query parameter is neither reserved nor a filterable field.',
    'Use the name that the message suggests, or send `Prefer: handling=lenient`.',
  ),
  REQUEST_PARAMETER_DUPLICATED: prose(
    'A query parameter with a single value was sent twice.',
    'Send it once. To match any of several values, list them: `status[in]=a,b`.',
  ),
  REQUEST_PARAMETER_INVALID: prose('A query parameter has an invalid value.', 'Send one of the values in the message.'),
  QUERY_FILTER_INVALID: prose(
    'A filter has an unknown operator, or a value that does not match the type of its field.',
    'Send a value of the type in the message.',
  ),
  QUERY_SORT_INVALID: prose(
    '`sort` has a field that is not sortable, or more than 5 fields.',
    'Sort by the fields in the message.',
  ),
  QUERY_FIELDS_INVALID: prose(
    '`fields` has a field that the resource does not have.',
    'Use the field names of a representation.',
  ),
  QUERY_EXPAND_INVALID: prose(
    '`expand` has an unknown relation, too many levels, or would return too many resources.',
    'Expand relations that the message lists, on a smaller page.',
  ),
  PAGINATION_LIMIT_INVALID: prose(
    '`limit` is zero, negative or not an integer, or the items of a page with a number are too large for one page.',
    'Send an integer of at least 1, or the limit that the message names. The server lowers a value above the maximum.',
  ),
  PAGINATION_POSITION_INVALID: prose(
    'A page, offset or time is out of range.',
    'Start with 1 for `page` and 0 for `offset`. Read far into a collection by cursor.',
  ),
  PAGINATION_CONFLICT: prose(
    'The request has parameters of two pagination techniques.',
    'Send those of one technique: `page`, `offset`, `after`, ...',
  ),
  PAGINATION_CURSOR_INVALID: prose(
    'The cursor is truncated, modified or from another collection.',
    'Send `next_cursor` or `prev_cursor` unchanged, or follow `links.next`. Otherwise start at the first page.',
  ),
  PAGINATION_CURSOR_MISMATCH: prose(
    'The filters or `sort` differ from those of the cursor.',
    'Omit them (the cursor restores them), or start at the first page with the new ones.',
  ),
  API_VERSION_INVALID: prose('A version is not `MAJOR[.MINOR[.PATCH]]`.', 'Write it as `1` or `1.4`.'),
  API_VERSION_UNSUPPORTED: prose(
    'The version in the query or the header is not supported.',
    'Use one of the versions in the message.',
  ),
  API_VERSION_CONFLICT: prose('The request has two different versions.', 'Send the version in one place.'),
  IDEMPOTENCY_KEY_REQUIRED: prose(
    'Writes to this resource require an idempotency key.',
    'Send `Idempotency-Key` with a new random value, and the same value on every retry.',
  ),
  IDEMPOTENCY_KEY_INVALID: prose(
    'The idempotency key is empty, too long or not visible ASCII.',
    'Send 1 to 255 visible ASCII characters.',
  ),
  AUTH_REQUEST_INVALID: prose(
    '`Authorization` is malformed or was sent twice.',
    'Send one line: `Authorization: Bearer TOKEN`.',
  ),
  WEBHOOK_URL_FORBIDDEN: prose(
    'The URL of a webhook is not https, or its host is not public.',
    'Send an https URL of a public host, without user information.',
  ),
  BATCH_INVALID: prose('The batch itself is invalid.', 'Correct what `details` names. No operation was executed.'),
  AUTH_REQUIRED: prose('The request has no credentials.', 'Send `Authorization: Bearer TOKEN`.'),
  AUTH_TOKEN_EXPIRED: prose('The token has expired.', 'Get a new token and send the request again.'),
  AUTH_TOKEN_INVALID: prose(
    'The token is forged, malformed or for another service.',
    'Get a token from the issuer in `WWW-Authenticate`.',
  ),
  AUTH_SCOPE_INSUFFICIENT: prose(
    'The token is valid, but a scope is missing.',
    'Get a token with the scope in `WWW-Authenticate`.',
  ),
  AUTH_TLS_REQUIRED: prose(
    'The request was not encrypted.',
    'Use https. Revoke the token: it may have been read by others.',
  ),
  AUTH_ORIGIN_FORBIDDEN: prose(
    'A page of another site sent a request that could change something.',
    'Send it from the origin of the API, or name the origin of the page in `cors.origins` of the model.',
  ),
  AUTH_ROLE_FORBIDDEN: prose(
    'The role of the database that the token names may not do this, or the model does not list it.',
    'Get a token for another role, or ask the operator of the database for the right.',
  ),
  REQUEST_ROUTE_NOT_FOUND: prose(
    'No resource has this path in this version.',
    'Follow the links, starting from the base path of the API.',
  ),
  API_VERSION_NOT_FOUND: prose('The version in the path is not supported.', 'Use one of the versions in the message.'),
  REQUEST_METHOD_NOT_ALLOWED: prose('This target does not support the method.', 'Use a method in `Allow`.'),
  REQUEST_NOT_ACCEPTABLE: prose(
    'No representation matches `Accept`.',
    'Accept one of the media types in the message, or `*/*`.',
  ),
  REQUEST_TIMEOUT: prose('The request did not arrive in time.', 'Send it again, over a better connection.'),
  IDEMPOTENCY_KEY_IN_PROGRESS: prose(
    'The first request with this key is still in progress.',
    'Wait for the time in `Retry-After` and send it again with the same key.',
  ),
  API_VERSION_RETIRED: prose('The version is no longer supported.', 'Migrate to the version in `Link`.'),
  EVENT_POSITION_EXPIRED: prose(
    'The events after this position are no longer stored.',
    'Read the resources again and continue from the latest event.',
  ),
  REQUEST_BODY_TOO_LARGE: prose(
    'The body is larger than the limit, or would make a resource larger than `limits.row`.',
    'Send less, or several requests; remove something from the resource first.',
  ),
  REQUEST_URI_TOO_LONG: prose(
    'The request target is longer than the limit.',
    'Shorten the query: fewer values, fewer filters.',
  ),
  REQUEST_MEDIA_TYPE_UNSUPPORTED: prose(
    'The body has no media type, or one that this target does not support.',
    'Send one from `Accept`, `Accept-Patch` or the message, in UTF-8.',
  ),
  REQUEST_ENCODING_UNSUPPORTED: prose(
    'The `Content-Encoding` of the body is not supported.',
    'Send the body without one, or with one from `Accept-Encoding`.',
  ),
  REQUEST_EXPECTATION_FAILED: prose('`Expect` is not `100-continue`.', 'Omit the header.'),
  IDEMPOTENCY_KEY_REUSED: prose(
    'The key was used for a different request.',
    'Use a new key for each request, and the same key only to repeat it unchanged.',
  ),
  REQUEST_PRECONDITION_REQUIRED: prose(
    'Writes to this resource require a precondition.',
    'Read the resource and send its `ETag` in `If-Match`.',
  ),
  RATE_LIMIT_EXCEEDED: prose('Too many requests in the window.', 'Wait for the time in `Retry-After`.'),
  REQUEST_HEADERS_TOO_LARGE: prose('The headers are too many or too large.', 'Send fewer: cookies are not needed.'),
  SERVER_ERROR: prose(
    'An error occurred on the server.',
    'Report `correlationId`: the log has the cause. A write may have been stored: read before you repeat it.',
  ),
  REQUEST_METHOD_NOT_IMPLEMENTED: prose('The method is unknown.', 'Use one that OPTIONS lists in `Allow`.'),
  SERVER_UNAVAILABLE: prose(
    'The server is stopping or its database is unavailable.',
    'Wait for the time in `Retry-After`.',
  ),
  SERVER_OUTCOME_UNKNOWN: prose(
    'The database did not confirm a write: it may have been made, or not.',
    'Send it again with the same `Idempotency-Key`: it is made once. Without a key, read the resource first.',
  ),
  SERVER_OVERLOADED: prose(
    'Too much work is queued, or too many responses have not been read by clients. This request changed nothing.',
    'Wait for the time in `Retry-After` and send it again.',
  ),
  SERVER_TIMEOUT: prose(
    'The request took too long and was aborted. A write was rolled back.',
    'Request less: a smaller page, or a filter or sort that an index supports. Then send it again.',
  ),
  AUTH_UNAVAILABLE: prose(
    'The keys that verify tokens cannot be fetched.',
    'Wait for the time in `Retry-After`. The token may be valid.',
  ),
};

/** The codes with the prefix of a resource. */
export const resourceErrorProse: Readonly<Record<ResourceErrorCode, Prose>> = {
  INVALID: prose('The body does not match the schema of the resource.', 'Correct every field in `details`.'),
  FORBIDDEN: prose('The caller may read the resource but not change it.', 'Request the permission from its owner.'),
  NOT_FOUND: prose(
    'The resource does not exist, or the caller may not read it.',
    'Check the id, and in a nested URL that it belongs to this parent.',
  ),
  ALREADY_EXISTS: prose(
    'The id, or a value that must be unique, is in use.',
    'Choose another value for the field in `details`, or change the resource that has it.',
  ),
  CONFLICT: prose(
    'The current state of the resource does not allow this: a transition that is not declared, a patch that does not apply.',
    'Read the resource again and decide.',
  ),
  HAS_DEPENDENTS: prose('Other resources refer to this one.', 'Delete or change them first.'),
  GONE: prose('The resource was deleted.', 'Remove its URL.'),
  PRECONDITION_FAILED: prose(
    'The resource has changed since the caller read it, or does not exist.',
    'Read it again, apply the change to the current state, and send the new `ETag`.',
  ),
};
