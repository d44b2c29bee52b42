import { requestTimeoutError } from '../../conventions/receive-errors.ts';
import { type ApiError, apiError } from '../../conventions/errors.ts';
import type { Limits } from '../../model/model.ts';
import { startsInTarget } from './request-head.ts';

/** An error of Node's HTTP server as 'clientError' brings it. */
export interface ParserError extends Error {
  /** `HPE_...` from the parser, `ERR_HTTP_REQUEST_TIMEOUT`, or a code of the system. */
  readonly code?: string;
  /** The packet that the parser was given, and the index of the fault in it. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const TLS_HANDSHAKE = 0x16;
/** A head, or a trailer section, beyond what the parser takes. */
const OVERFLOW = 'HPE_HEADER_OVERFLOW';

/** What is wrong, and what to send instead, by code of the parser. All are 400 `REQUEST_MALFORMED`. */
const malformed: Readonly<Record<string, string>> = {
  HPE_INVALID_VERSION:
    'The request line does not end with HTTP/1.0 or HTTP/1.1 and CR LF; send one such as GET / HTTP/1.1.',
  HPE_INVALID_HEADER_TOKEN:
    'A header line is malformed; send "Name: value" on one line, without a space before the colon and without control characters.',
  HPE_LF_EXPECTED: 'A CR stands without its LF; end each line with CR LF and send neither elsewhere.',
  HPE_CR_EXPECTED: 'An LF stands without its CR; end each line with CR LF and send neither elsewhere.',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length is not a number of bytes; send decimal digits alone.',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'Content-Length stands twice or beside Transfer-Encoding; send one of them, once.',
  HPE_INVALID_TRANSFER_ENCODING:
    'Transfer-Encoding is not chunked or stands beside Content-Length; send chunked alone, or Content-Length.',
  HPE_INVALID_CHUNK_SIZE: 'A chunk does not begin with its size in hexadecimal digits; send sizes as RFC 9112 says.',
  HPE_INVALID_EOF_STATE: 'The connection ended in the middle of the request; send all of it.',
  HPE_PAUSED_H2_UPGRADE: 'HTTP/2 is not spoken on this port; send HTTP/1.1.',
};

/**
 * The refusal for a message that the parser gave up (URL-4, URL-8, MET-6, LIM-1).
 *
 * @param message the bytes at hand of the faulty message, empty where there are none
 * @param limits sizes in bytes
 */
export function parserApiError({ code = '' }: ParserError, message: Buffer, limits: Limits): ApiError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeoutError();
    case OVERFLOW:
      return startsInTarget(message) ? targetTooLong(limits.target) : headersTooLarge(limits.headers);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return apiError('REQUEST_BODY_TOO_LARGE', 'The extensions of the chunks are too large; send chunks without any.');
    case 'HPE_INVALID_URL':
      return apiError(
        'REQUEST_URI_INVALID',
        'The request target does not begin with a slash or holds a character that no URL holds raw; percent-encode it as UTF-8.',
      );
    default:
      return apiError('REQUEST_MALFORMED', malformed[code] ?? notHttpMessage(message));
  }
}

/** Whether a head is too long. Of such a one no more than the last packet is at hand. */
export function isHeaderOverflow({ code }: ParserError): boolean {
  return code === OVERFLOW;
}

/** The request line passes what the server reads (414). */
export function targetTooLong(limit: number): ApiError {
  return apiError('REQUEST_URI_TOO_LONG', `The request target is longer than ${limit} bytes; send a shorter one.`);
}

/** A well-formed request line with a method known nowhere (501, MET-6). */
export function unknownMethod(): ApiError {
  return apiError('REQUEST_METHOD_NOT_IMPLEMENTED', 'This method is not implemented; send one that OPTIONS lists.');
}

/** What came is no message of HTTP/1 (400, MET-6). */
export function notHttp(message: Buffer): ApiError {
  return apiError('REQUEST_MALFORMED', notHttpMessage(message));
}

/** Only what came as bytes of a request is answered; a broken connection is nobody's fault and has nobody to tell. */
export function isAnswerable({ code }: ParserError): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' || code?.startsWith('HPE_') === true;
}

/** The parser tells of a method that it does not know in two ways; the second is for those of RTSP. */
export function isMethodError({ code }: ParserError): boolean {
  return code === 'HPE_INVALID_METHOD' || code === 'HPE_INVALID_CONSTANT';
}

export function unsupportedVersion(): ApiError {
  return apiError('REQUEST_MALFORMED', 'This version of HTTP is not spoken on this port; send HTTP/1.1.');
}

function headersTooLarge(limit: number): ApiError {
  return apiError('REQUEST_HEADERS_TOO_LARGE', `The header fields are larger than ${limit} bytes; send less.`);
}

function notHttpMessage(message: Buffer): string {
  return message[0] === TLS_HANDSHAKE
    ? 'This port speaks plain HTTP, and the bytes are of TLS; use http:// or the port of the TLS proxy.'
    : 'The bytes are not an HTTP request; begin with a request line such as GET / HTTP/1.1.';
}
