/** Fields for framing, routing, authentication and content format, which RFC 9110 6.5.1 forbids in trailers. */
const forbidden: ReadonlySet<string> = new Set([
  'authorization',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'expect',
  'host',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'keep-alive',
  'max-forwards',
  'pragma',
  'proxy-authorization',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The first forbidden field of a trailer section; null where it has none.
 *
 * @param fields alternating names and values
 */
export function forbiddenTrailer(fields: readonly string[]): string | null {
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at];
    if (name !== undefined && forbidden.has(name.toLowerCase())) return name;
  }
  return null;
}
