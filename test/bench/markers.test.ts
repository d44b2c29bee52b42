import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { replaceBetween } from '../../bench/compare/markers.ts';

describe('a table that a run writes into prose', () => {
  it('replaces what stands between the markers and nothing else, however often it is written', () => {
    const page = 'before\n<!-- results -->\nold\n<!-- /results -->\nafter\n';
    const once = replaceBetween(page, 'results', 'new');
    assert.equal(once, 'before\n<!-- results -->\nnew\n<!-- /results -->\nafter\n');
    assert.equal(replaceBetween(once, 'results', 'new'), once);
  });

  for (const page of ['no markers', '<!-- results -->', '<!-- /results --><!-- results -->', doubled()]) {
    it(`refuses a page without one pair of markers in their order: ${page}`, () => {
      assert.throws(() => replaceBetween(page, 'results', 'new'), /markers/);
    });
  }
});

function doubled(): string {
  return '<!-- results --><!-- /results -->'.repeat(2);
}
