import type { Readable } from 'node:stream';

const LINE_FEED = 0x0a;

/**
 * Hands on what a stream has, line by line: several streams that are written to one place never break each other's lines.
 *
 * @param write takes whole lines; what the stream ends with without an end of line gets one
 * @returns resolves when the stream has ended
 */
export async function forwardLines(stream: Readable, write: (lines: string) => void): Promise<void> {
  let begun: readonly Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      write(Buffer.concat([...begun, chunk.subarray(0, end)]).toString());
      begun = [];
    }
    if (end < chunk.length) begun = [...begun, chunk.subarray(end)];
  }
  if (begun.length > 0) write(`${Buffer.concat(begun).toString()}\n`);
}
