import { type ApiError, type ErrorCode, apiError } from './errors.ts';
import type { HeaderFields } from './header-fields.ts';
import { isHost } from './host.ts';

/** How much of a header is taken in (URL-8, LIM-1). */
export interface HeaderLimits {
  /** Most bytes of all field lines, each with its `: ` and line end. */
  readonly headers: number;
  /** Most field lines. */
  readonly lines: number;
}

/** The limits that hold where none are configured. */
export const HEADER_LIMITS: HeaderLimits = { headers: 16_384, lines: 100 };

const LINE_OVERHEAD = ': \r\n'.length;
const DIGITS = /^[0-9]+$/;

/**
 * Refuses a request whose header fields are too large, contradict each other or leave open where its body ends (URL-8). A fault
 * of one field is REQUEST_HEADER_INVALID; a fault of the framing, after which the connection cannot be used, REQUEST_MALFORMED.
 *
 * @param httpVersion `1.0` or `1.1`
 * @throws {ApiError} REQUEST_HEADERS_TOO_LARGE, REQUEST_HEADER_INVALID, REQUEST_MALFORMED, AUTH_REQUEST_INVALID, REQUEST_EXPECTATION_FAILED
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
      `The header fields are larger than ${limits.headers} bytes; send less.`,
    );
  }
}

/** RFC 9112 3.2: HTTP/1.1 has exactly one `Host`, and whatever is there is valid. */
function checkHost(fields: HeaderFields, httpVersion: string): void {
  const host = singleValue(fields, 'host', 'REQUEST_HEADER_INVALID');
  if (host === null) {
    if (httpVersion !== '1.0') throw fieldError('REQUEST_HEADER_INVALID', 'Host', 'is missing; HTTP/1.1 requires one');
  } else if (!isHost(host)) {
    throw fieldError(
      'REQUEST_HEADER_INVALID',
      'Host',
      'is not a host with an optional port; send one such as example.com:8080',
    );
  }
}

/**
 * RFC 9112 6.1, 6.3: what could be framed in two ways is how requests are smuggled past a proxy. A transfer coding that is
 * not known is 400 as well, where the RFC would rather have 501: the body's end is unknown either way.
 */
function checkFraming(fields: HeaderFields, httpVersion: string): void {
  const length = singleValue(fields, 'content-length', 'REQUEST_MALFORMED');
  const coding = singleValue(fields, 'transfer-encoding', 'REQUEST_MALFORMED');
  if (length !== null && !DIGITS.test(length)) {
    throw fieldError('REQUEST_MALFORMED', 'Content-Length', 'is not a number of bytes; send decimal digits alone');
  }
  if (coding === null) return;
  if (length !== null) {
    throw fieldError(
      'REQUEST_MALFORMED',
      'Transfer-Encoding',
      'and Content-Length exclude each other; send one of them',
    );
  }
  if (httpVersion === '1.0') {
    throw fieldError('REQUEST_MALFORMED', 'Transfer-Encoding', 'does not exist in HTTP/1.0; send Content-Length');
  }
  if (coding.toLowerCase() !== 'chunked') {
    throw fieldError(
      'REQUEST_MALFORMED',
      'Transfer-Encoding',
      'names a coding that is not served; send chunked, or Content-Length',
    );
  }
}

/** RFC 9110 10.1.1. An empty list expects nothing. */
function checkExpectation(fields: HeaderFields): void {
  const expectation = fields.get('expect');
  if (expectation === null || expectation === '' || expectation.toLowerCase() === '100-continue') return;
  throw fieldError(
    'REQUEST_EXPECTATION_FAILED',
    'Expect',
    'names an expectation that cannot be met; send 100-continue or none',
  );
}

/** The value of a field that may have one line; null where it has none. @param name in lower case */
function singleValue(fields: HeaderFields, name: string, code: ErrorCode): string | null {
  const lines = fields.lines(name);
  if (lines.length > 1) throw fieldError(code, capitalised(name), 'stands in more than one line; send it once');
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
