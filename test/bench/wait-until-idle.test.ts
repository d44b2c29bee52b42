import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { waitUntilIdle } from '../../bench/compare/wait-until-idle.ts';

/** How often a server is looked at, which has used so many microseconds at each look, until it is at rest. */
async function looksAt(used: (look: number) => number): Promise<number> {
  let looks = 0;
  await waitUntilIdle({ cpu: () => used((looks += 1)) }, async () => undefined);
  return looks;
}

describe('a server whose load has ended', () => {
  it('is at rest when it takes no more processor time', async () => {
    const used = [0, 90_000, 180_000, 200_000, 205_000, 999_000];
    assert.equal(await looksAt((look) => used[look - 1] ?? 0), 5);
  });

  it('is not waited for without an end', async () => {
    assert.equal(await looksAt((look) => look * 100_000), 301);
  });
});
