import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endingStream } from '../../src/platform/ending-stream.ts';

async function* values(): AsyncGenerator<string> {
  yield 'a';
  yield 'b';
}

/** A stream, and how often its end was noticed. */
function counted(stream: AsyncIterable<string>): {
  readonly chunks: AsyncIterator<string>;
  readonly ends: () => number;
} {
  let ends = 0;
  const chunks = endingStream(stream, () => (ends += 1))[Symbol.asyncIterator]();
  return { chunks, ends: () => ends };
}

describe('a stream whose end is noticed', () => {
  it('has the values of the other, and ends once after them', async () => {
    const { chunks, ends } = counted(values());
    assert.deepEqual(await chunks.next(), { done: false, value: 'a' });
    assert.deepEqual(await chunks.next(), { done: false, value: 'b' });
    assert.equal(ends(), 0);
    assert.equal((await chunks.next()).done, true);
    assert.equal((await chunks.next()).done, true);
    await chunks.return?.();
    assert.equal(ends(), 1);
  });

  it('ends where its reader stops before the first value', async () => {
    const { chunks, ends } = counted(values());
    await chunks.return?.();
    assert.equal(ends(), 1);
    assert.equal((await chunks.next()).done, true);
  });

  it('ends where it fails', async () => {
    const failing = (async function* failing(): AsyncGenerator<string> {
      yield 'a';
      throw new Error('lost');
    })();
    const { chunks, ends } = counted(failing);
    await chunks.next();
    await assert.rejects(async () => chunks.next(), /lost/);
    assert.equal(ends(), 1);
  });

  it('stops the other where its reader stops', async () => {
    let isStopped = false;
    const other = (async function* other(): AsyncGenerator<string> {
      try {
        yield* values();
      } finally {
        isStopped = true;
      }
    })();
    const { chunks } = counted(other);
    await chunks.next();
    await chunks.return?.();
    assert.equal(isStopped, true);
  });
});
