import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MemberNames } from '../../src/formats/member-names.ts';

describe('MemberNames', () => {
  it('[REP-7] detects duplicates among few names and among many', () => {
    const law = fc.property(
      fc.array(
        fc.nat(60).map((index) => `name-${index}`),
        { maxLength: 120, size: 'max' },
      ),
      (given) => {
        const names = new MemberNames();
        const seen = new Set<string>();
        for (const name of given) {
          assert.equal(names.add(name), !seen.has(name));
          seen.add(name);
        }
      },
    );
    fc.assert(law);
  });
});
