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

async function* buffers(text: string, size = 3): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

function after(text: string): ImportCheckpoint {
  const { hash } = startOfSource();
  return checkpointAt({ lines: text.split('\n').length - 1, bytes: Buffer.byteLength(text), hash: hash.update(text) });
}

describe('an import resumes', () => {
  it('at the last checkpoint whose bytes the file still begins with', async () => {
    const checkpoints = [after('a\nb\n'), after('a\n'), after('a\nc\n')];
    assert.equal((await findResumePoint(checkpoints, buffers('a\nb\nd\n'))).bytes, 4);
    assert.equal((await findResumePoint(checkpoints, buffers('a\nc\n'))).bytes, 4);
    assert.equal((await findResumePoint(checkpoints, buffers('a\ne\n'))).bytes, 2);
  });

  it('at the start where the file has changed before every checkpoint, or is shorter', async () => {
    assert.equal((await findResumePoint([after('a\nb\n')], buffers('A\nb\nc\n'))).bytes, 0);
    assert.equal((await findResumePoint([after('a\nb\n')], buffers('a\n'))).bytes, 0);
    assert.equal((await findResumePoint([], buffers('a\n'))).bytes, 0);
  });

  it('with the hash of the bytes before it, so that the next checkpoint is correct', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.integer({ min: 1, max: 9 }), async (done, rest, size) => {
        const resumed = await findResumePoint([after(done)], buffers(done + rest, size));
        resumed.hash.update(rest);
        assert.equal(checkpointAt(resumed).sha256, after(done + rest).sha256);
      }),
    );
  });
});

describe('the checkpoints of a collection', () => {
  it('are named by the collection and the first line, which every state of a growing file shares', () => {
    const line = Buffer.from('{"name":"Oslo"}');
    assert.equal(checkpointName('cities', line), checkpointName('cities', Buffer.from(line)));
    assert.notEqual(checkpointName('cities', line), checkpointName('towns', line));
    assert.notEqual(checkpointName('cities', line), checkpointName('cities', Buffer.from('{"name":"Bergen"}')));
  });

  it('hold one checkpoint for each file that begins with the line', () => {
    const first = advanceCheckpoint([], checkpointAt(startOfSource()), after('a\nb\n'));
    const second = advanceCheckpoint(first, checkpointAt(startOfSource()), after('a\nc\n'));
    const moved = advanceCheckpoint(second, after('a\nc\n'), after('a\nc\nd\n'));
    assert.deepEqual(moved, [after('a\nb\n'), after('a\nc\nd\n')]);
    assert.deepEqual(parseCheckpoints(JSON.stringify(moved)), moved);
    assert.deepEqual(parseCheckpoints(null), []);
  });

  it('are bounded, and drop the file that was imported least recently', () => {
    let checkpoints: readonly ImportCheckpoint[] = [];
    for (let source = 0; source < 120; source += 1) {
      checkpoints = advanceCheckpoint(checkpoints, checkpointAt(startOfSource()), after(`a\n${source}\n`));
    }
    assert.equal(checkpoints.length, 100);
    assert.deepEqual(checkpoints.at(-1), after('a\n119\n'));
  });
});
