import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkEqual, checkLaws } from './description-laws.ts';

describe('the differences of the descriptions of random models', () => {
  it('[VER-6a] are none between a model and itself', () => checkEqual(0));

  it('[VER-6a] break only what those of the models break, and allow in one direction what they refuse in the other', () => {
    const found = checkLaws(0, 0.08);
    assert.ok(found > 5, String(found));
  });
});
