import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import type { Coding } from '../../src/conventions/media/content-coding.ts';
import { codings, compress } from '../../src/formats/compress.ts';
import { runs } from '../extent.ts';

const DECODERS: Readonly<Record<Coding, (bytes: Uint8Array) => Uint8Array>> = {
  identity: (bytes) => bytes,
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

const ALL: readonly Coding[] = ['identity', ...codings];
const LARGE = JSON.stringify(
  Array.from({ length: 1_000 }, (_, at) => ({ id: `p${at}`, name: 'Lamp é', price: '9.90' })),
);
const PAGE = JSON.stringify(Array.from({ length: 50 }, (_, at) => ({ id: `p${at}`, name: 'Lamp é', price: '9.90' })));

describe('compress', () => {
  it('[NEG-7] supports each offered coding', () => assert.deepEqual(codings, ['br', 'zstd', 'gzip']));

  for (const coding of ALL) {
    it(`[NEG-7] is lossless in ${coding}`, async () => {
      const law = fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), async (bytes) => {
        assert.deepEqual(Buffer.from(DECODERS[coding](await compress(bytes, coding))), Buffer.from(bytes));
      });
      await fc.assert(law, { numRuns: runs(8, 40) });
    });

    it(`[NEG-7] writes text in ${coding} as UTF-8`, async () => {
      for (const text of [PAGE, LARGE]) {
        assert.equal(Buffer.from(DECODERS[coding](await compress(text, coding))).toString(), text);
      }
    });

    it(`[NEG-7] [CACHE-1] returns the same bytes for the same content in ${coding}`, async () => {
      assert.deepEqual(await compress(PAGE, coding), await compress(Buffer.from(PAGE), coding));
    });
  }

  for (const coding of codings) {
    it(`[NEG-7] compresses a page to a tenth in ${coding}`, async () => {
      assert.ok((await compress(PAGE, coding)).length < PAGE.length / 10);
    });

    it(`[NEG-7] compresses a page synchronously in ${coding}, and a large one on another thread`, () => {
      assert.ok(compress(PAGE, coding) instanceof Uint8Array);
      assert.ok(compress(LARGE, coding) instanceof Promise);
    });
  }
});
