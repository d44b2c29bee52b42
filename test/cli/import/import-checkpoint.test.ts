import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  startOfSource,
  checkpointName,
  advanceCheckpoint,
  type ImportCheckpoint,
  checkpointAt,
  parseCheckpoints,
  findResumePoint,
} from '../../../src/cli/import/import-checkpoint.ts';

async function* chunks(text: string, size = 3): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

function after(text: string): ImportCheckpoint {
  const { hash } = startOfSource();
  return checkpointAt({ lines: text.split('\n').length - 1, bytes: Buffer.byteLength(text), hash: hash.update(text) });
}

describe('an import resumes', () => {
  it('at the farthest position whose bytes the source still begins with', async () => {
    const positions = [after('a\nb\n'), after('a\n'), after('a\nc\n')];
    assert.equal((await findResumePoint(positions, chunks('a\nb\nd\n'))).bytes, 4);
    assert.equal((await findResumePoint(positions, chunks('a\nc\n'))).bytes, 4);
    assert.equal((await findResumePoint(positions, chunks('a\ne\n'))).bytes, 2);
  });

  it('at the beginning where the source has changed before every position, or is shorter', async () => {
    assert.equal((await findResumePoint([after('a\nb\n')], chunks('A\nb\nc\n'))).bytes, 0);
    assert.equal((await findResumePoint([after('a\nb\n')], chunks('a\n'))).bytes, 0);
    assert.equal((await findResumePoint([], chunks('a\n'))).bytes, 0);
  });

  it('with the hash of the bytes before it, so that the next position is right too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.integer({ min: 1, max: 9 }), async (done, rest, size) => {
        const reached = await findResumePoint([after(done)], chunks(done + rest, size));
        reached.hash.update(rest);
        assert.equal(checkpointAt(reached).sha256, after(done + rest).sha256);
      }),
    );
  });
});

describe('a bookmark', () => {
  it('is named by the collection and the first line, the part that all states of a growing source share', () => {
    const line = Buffer.from('{"name":"Oslo"}');
    assert.equal(checkpointName('cities', line), checkpointName('cities', Buffer.from(line)));
    assert.notEqual(checkpointName('cities', line), checkpointName('towns', line));
    assert.notEqual(checkpointName('cities', line), checkpointName('cities', Buffer.from('{"name":"Bergen"}')));
  });

  it('remembers each source that begins with the line', () => {
    const first = advanceCheckpoint([], checkpointAt(startOfSource()), after('a\nb\n'));
    const second = advanceCheckpoint(first, checkpointAt(startOfSource()), after('a\nc\n'));
    const moved = advanceCheckpoint(second, after('a\nc\n'), after('a\nc\nd\n'));
    assert.deepEqual(moved, [after('a\nb\n'), after('a\nc\nd\n')]);
    assert.deepEqual(parseCheckpoints(JSON.stringify(moved)), moved);
    assert.deepEqual(parseCheckpoints(null), []);
  });

  it('stays bounded, and forgets the source that was moved longest ago', () => {
    let positions: readonly ImportCheckpoint[] = [];
    for (let source = 0; source < 120; source += 1) {
      positions = advanceCheckpoint(positions, checkpointAt(startOfSource()), after(`a\n${source}\n`));
    }
    assert.equal(positions.length, 100);
    assert.deepEqual(positions.at(-1), after('a\n119\n'));
  });
});
