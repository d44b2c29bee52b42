import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { forwardLines } from '../../../src/cli/workers/line-buffer.ts';

async function handedOn(...chunks: readonly string[]): Promise<readonly string[]> {
  const written: string[] = [];
  await forwardLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk, 'latin1'))), (text) => written.push(text));
  return written;
}

describe('lines of several streams in one place', () => {
  it('[OPS-2d] are handed on whole, however they come', async () => {
    assert.deepEqual(await handedOn('a\nb', 'c', 'd\n', 'e\nf\n'), ['a\n', 'bcd\n', 'e\nf\n']);
  });

  it('[OPS-2d] keep characters whole that lie in two pieces', async () => {
    assert.deepEqual(await handedOn('\xc3', '\xa9\n'), ['é\n']);
  });

  it('[OPS-2d] end with an end of line, where a process ended within one', async () => {
    assert.deepEqual(await handedOn('a\nb'), ['a\n', 'b\n']);
    assert.deepEqual(await handedOn(), []);
  });
});
