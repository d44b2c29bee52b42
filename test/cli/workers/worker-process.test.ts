import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { forwardLines } from '../../../src/cli/workers/worker-process.ts';

async function forwarded(...chunks: readonly string[]): Promise<readonly string[]> {
  const written: string[] = [];
  await forwardLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk, 'latin1'))), (text) => written.push(text));
  return written;
}

describe('forwarded lines', () => {
  it('[OPS-2d] are complete, however the chunks are split', async () => {
    assert.deepEqual(await forwarded('a\nb', 'c', 'd\n', 'e\nf\n'), ['a\n', 'bcd\n', 'e\nf\n']);
  });

  it('[OPS-2d] keep a character whose bytes are in two chunks', async () => {
    assert.deepEqual(await forwarded('\xc3', '\xa9\n'), ['é\n']);
  });

  it('[OPS-2d] end with a line feed where a process exited within a line', async () => {
    assert.deepEqual(await forwarded('a\nb'), ['a\n', 'b\n']);
    assert.deepEqual(await forwarded(), []);
  });
});
