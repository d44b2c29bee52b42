import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Coding } from '../conventions/content-coding.ts';

/** Answers over so many bytes are compressed (NEG-7). */
export const COMPRESSIBLE_FROM = 1_024;

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);
const zstd = promisify(zlib.zstdCompress);

/** Answers are made once and sent once: beyond these levels a few per cent less cost several times the processor. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;
const ZSTD_LEVEL = 3;

/** The codings that this runtime has, in the order of preference. */
export const codings: readonly Coding[] = ['br', 'zstd', 'gzip'];

/** The bytes of a content in a coding (RFC 9110 8.4.1): the same for the same content. */
export async function compress(content: string | Uint8Array, coding: Coding): Promise<Uint8Array> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const { constants } = zlib;
  switch (coding) {
    case 'br':
      return brotli(bytes, {
        params: {
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      });
    case 'gzip':
      return gzip(bytes, { level: GZIP_LEVEL });
    case 'zstd':
      return zstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
    case 'identity':
      return bytes;
  }
}
