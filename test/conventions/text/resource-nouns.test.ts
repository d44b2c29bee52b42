import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatProgress, countNoun } from '../../../src/cli/terminal/progress.ts';
import { withArticle, writeNoun } from '../../../src/conventions/text/article.ts';

describe('messages', () => {
  it('[ERR-1] name resources of the server by words, with their article', () => {
    assert.equal(withArticle(writeNoun('api_key')), 'an API key');
    assert.equal(withArticle(writeNoun('webhook')), 'a webhook');
    assert.equal(withArticle(writeNoun('order_item')), 'an order_item');
  });

  it('write counts with their noun in the singular or the plural', () => {
    assert.deepEqual(
      [0, 1, 2, 1200].map((count) => countNoun(count, 'row')),
      ['0 rows', '1 row', '2 rows', '1,200 rows'],
    );
    assert.match(formatProgress({ rows: 1, elapsed: 1_000, done: 1, start: 0, total: 2 }), /, 1 row, /);
  });
});
