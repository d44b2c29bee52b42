import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { replaceBetween } from '../../bench/compare/markers.ts';

describe('replacing a marked section', () => {
  it('replaces only the text between the markers, and is idempotent', () => {
    const page = 'before\n<!-- results -->\nold\n<!-- /results -->\nafter\n';
    const once = replaceBetween(page, 'results', 'new');
    assert.equal(once, 'before\n<!-- results -->\nnew\n<!-- /results -->\nafter\n');
    assert.equal(replaceBetween(once, 'results', 'new'), once);
  });

  for (const page of ['no markers', '<!-- results -->', '<!-- /results --><!-- results -->', doubled()]) {
    it(`rejects a page without exactly one pair of markers in order: ${page}`, () => {
      assert.throws(() => replaceBetween(page, 'results', 'new'), /markers/);
    });
  }
});

function doubled(): string {
  return '<!-- results --><!-- /results -->'.repeat(2);
}
