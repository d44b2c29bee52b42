import { type ApiError, apiError } from '../../conventions/errors.ts';
import { requestTimeoutError } from '../../conventions/receive-errors.ts';
import type { Limits } from '../../model/model.ts';
import { startsInTarget } from './request-head.ts';

/** The error of Node's 'clientError' event. */
export interface ParserError extends Error {
  /** `HPE_...` from the parser, `ERR_HTTP_REQUEST_TIMEOUT`, or an error code of the system. */
  readonly code?: string;
  /** The packet that the parser read, and the index of the error in it. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const NO_BYTES = Buffer.alloc(0);
const TLS_HANDSHAKE = 0x16;
/** A head or a trailer section that is larger than the parser accepts. */
const OVERFLOW = 'HPE_HEADER_OVERFLOW';

/** Cause and fix by parser error code. All are 400 `REQUEST_MALFORMED`. */
const malformed: Readonly<Record<string, string>> = {
  HPE_INVALID_VERSION:
    'The request line does not end with HTTP/1.0 or HTTP/1.1 and CR LF. Send a request line such as GET / HTTP/1.1.',
  HPE_INVALID_HEADER_TOKEN:
    'A header line is malformed. Send "Name: value" on one line, without a space before the colon and without control characters.',
  HPE_LF_EXPECTED: 'A CR has no LF after it. End each line with CR LF and send neither elsewhere.',
  HPE_CR_EXPECTED: 'An LF has no CR before it. End each line with CR LF and send neither elsewhere.',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length is not a number of bytes. Send decimal digits only.',
  HPE_UNEXPECTED_CONTENT_LENGTH:
    'Content-Length was sent twice or together with Transfer-Encoding. Send one of them, once.',
  HPE_INVALID_TRANSFER_ENCODING:
    'Transfer-Encoding is not chunked or was sent together with Content-Length. Send only chunked, or Content-Length.',
  HPE_INVALID_CHUNK_SIZE:
    'A chunk does not begin with its size in hexadecimal digits. Send chunk sizes as RFC 9112 defines them.',
  HPE_INVALID_EOF_STATE: 'The connection ended in the middle of the request. Send the whole request.',
  HPE_PAUSED_H2_UPGRADE: 'HTTP/2 is not supported on this port. Send HTTP/1.1.',
};

/**
 * The error response for a message that the parser rejected (URL-4, URL-8, MET-6, LIM-1).
 *
 * @param limits sizes in bytes
 * @param message the available bytes of the message
 */
export function parserApiError({ code = '' }: ParserError, limits: Limits, message: Buffer = NO_BYTES): ApiError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeoutError();
    case OVERFLOW:
      return startsInTarget(message) ? targetTooLong(limits.target) : headersTooLarge(limits.headers);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return apiError('REQUEST_BODY_TOO_LARGE', 'The chunk extensions are too large. Send chunks without extensions.');
    case 'HPE_INVALID_URL':
      return apiError(
        'REQUEST_URI_INVALID',
        'The request target does not begin with a slash or contains a character that must be escaped. Percent-encode it as UTF-8.',
      );
    default:
      return apiError('REQUEST_MALFORMED', malformed[code] ?? notHttpMessage(message));
  }
}

/** True if a head is too large. Of such a head only the last packet is available. */
export function isHeaderOverflow({ code }: ParserError): boolean {
  return code === OVERFLOW;
}

/** The request target is longer than the limit (414). @param limit bytes */
export function targetTooLong(limit: number): ApiError {
  return apiError('REQUEST_URI_TOO_LONG', `The request target is longer than ${limit} bytes. Send a shorter one.`);
}

/** The bytes are not an HTTP/1 message (400, MET-6). */
export function notHttp(message: Buffer): ApiError {
  return apiError('REQUEST_MALFORMED', notHttpMessage(message));
}

/** True if the error gets a response: an invalid or late request does, a broken connection does not. */
export function hasResponse({ code }: ParserError): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' || code?.startsWith('HPE_') === true;
}

/**
 * True if the parser may have rejected an unknown method. It has two codes for it; the second is that of RTSP methods.
 */
export function isMethodError({ code }: ParserError): boolean {
  return code === 'HPE_INVALID_METHOD' || code === 'HPE_INVALID_CONSTANT';
}

/** Neither HTTP/1.0 nor HTTP/1.1 (400). */
export function unsupportedVersion(): ApiError {
  return apiError('REQUEST_MALFORMED', 'This version of HTTP is not supported on this port. Send HTTP/1.1.');
}

function headersTooLarge(limit: number): ApiError {
  return apiError(
    'REQUEST_HEADERS_TOO_LARGE',
    `The header fields are larger than ${limit} bytes. Send fewer or shorter ones.`,
  );
}

function notHttpMessage(message: Buffer): string {
  return message[0] === TLS_HANDSHAKE
    ? 'This port serves plain HTTP and received a TLS handshake. Use http:// or the port of the TLS proxy.'
    : 'The bytes are not an HTTP request. Begin with a request line such as GET / HTTP/1.1.';
}
