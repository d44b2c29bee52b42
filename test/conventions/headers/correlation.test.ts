import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { continueTrace, correlationId, writeTraceparent } from '../../../src/conventions/headers/correlation.ts';

describe('correlationId', () => {
  for (const given of ['a', '0192f3a4-5b6c-7fff-bfff-ffffffffffff', 'a.b_c~d:e-F', 'x'.repeat(128)]) {
    it(`[ERR-5] keeps ${given}`, () =>
      assert.equal(
        correlationId(given, () => 'made'),
        given,
      ));
  }
  for (const given of [null, '', 'a b', 'a,b', 'a\n', 'é', '<script>', 'x'.repeat(129)]) {
    it(`[ERR-5] replaces ${JSON.stringify(given)}`, () =>
      assert.equal(
        correlationId(given, () => 'made'),
        'made',
      ));
  }
});

describe('continueTrace', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const parentId = '00f067aa0ba902b7';
  const hex = (bytes: number) => 'c'.repeat(2 * bytes);
  const spanId = '5'.repeat(16);

  const continued: readonly (readonly [given: string, sampled: boolean])[] = [
    [`00-${traceId}-${parentId}-01`, true],
    [`00-${traceId}-${parentId}-00`, false],
    [`00-${traceId}-${parentId}-03`, true],
    [`00-${traceId}-${parentId}-fe`, false],
    [`01-${traceId}-${parentId}-01`, true],
    [`cc-${traceId}-${parentId}-01-what-the-future-will-be-like`, true],
    [`fe-${traceId}-${parentId}-00-`, false],
  ];
  for (const [given, sampled] of continued) {
    it(`[ERR-5] continues ${given}`, () => {
      assert.deepEqual(continueTrace(given, hex), { traceId, parentId, sampled });
    });
  }

  const invalid = [
    null,
    '',
    'x',
    `ff-${traceId}-${parentId}-01`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${parentId}-01-more`,
    `00-${traceId}-${parentId}-01-`,
    `01-${traceId}-${parentId}-01more`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${traceId}-${parentId}-0`,
    `00-${traceId}-${parentId}`,
    `0-${traceId}-${parentId}-01`,
    ` 00-${traceId}-${parentId}-01`,
    `00-${traceId.slice(1)}-${parentId}-01`,
    `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
  ];
  for (const given of invalid) {
    it(`[ERR-5] starts a new trace for ${JSON.stringify(given)}`, () => {
      assert.deepEqual(continueTrace(given, hex), { traceId: hex(16), parentId: null, sampled: true });
    });
  }

  it('[ERR-5] writes the traceparent of an outgoing request', () => {
    const trace = continueTrace(`cc-${traceId}-${parentId}-01-x`, hex);
    assert.equal(writeTraceparent(trace, spanId), `00-${traceId}-${spanId}-01`);
    assert.equal(writeTraceparent({ ...trace, sampled: false }, spanId), `00-${traceId}-${spanId}-00`);
    assert.equal(continueTrace(writeTraceparent(trace, spanId), hex).parentId, spanId);
  });
});
