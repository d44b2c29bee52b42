import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { typeCosts } from '../../bench/client/types.ts';

describe('a TypeScript model of 200 resources', () => {
  // The time is measured by bench/client: two million instantiations take about 1.5 s of one processor.
  it('and a program that uses its client compile with less than two million instantiations', () => {
    const { errors, instantiations } = typeCosts(200, true);
    assert.equal(errors, '');
    assert.ok(instantiations < 2_000_000, `${instantiations}`);
  });
});
