import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDuration, parseSize } from '../../../src/model/values/parse-units.ts';

describe('units', () => {
  it('[LIM-1] reads sizes in B, KiB and MiB and durations in ms, s, m, h and d', () => {
    assert.deepEqual(['512B', '16KiB', '1MiB', '1MB', '1', '-1B', '1 KiB'].map(parseSize), [
      512,
      16_384,
      1_048_576,
      null,
      null,
      null,
      null,
    ]);
    assert.deepEqual(['500ms', '30s', '5m', '2h', '30d', '1w', '1', '1.5s'].map(parseDuration), [
      500,
      30_000,
      300_000,
      7_200_000,
      2_592_000_000,
      null,
      null,
      null,
    ]);
  });
});
