import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ApiError, apiError } from '../../src/conventions/errors.ts';
import { inflate, inflateChunks } from '../../src/formats/gzip.ts';
import { runs } from '../extent.ts';

const BODY = Buffer.from('{"name":"é"}'.repeat(100));
const refusesWith = (bytes: Uint8Array, limit: number, code: string) =>
  assert.rejects(inflate(bytes, limit), (error) => error instanceof ApiError && error.code === code);

describe('inflate', () => {
  it('[NEG-2] decompresses up to the limit', async () => {
    assert.deepEqual(Buffer.from(await inflate(gzipSync(BODY), BODY.length)), BODY);
  });

  it('[NEG-2] concatenates the members of a gzip file', async () => {
    const parts = Buffer.concat([gzipSync('a'), gzipSync('b')]);
    assert.equal(Buffer.from(await inflate(parts, 10)).toString(), 'ab');
  });

  it('[NEG-2] applies the limit to the decompressed size', async () => {
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
    ['a truncated body', whole.subarray(0, -4)],
    ['a wrong checksum', damaged],
    ['bytes after the end', Buffer.concat([whole, Buffer.from('xx')])],
  ];
  for (const [what, bytes] of rows) {
    it(`[NEG-2] refuses ${what}`, async () => {
      await refusesWith(bytes, 1_048_576, 'REQUEST_BODY_MALFORMED');
    });
  }
});

/** Bytes that a streamed body may have in any case. */
const FLOOR = 1_048_576;

describe('inflateChunks', () => {
  /** The bytes in chunks of a size, as from a network. */
  async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }

  async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    return Buffer.concat(parts);
  }

  const outcome = async (inflated: Promise<Uint8Array>) => {
    try {
      return Buffer.from(await inflated).toString('latin1');
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error));
      return error.code;
    }
  };

  const zeros = Buffer.alloc(3);
  const packed = gzipSync('{"id":"a"}\n');
  const bodies: readonly (readonly [what: string, bytes: Uint8Array])[] = [
    ['one member', packed],
    ['two members', Buffer.concat([packed, gzipSync('b')])],
    ['zeros after the end', Buffer.concat([packed, zeros])],
    ['bytes after the end', Buffer.concat([packed, Buffer.from('xx')])],
    ['bytes after zeros', Buffer.concat([packed, zeros, Buffer.from('xx')])],
    ['an incomplete second member', Buffer.concat([packed, packed.subarray(0, 5)])],
    ['a truncated body', packed.subarray(0, -4)],
    ['a truncated header', packed.subarray(0, 3)],
    ['plain text', Buffer.from('{"id":"a"}\n')],
    ['nothing', Buffer.alloc(0)],
  ];
  for (const [what, bytes] of bodies) {
    it(`[NEG-2] handles ${what} like inflate does, whatever the chunks`, async () => {
      const whole = await outcome(inflate(bytes, 1_048_576));
      for (let size = 1; size <= bytes.length + 1; size++) {
        assert.equal(await outcome(joined(inflateChunks(pieces(bytes, size), FLOOR))), whole, `in pieces of ${size}`);
      }
    });
  }

  it('[NEG-2] decompresses what was compressed', async () => {
    const law = fc.asyncProperty(
      fc.uint8Array({ maxLength: 2_000 }),
      fc.integer({ min: 1, max: 64 }),
      async (bytes, n) => {
        assert.deepEqual(await joined(inflateChunks(pieces(gzipSync(bytes), n), FLOOR)), Buffer.from(bytes));
      },
    );
    await fc.assert(law, { numRuns: runs(6, 60) });
  });

  it('[MET-13] passes on a chunk without bytes', async () => {
    async function* gapped(): AsyncGenerator<Uint8Array> {
      yield packed.subarray(0, 12);
      yield new Uint8Array();
      yield packed.subarray(12);
    }
    assert.equal((await joined(inflateChunks(gapped(), FLOOR))).toString(), '{"id":"a"}\n');
  });

  it('[MET-13] yields what has arrived before it waits for more', async () => {
    const { promise: never } = Promise.withResolvers<void>();
    async function* waiting(): AsyncGenerator<Uint8Array> {
      yield gzipSync('a line');
      await never;
    }
    const first = await inflateChunks(waiting(), FLOOR)[Symbol.asyncIterator]().next();
    assert.equal(Buffer.from(first.value ?? []).toString(), 'a line');
  });

  it('[MET-13] [LIM-1] refuses a body of over 100 times the bytes that were received, unless it is small', async () => {
    const small = gzipSync(Buffer.alloc(4 * 1_048_576));
    for (const size of [1, 1_000, small.length]) {
      await assert.rejects(joined(inflateChunks(pieces(small, size), FLOOR)), { code: 'REQUEST_BODY_TOO_LARGE' });
      assert.equal((await joined(inflateChunks(pieces(small, size), 4 * FLOOR))).length, 4 * 1_048_576);
    }
    const rows = Buffer.from('{"id":"a","text":"the same in every row"}\n'.repeat(50_000));
    const varied = Buffer.from(
      Array.from({ length: 50_000 }, (_, at) => `{"id":"${at}","text":"the same"}\n`).join(''),
    );
    assert.ok(rows.length > FLOOR && varied.length > FLOOR);
    await assert.rejects(joined(inflateChunks(pieces(gzipSync(rows), 1_000), FLOOR)), {
      code: 'REQUEST_BODY_TOO_LARGE',
    });
    assert.deepEqual(await joined(inflateChunks(pieces(gzipSync(varied), 1_000), FLOOR)), varied);
  });

  it('[MET-13] [LIM-1] decompresses no more of a bomb than is consumed', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576));
    const before = process.memoryUsage().arrayBuffers;
    let inflated = 0;
    for await (const chunk of inflateChunks(pieces(bomb, bomb.length), 2 * FLOOR)) {
      inflated += chunk.length;
      if (inflated > 1_048_576) break;
    }
    assert.ok(process.memoryUsage().arrayBuffers - before < 8 * 1_048_576);
  });

  it('[MET-13] [LIM-1] reads little more from its source than is consumed', async () => {
    const noise = Buffer.from(Array.from({ length: 16_384 }, (_, at) => (at * at * 2_654_435_761) >>> 24));
    const member = gzipSync(noise);
    let taken = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        taken += member.length;
        yield member;
      }
    }
    let inflated = 0;
    for await (const chunk of inflateChunks(endless(), FLOOR)) {
      inflated += chunk.length;
      if (inflated >= 4 * 1_048_576) break;
    }
    assert.ok(taken < (inflated * member.length) / noise.length + 262_144, `${taken} bytes were taken`);
  });

  it('[MET-13] closes its source when its consumer stops', { timeout: 5_000 }, async () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield gzipSync('a line');
      } finally {
        resolve();
      }
    }
    for await (const chunk of inflateChunks(endless(), FLOOR)) if (chunk.length > 0) break;
    await ended;
  });

  it('[NEG-2] closes its source when the data are invalid', { timeout: 5_000 }, async () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield BODY;
      } finally {
        resolve();
      }
    }
    await assert.rejects(joined(inflateChunks(endless(), FLOOR)), { code: 'REQUEST_BODY_MALFORMED' });
    await ended;
  });

  it('[MET-13] passes on errors of its source', async () => {
    const timeout = apiError('REQUEST_TIMEOUT', 'The body took too long.');
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield packed.subarray(0, 12);
      throw timeout;
    }
    await assert.rejects(joined(inflateChunks(failing(), FLOOR)), (error) => error === timeout);
  });
});
