import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { skipWithout } from '../installed-programs.ts';
import { judgeDescription } from './judge-description.ts';

const SEED = 1;

/** `npm run judge -- schemathesis` sends more. */
const EXAMPLES = 80;

describe('the own description of the server', { skip: skipWithout('schemathesis') }, () => {
  it('[OPS-1a] is right about every parameter, header field and body, at each bound and past it', async () => {
    const verdict = await judgeDescription({ phases: ['examples', 'coverage'], examples: 1, seed: SEED });
    assert.ok(verdict.passed, verdict.output);
    assert.ok(verdict.cases > 15_500, verdict.output);
  });

  it('[OPS-1a] is right about random requests, and about sequences of them', async () => {
    const verdict = await judgeDescription({ phases: ['fuzzing', 'stateful'], examples: EXAMPLES, seed: SEED });
    assert.ok(verdict.passed, verdict.output);
    assert.ok(verdict.cases > 4_000, verdict.output);
  });
});
