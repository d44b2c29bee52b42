import { type ApiError, type ErrorCode, apiError } from '../errors.ts';
import type { HeaderFields } from './header-fields.ts';
import { isHost } from '../url/host.ts';

/** Size limits of the header section (URL-8, LIM-1). */
export interface HeaderLimits {
  /** Maximum bytes of all field lines, each with `: ` and its line end. */
  readonly headers: number;
  /** Maximum number of field lines. */
  readonly lines: number;
}

/** The default limits. */
export const HEADER_LIMITS: HeaderLimits = { headers: 16_384, lines: 100 };

const LINE_OVERHEAD = ': \r\n'.length;
const DIGITS = /^[0-9]+$/;

/**
 * Rejects a request if its header section is too large or contradictory, or if its framing is ambiguous (URL-8). An
 * error in one field is REQUEST_HEADER_INVALID; an error in the framing, after which the connection cannot be reused,
 * is REQUEST_MALFORMED.
 *
 * @param httpVersion `1.0` or `1.1`
 * @throws {ApiError} REQUEST_HEADERS_TOO_LARGE, REQUEST_HEADER_INVALID, REQUEST_MALFORMED, AUTH_REQUEST_INVALID,
 *   REQUEST_EXPECTATION_FAILED
 */
export function checkHeaderFields(
  fields: HeaderFields,
  httpVersion: string,
  limits: HeaderLimits = HEADER_LIMITS,
): void {
  checkSize(fields.raw, limits);
  checkHost(fields, httpVersion);
  checkFraming(fields, httpVersion);
  singleValue(fields, 'content-type', 'REQUEST_HEADER_INVALID');
  singleValue(fields, 'authorization', 'AUTH_REQUEST_INVALID');
  checkExpectation(fields);
}

function checkSize(raw: readonly string[], limits: HeaderLimits): void {
  const lines = raw.length / 2;
  if (lines > limits.lines) {
    throw apiError('REQUEST_HEADERS_TOO_LARGE', `The request has more than ${limits.lines} header lines; send fewer.`);
  }
  let bytes = lines * LINE_OVERHEAD;
  for (const text of raw) bytes += text.length;
  if (bytes > limits.headers) {
    throw apiError(
      'REQUEST_HEADERS_TOO_LARGE',
      `The header fields are larger than ${limits.headers} bytes; send fewer or shorter fields.`,
    );
  }
}

/** RFC 9112 3.2: an HTTP/1.1 request has exactly one `Host`, with a valid value. */
function checkHost(fields: HeaderFields, httpVersion: string): void {
  const host = singleValue(fields, 'host', 'REQUEST_HEADER_INVALID');
  if (host === null) {
    if (httpVersion !== '1.0') throw fieldError('REQUEST_HEADER_INVALID', 'Host', 'is missing; HTTP/1.1 requires one');
  } else if (!isHost(host)) {
    throw fieldError(
      'REQUEST_HEADER_INVALID',
      'Host',
      'is not a valid host with an optional port; send a value such as example.com:8080',
    );
  }
}

/**
 * RFC 9112 6.1, 6.3: ambiguous framing allows request smuggling. An unknown transfer coding is 400 too, where the RFC
 * suggests 501: in both cases the end of the body is unknown.
 */
function checkFraming(fields: HeaderFields, httpVersion: string): void {
  const length = singleValue(fields, 'content-length', 'REQUEST_MALFORMED');
  const coding = singleValue(fields, 'transfer-encoding', 'REQUEST_MALFORMED');
  if (length !== null && !DIGITS.test(length)) {
    throw fieldError('REQUEST_MALFORMED', 'Content-Length', 'is not a number of bytes; send decimal digits only');
  }
  if (coding === null) return;
  if (length !== null) {
    throw fieldError(
      'REQUEST_MALFORMED',
      'Transfer-Encoding',
      'cannot be combined with Content-Length; send one of them',
    );
  }
  if (httpVersion === '1.0') {
    throw fieldError('REQUEST_MALFORMED', 'Transfer-Encoding', 'is not part of HTTP/1.0; send Content-Length');
  }
  if (coding.toLowerCase() !== 'chunked') {
    throw fieldError(
      'REQUEST_MALFORMED',
      'Transfer-Encoding',
      'is not supported; send chunked, or Content-Length instead',
    );
  }
}

/** RFC 9110 10.1.1. An empty value is no expectation. */
function checkExpectation(fields: HeaderFields): void {
  const expectation = fields.get('expect');
  if (expectation === null || expectation === '' || expectation.toLowerCase() === '100-continue') return;
  throw fieldError(
    'REQUEST_EXPECTATION_FAILED',
    'Expect',
    'is not supported; send 100-continue, or leave the field out',
  );
}

/** The value of a field that must not be repeated; null if absent. @param name in lower case */
function singleValue(fields: HeaderFields, name: string, code: ErrorCode): string | null {
  const lines = fields.lines(name);
  if (lines.length > 1) throw fieldError(code, capitalised(name), 'is repeated; send it once');
  return lines[0] ?? null;
}

/** `content-type` as `Content-Type`. */
function capitalised(name: string): string {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

function fieldError(code: ErrorCode, field: string, problem: string): ApiError {
  return apiError(code, `The header field ${field} ${problem}.`, {
    details: [{ field, message: `${field} ${problem}.` }],
  });
}
