/** The first line of an HTTP/1 request, as far as it is needed to answer it. */
export interface RequestLine {
  readonly method: string;
  readonly target: string;
}

/** `method SP request-target SP HTTP-version` (RFC 9112 3), after empty lines that a server ignores (2.2). */
const REQUEST_LINE = /^(?:\r\n)*([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([\x21-\x7e]+) HTTP\/1\.[0-9]\r\n/;
/** Longer than any request line that is served. */
const MAX_BYTES = 16_384;

/**
 * Reads the request line of bytes that an HTTP parser refused, to tell a method known nowhere (501) from a line that is none
 * (400) (MET-6).
 *
 * @returns null where the bytes do not begin with a whole, well-formed request line of HTTP/1
 */
export function readRequestLine(bytes: Uint8Array): RequestLine | null {
  const [, method, target] = REQUEST_LINE.exec(new TextDecoder('latin1').decode(bytes.subarray(0, MAX_BYTES))) ?? [];
  return method === undefined || target === undefined ? null : { method, target };
}
