/**
 * Every field that responses have, but for those of the connection and of CORS: pages of other origins may read them
 * (OPS-3).
 */
export const RESPONSE_FIELDS: readonly string[] = [
  'Accept',
  'Accept-Encoding',
  'Accept-Patch',
  'Accept-Post',
  'Accept-Query',
  'Allow',
  'API-Version',
  'Cache-Control',
  'Content-Encoding',
  'Content-Length',
  'Content-Location',
  'Content-Security-Policy',
  'Content-Type',
  'Cross-Origin-Resource-Policy',
  'Date',
  'Deprecation',
  'Dry-Run',
  'ETag',
  'Idempotent-Replayed',
  'Last-Modified',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Server-Timing',
  'Sunset',
  'Vary',
  'WWW-Authenticate',
  'X-Accel-Buffering',
  'X-Content-Type-Options',
  'X-Correlation-ID',
  'X-End-Cursor',
  'X-Next-Cursor',
  'X-Total-Count',
];

/**
 * Every field of requests that changes a response, and those by which clients trace requests: pages of other origins
 * may send them (OPS-3).
 */
export const REQUEST_FIELDS: readonly string[] = [
  'Accept',
  'API-Version',
  'Authorization',
  'Cache-Control',
  'Content-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-Modified-Since',
  'If-None-Match',
  'If-Unmodified-Since',
  'Last-Event-ID',
  'Prefer',
  'X-Correlation-ID',
  'baggage',
  'traceparent',
  'tracestate',
];
