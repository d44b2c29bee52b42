import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseResponse } from '../../bench/compare/open-loop/parse-response.ts';
import { schedule } from '../../bench/compare/open-loop/schedule.ts';
import { percentile } from '../../bench/compare/percentile.ts';

describe('a schedule of requests', () => {
  it('spaces requests evenly from time 0 until its duration ends', () => {
    const { total, dueBy } = schedule(100, 2);
    assert.equal(total, 200);
    assert.deepEqual([-1, 0, 9, 10, 1_000, 1_990, 1e9].map(dueBy), [0, 1, 1, 2, 101, 200, 200]);
  });

  it('counts a request as due at its due time', () => {
    const { dueBy, dueAt } = schedule(64, 1);
    for (const index of [0, 1, 17, 63]) assert.equal(dueBy(dueAt(index)), index + 1);
  });
});

describe('a percentile', () => {
  it('is the nearest-rank percentile', () => {
    const values = Array.from({ length: 200 }, (_, index) => index + 1);
    assert.deepEqual(
      [0, 0.5, 0.99, 1].map((share) => percentile(values, share)),
      [1, 100, 198, 200],
    );
    assert.equal(percentile([], 0.5), Number.NaN);
  });
});

describe('the response parser', () => {
  const rest = 'HTTP/1.1 200 OK';
  const whole: readonly (readonly [title: string, text: string, status: number])[] = [
    ['a Content-Length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 200],
    ['no body', 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n', 304],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n', 200],
    ['only the last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 200],
  ];
  for (const [title, text, status] of whole) {
    it(`parses a response with ${title}, and returns null while it is incomplete`, () => {
      const response = parseResponse(text + rest);
      assert.deepEqual([response?.status, response?.end], [status, text.length]);
      for (let length = 0; length < text.length; length += 1) assert.equal(parseResponse(text.slice(0, length)), null);
    });
  }

  it('reports Retry-After and Connection: close', () => {
    const refused =
      'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
    assert.deepEqual(parseResponse(refused), { status: 503, end: refused.length, retryAfter: true, closes: true });
  });
});
