import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ApiError } from '../../src/conventions/errors.ts';
import { inflate } from '../../src/formats/gzip.ts';

const BODY = Buffer.from('{"name":"é"}'.repeat(100));
const refusesWith = (bytes: Uint8Array, limit: number, code: string) =>
  assert.rejects(inflate(bytes, limit), (error) => error instanceof ApiError && error.code === code);

describe('inflate', () => {
  it('[NEG-2] gives back what was packed, up to the limit', async () => {
    assert.deepEqual(Buffer.from(await inflate(gzipSync(BODY), BODY.length)), BODY);
  });

  it('[NEG-2] joins the members of one gzip file', async () => {
    const parts = Buffer.concat([gzipSync('a'), gzipSync('b')]);
    assert.equal(Buffer.from(await inflate(parts, 10)).toString(), 'ab');
  });

  it('[NEG-2] counts the limit after inflating', async () => {
    await refusesWith(gzipSync(BODY), BODY.length - 1, 'REQUEST_BODY_TOO_LARGE');
  });

  it('[LIM-1] stops a bomb at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576));
    const before = process.memoryUsage().arrayBuffers;
    await refusesWith(bomb, 1_048_576, 'REQUEST_BODY_TOO_LARGE');
    assert.ok(process.memoryUsage().arrayBuffers - before < 16 * 1_048_576);
  });

  const whole = gzipSync(BODY);
  const damaged = Buffer.from(whole);
  damaged.writeUInt8((damaged.at(-8) ?? 0) ^ 1, damaged.length - 8);
  const rows: readonly (readonly [what: string, bytes: Uint8Array])[] = [
    ['nothing', Buffer.alloc(0)],
    ['plain text', BODY],
    ['a cut body', whole.subarray(0, -4)],
    ['a wrong checksum', damaged],
    ['bytes after the end', Buffer.concat([whole, Buffer.from('xx')])],
  ];
  for (const [what, bytes] of rows) {
    it(`[NEG-2] refuses ${what}`, async () => {
      await refusesWith(bytes, 1_048_576, 'REQUEST_BODY_MALFORMED');
    });
  }
});
