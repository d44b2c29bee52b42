import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Random } from '../../../scripts/campaign/random.ts';
import { randomDocument } from '../../model/diff/random-documents.ts';
import { contradictions } from './consistency.ts';
import { describeVersions } from './described.ts';

describe('the OpenAPI description of a random model', () => {
  it('[OPS-1a] contradicts nothing that it says itself', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom('3.1' as const, '3.2' as const), (seed, edition) => {
        const text = JSON.stringify(randomDocument(new Random(seed)));
        assert.deepEqual(describeVersions(text, edition).flatMap(contradictions), []);
      }),
      { numRuns: 12 },
    );
  });
});
