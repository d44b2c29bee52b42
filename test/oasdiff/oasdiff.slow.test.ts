import assert from 'node:assert/strict';
import { it } from 'node:test';
import { skipWithout } from '../installed-programs.ts';
import { judgeDiffs } from './judge-diffs.ts';

/** A model, changed in every way; `npm run judge -- oasdiff` compares more. */
const PAIRS = 60;

it('[VER-6a] calls no change compatible that oasdiff calls breaking', {
  skip: skipWithout('oasdiff-pairs'),
}, async () => {
  const pairs = await judgeDiffs(PAIRS, 1);
  const breaking = pairs.filter(({ breakingChanges }) => breakingChanges.length > 0);
  assert.deepEqual(
    breaking.filter(({ isBreaking, isDescriptionBreaking }) => !isBreaking || !isDescriptionBreaking),
    [],
  );
  // Both verdicts are there: the pairs are not all breaking, and oasdiff understands the descriptions.
  assert.ok(breaking.length > PAIRS / 3 && breaking.length < PAIRS, `${breaking.length} of ${PAIRS}`);
});
