import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { waitUntilIdle } from '../../bench/compare/wait-until-idle.ts';

/** The number of polls until a server is idle. @param used microseconds of CPU time at each poll */
async function countPolls(used: (poll: number) => number): Promise<number> {
  let polls = 0;
  await waitUntilIdle({ cpu: () => used((polls += 1)) }, async () => undefined);
  return polls;
}

describe('waiting for an idle server', () => {
  it('ends when the server uses no more CPU time', async () => {
    const used = [0, 90_000, 180_000, 200_000, 205_000, 999_000];
    assert.equal(await countPolls((poll) => used[poll - 1] ?? 0), 5);
  });

  it('ends after a maximum number of polls', async () => {
    assert.equal(await countPolls((poll) => poll * 100_000), 301);
  });
});
