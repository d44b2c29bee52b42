/** The request line of an HTTP/1 request, without its version. */
interface RequestLine {
  readonly method: string;
  readonly target: string;
}

/** `method SP request-target SP HTTP-version` (RFC 9112 3), after empty lines, which a server ignores (2.2). */
const REQUEST_LINE = /^(?:\r\n)*([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([\x21-\x7e]+) HTTP\/1\.[0-9]\r\n/;
/** More bytes than any request line that is accepted. */
const MAX_BYTES = 16_384;

/**
 * Reads the request line from bytes that the HTTP parser rejected, to distinguish an unknown method (501) from a
 * malformed request line (400) (MET-6).
 *
 * @returns null if the bytes do not begin with a complete, well-formed request line of HTTP/1
 */
export function readRequestLine(bytes: Uint8Array): RequestLine | null {
  const [, method, target] = REQUEST_LINE.exec(new TextDecoder('latin1').decode(bytes.subarray(0, MAX_BYTES))) ?? [];
  return method === undefined || target === undefined ? null : { method, target };
}
