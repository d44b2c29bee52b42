import { type ApiError, apiError } from '../../conventions/errors.ts';
import { headerFields } from '../../conventions/headers/header-fields.ts';
import { bodyTooLargeError, incompleteBodyError } from '../../conventions/receive-errors.ts';
import { bufferedBody, type RawRequest } from '../../exchange/handler.ts';
import type { ParserError } from './parser-error.ts';
import { hasInvalidLine, isHeadComplete, readHead } from './request-head.ts';

const LATER_MINOR = /^[^ \r\n]+ [^ \r\n]+ HTTP\/1\.[2-9](?:\r|$)/;
const HEAD_END = '\r\n\r\n';
const DIGITS = /^[0-9]{1,15}$/;

/**
 * True if the parser has rejected a request of HTTP/1.2 to HTTP/1.9, which a server treats as its own HTTP/1.1 (RFC
 * 9110 2.5).
 */
export function isLaterMinor({ code }: ParserError, message: Buffer): boolean {
  return code === 'HPE_INVALID_VERSION' && LATER_MINOR.test(message.toString('latin1'));
}

/** True if the bytes contain the whole request, or as much of it as it is refused by. @param limit bytes of a body */
export function isRequestComplete(message: Buffer, limit: number): boolean {
  if (!isHeadComplete(message)) return false;
  const { start, length } = findBody(message);
  return length > limit || message.length >= start + length;
}

/**
 * The request, as one of HTTP/1.1.
 *
 * @throws {ApiError} 400 for what the parser would reject, and for a chunked body, which only the parser can read; 413
 */
export function readLaterRequest(message: Buffer, peer: string, limit: number): RawRequest {
  const { start, length } = findBody(message);
  const head = readHead(message);
  if (start === 0 || hasInvalidLine(message))
    throw malformed('A header line is malformed. Send "Name: value" on one line.');
  if (headerFields(head.headers).get('transfer-encoding') !== null)
    throw malformed('A chunked body needs HTTP/1.1. Send HTTP/1.1, or Content-Length.');
  if (length > limit) throw bodyTooLargeError(limit);
  const bytes = message.subarray(start, start + length);
  if (bytes.length < length) throw incompleteBodyError();
  return { ...head, body: length === 0 ? null : bufferedBody(bytes), httpVersion: '1.1', peer };
}

/**
 * Finds the start of the body, 0 without a whole head, and its declared length. A length that is no number is the
 * pipeline's to refuse.
 */
function findBody(message: Buffer): { readonly start: number; readonly length: number } {
  const end = message.indexOf(HEAD_END);
  if (end === -1) return { start: 0, length: 0 };
  const declared = headerFields(readHead(message).headers).get('content-length') ?? '';
  return { start: end + HEAD_END.length, length: DIGITS.test(declared) ? Number(declared) : 0 };
}

function malformed(message: string): ApiError {
  return apiError('REQUEST_MALFORMED', message);
}
