import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ErrorCode } from '../../../src/conventions/errors.ts';
import { checkHeaderFields, type HeaderLimits } from '../../../src/conventions/headers/header-check.ts';
import { headerFields } from '../../../src/conventions/headers/header-fields.ts';
import { throwsApiError } from '../throws-api-error.ts';

const check = (raw: readonly string[], version = '1.1', limits?: HeaderLimits) =>
  checkHeaderFields(headerFields(raw), version, limits);
const host = ['Host', 'h'];

describe('checkHeaderFields', () => {
  const accepted: readonly (readonly [claim: string, raw: readonly string[], version?: string])[] = [
    ['a plain request', host],
    ['HTTP/1.0 without Host', [], '1.0'],
    [
      'a body of a length',
      [...host, 'Content-Length', '0', 'Content-Type', 'application/json', 'Authorization', 'Bearer x'],
    ],
    ['a chunked body', [...host, 'Transfer-Encoding', 'Chunked']],
    ['an expectation of 100-continue', [...host, 'Expect', '100-Continue']],
    ['an empty expectation', [...host, 'Expect', '']],
    [
      'several lines of a list field',
      [...host, 'Accept', 'a/b', 'Accept', 'c/d', 'If-Match', '"1"', 'If-Match', '"2"'],
    ],
  ];
  for (const [claim, raw, version] of accepted) it(`[URL-8] accepts ${claim}`, () => check(raw, version));

  const refused: readonly (readonly [
    claim: string,
    code: ErrorCode,
    field: string,
    raw: readonly string[],
    version?: string,
  ])[] = [
    ['HTTP/1.1 without Host', 'REQUEST_HEADER_INVALID', 'Host', []],
    ['two Hosts, equal ones too', 'REQUEST_HEADER_INVALID', 'Host', [...host, 'host', 'h']],
    ['two Hosts in HTTP/1.0', 'REQUEST_HEADER_INVALID', 'Host', [...host, ...host], '1.0'],
    ['an invalid Host', 'REQUEST_HEADER_INVALID', 'Host', ['Host', 'user@h']],
    ['an empty Host', 'REQUEST_HEADER_INVALID', 'Host', ['Host', '']],
    ['an invalid Host in HTTP/1.0', 'REQUEST_HEADER_INVALID', 'Host', ['Host', 'a b'], '1.0'],
    [
      'two Content-Types',
      'REQUEST_HEADER_INVALID',
      'Content-Type',
      [...host, 'Content-Type', 'a/b', 'content-type', 'a/b'],
    ],
    [
      'two Authorizations',
      'AUTH_REQUEST_INVALID',
      'Authorization',
      [...host, 'Authorization', 'a', 'authorization', 'a'],
    ],
    [
      'two Content-Lengths, equal ones too',
      'REQUEST_MALFORMED',
      'Content-Length',
      [...host, 'Content-Length', '1', 'Content-Length', '1'],
    ],
    ['a list of lengths', 'REQUEST_MALFORMED', 'Content-Length', [...host, 'Content-Length', '1, 1']],
    ['a signed length', 'REQUEST_MALFORMED', 'Content-Length', [...host, 'Content-Length', '+1']],
    ['a negative length', 'REQUEST_MALFORMED', 'Content-Length', [...host, 'Content-Length', '-1']],
    ['a hexadecimal length', 'REQUEST_MALFORMED', 'Content-Length', [...host, 'Content-Length', '0x1']],
    ['an empty length', 'REQUEST_MALFORMED', 'Content-Length', [...host, 'Content-Length', '']],
    [
      'a length and a coding',
      'REQUEST_MALFORMED',
      'Transfer-Encoding',
      [...host, 'Content-Length', '1', 'Transfer-Encoding', 'chunked'],
    ],
    [
      'two codings',
      'REQUEST_MALFORMED',
      'Transfer-Encoding',
      [...host, 'Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked'],
    ],
    [
      'a coding before chunked',
      'REQUEST_MALFORMED',
      'Transfer-Encoding',
      [...host, 'Transfer-Encoding', 'gzip, chunked'],
    ],
    ['a coding in disguise', 'REQUEST_MALFORMED', 'Transfer-Encoding', [...host, 'Transfer-Encoding', '\u{B}chunked']],
    ['a coding in HTTP/1.0', 'REQUEST_MALFORMED', 'Transfer-Encoding', ['Transfer-Encoding', 'chunked'], '1.0'],
    ['another expectation', 'REQUEST_EXPECTATION_FAILED', 'Expect', [...host, 'Expect', '200-ok']],
    [
      'another expectation after 100-continue',
      'REQUEST_EXPECTATION_FAILED',
      'Expect',
      [...host, 'Expect', '100-continue', 'Expect', 'x'],
    ],
  ];
  for (const [claim, code, field, raw, version] of refused) {
    it(`[URL-8] rejects ${claim} with ${code}, naming ${field}`, () => {
      const error = throwsApiError(() => check(raw, version), code);
      assert.deepEqual(
        error.details.map((detail) => detail.field),
        [field],
      );
      assert.match(error.message, /send|requires/);
    });
  }

  it('[URL-8] accepts 100 lines and no more', () => {
    const lines = (count: number) => [...host, ...Array.from({ length: count - 1 }, () => ['A', 'b']).flat()];
    check(lines(100));
    throwsApiError(() => check(lines(101)), 'REQUEST_HEADERS_TOO_LARGE');
  });

  it('[URL-8] accepts 16 KiB of field lines with their separators, and no more', () => {
    const bytes = (count: number) => [...host, 'A', 'b'.repeat(count - 'Host: h\r\n'.length - 'A: \r\n'.length)];
    check(bytes(16_384));
    throwsApiError(() => check(bytes(16_385)), 'REQUEST_HEADERS_TOO_LARGE');
  });

  it('[LIM-1] obeys the configured limits', () => {
    throwsApiError(() => check(host, '1.1', { headers: 8, lines: 9 }), 'REQUEST_HEADERS_TOO_LARGE');
    check(host, '1.1', { headers: 9, lines: 1 });
  });
});
