import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  beginning,
  bookmarkName,
  movePosition,
  type Position,
  positionOf,
  readPositions,
  resume,
} from '../../src/cli/position.ts';

async function* chunks(text: string, size = 3): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

function after(text: string): Position {
  const { hash } = beginning();
  return positionOf({ lines: text.split('\n').length - 1, bytes: Buffer.byteLength(text), hash: hash.update(text) });
}

describe('an import resumes', () => {
  it('at the farthest position whose bytes the source still begins with', async () => {
    const positions = [after('a\nb\n'), after('a\n'), after('a\nc\n')];
    assert.equal((await resume(positions, chunks('a\nb\nd\n'))).bytes, 4);
    assert.equal((await resume(positions, chunks('a\nc\n'))).bytes, 4);
    assert.equal((await resume(positions, chunks('a\ne\n'))).bytes, 2);
  });

  it('at the beginning where the source has changed before every position, or is shorter', async () => {
    assert.equal((await resume([after('a\nb\n')], chunks('A\nb\nc\n'))).bytes, 0);
    assert.equal((await resume([after('a\nb\n')], chunks('a\n'))).bytes, 0);
    assert.equal((await resume([], chunks('a\n'))).bytes, 0);
  });

  it('with the hash of the bytes before it, so that the next position is right too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.integer({ min: 1, max: 9 }), async (done, rest, size) => {
        const reached = await resume([after(done)], chunks(done + rest, size));
        reached.hash.update(rest);
        assert.equal(positionOf(reached).sha256, after(done + rest).sha256);
      }),
    );
  });
});

describe('a bookmark', () => {
  it('is named by the collection and the first line, the part that all states of a growing source share', () => {
    const line = Buffer.from('{"name":"Oslo"}');
    assert.equal(bookmarkName('cities', line), bookmarkName('cities', Buffer.from(line)));
    assert.notEqual(bookmarkName('cities', line), bookmarkName('towns', line));
    assert.notEqual(bookmarkName('cities', line), bookmarkName('cities', Buffer.from('{"name":"Bergen"}')));
  });

  it('remembers each source that begins with the line', () => {
    const first = movePosition([], positionOf(beginning()), after('a\nb\n'));
    const second = movePosition(first, positionOf(beginning()), after('a\nc\n'));
    const moved = movePosition(second, after('a\nc\n'), after('a\nc\nd\n'));
    assert.deepEqual(moved, [after('a\nb\n'), after('a\nc\nd\n')]);
    assert.deepEqual(readPositions(JSON.stringify(moved)), moved);
    assert.deepEqual(readPositions(null), []);
  });

  it('stays bounded, and forgets the source that was moved longest ago', () => {
    let positions: readonly Position[] = [];
    for (let source = 0; source < 120; source += 1) {
      positions = movePosition(positions, positionOf(beginning()), after(`a\n${source}\n`));
    }
    assert.equal(positions.length, 100);
    assert.deepEqual(positions.at(-1), after('a\n119\n'));
  });
});
