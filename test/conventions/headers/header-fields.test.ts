import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { headerFields } from '../../../src/conventions/headers/header-fields.ts';

describe('headerFields', () => {
  const fields = headerFields(['Host', 'h', 'If-Match', '"1"', 'ACCEPT', '', 'if-match', '"2"', 'X', 'accept']);

  it('finds a field in any case of its name', () => {
    assert.equal(fields.get('host'), 'h');
    assert.equal(fields.get('accept'), '');
    assert.deepEqual(fields.lines('host'), ['h']);
  });

  it('joins several lines in order', () => {
    assert.equal(fields.get('if-match'), '"1", "2"');
    assert.deepEqual(fields.lines('if-match'), ['"1"', '"2"']);
  });

  it('distinguishes an absent field from an empty one, and names from values', () => {
    assert.equal(fields.get('range'), null);
    assert.deepEqual(fields.lines('range'), []);
    assert.equal(headerFields(['A', 'range']).get('range'), null);
    assert.equal(headerFields([]).get('a'), null);
  });

  it('finds exactly the fields that exist, among names of any length', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'A', '-'), minLength: 1, maxLength: 70 });
    fc.assert(
      fc.property(fc.array(name), name, (names, asked) => {
        const wanted = asked.toLowerCase();
        const lines = names.flatMap((each, at) => (each.toLowerCase() === wanted ? [String(at)] : []));
        const found = headerFields(names.flatMap((each, at) => [each, String(at)]));
        assert.deepEqual(found.lines(wanted), lines);
        assert.equal(found.get(wanted), lines.length === 0 ? null : lines.join(', '));
      }),
    );
  });
});
