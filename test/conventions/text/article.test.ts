import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withArticle } from '../../../src/conventions/text/article.ts';

describe('the indefinite article', () => {
  it('[ERR-3] follows the sound of the noun', () => {
    const nouns =
      'product issue order_item hour user unit unicorn uninstall event euro one_time_code api_key url update usage apple';
    assert.equal(
      nouns.split(' ').map(withArticle).join(', '),
      'a product, an issue, an order_item, an hour, a user, a unit, a unicorn, an uninstall, an event, a euro, a one_time_code, an api_key, ' +
        'an url, an update, a usage, an apple',
    );
  });
});
