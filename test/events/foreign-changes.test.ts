import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForeignChangeLoop } from '../../src/events/foreign-changes.ts';
import type { Observation } from '../../src/observe/observation.ts';

/** A loop over drains with these results, which ends when there are no more. */
async function run(results: readonly (() => Promise<boolean>)[]): Promise<readonly string[]> {
  const calls: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const rest = [...results];
  const changes = {
    check: async (): Promise<void> => void calls.push('check'),
    drain: async (): Promise<boolean> => {
      calls.push('drain');
      const next = rest.shift();
      if (rest.length === 0) resolve();
      return next?.() ?? false;
    },
  };
  const observe = ({ kind }: Observation): void => void calls.push(kind);
  const loop = new ForeignChangeLoop(changes, observe);
  loop.start();
  await promise;
  await loop.stop();
  return calls;
}

const more = async (): Promise<boolean> => true;
const none = async (): Promise<boolean> => false;

describe('the recorded changes of other programs', () => {
  it('are moved while there are more, and looked for again, with one check in a minute', async () => {
    assert.deepEqual(await run([more, more, none, none]), ['check', 'drain', 'drain', 'drain', 'drain']);
  });

  it('are moved after a failure, which is observed', async () => {
    const fails = (): Promise<boolean> => Promise.reject(new Error('planted'));
    assert.deepEqual(await run([fails, none]), ['check', 'drain', 'error', 'drain']);
  });
});
