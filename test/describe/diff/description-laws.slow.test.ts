import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkEqual, checkLaws } from './description-laws.ts';

/** Each is a model, changed in every way. */
const SEEDS = [0, 1];

it('[VER-6a] descriptions of more random models have the differences that their models have', () => {
  for (const seed of SEEDS) {
    checkEqual(seed);
    const found = checkLaws(seed, 1);
    assert.ok(found > 300, `seed ${seed}: ${found}`);
  }
});
