import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { headerFields } from '../../src/conventions/header-fields.ts';

describe('headerFields', () => {
  const fields = headerFields(['Host', 'h', 'If-Match', '"1"', 'ACCEPT', '', 'if-match', '"2"', 'X', 'accept']);

  it('finds a field whatever the case of its name', () => {
    assert.equal(fields.get('host'), 'h');
    assert.equal(fields.get('accept'), '');
    assert.deepEqual(fields.lines('host'), ['h']);
  });

  it('joins several lines in their order', () => {
    assert.equal(fields.get('if-match'), '"1", "2"');
    assert.deepEqual(fields.lines('if-match'), ['"1"', '"2"']);
  });

  it('tells an absent field from an empty one, and never a value from a name', () => {
    assert.equal(fields.get('range'), null);
    assert.deepEqual(fields.lines('range'), []);
    assert.equal(headerFields(['A', 'range']).get('range'), null);
    assert.equal(headerFields([]).get('a'), null);
  });
});
