/**
 * Fields that decide how a message is framed, routed, authenticated or understood, and so come too late after the body
 * (RFC 9110 6.5.1).
 */
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
 * The first field of a trailer section that has no place there; null where all may stand.
 *
 * @param fields names and values in turn
 */
export function forbiddenTrailer(fields: readonly string[]): string | null {
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at];
    if (name !== undefined && forbidden.has(name.toLowerCase())) return name;
  }
  return null;
}
