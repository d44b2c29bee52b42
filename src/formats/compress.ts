import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Coding } from '../conventions/content-coding.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';

/** Answers over so many bytes are compressed (NEG-7). */
export const COMPRESSIBLE_FROM = 1_024;

/** Up to so many bytes are compressed on the thread that asks, in 0.15 ms at most: the way to another one and back takes it as long. */
const IN_PLACE = 16_384;

/** Answers are made once and sent once: beyond these levels a few per cent less cost several times the processor. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;
const ZSTD_LEVEL = 3;

/** The codings that this runtime has, in the order of preference. */
export const codings: readonly Coding[] = ['br', 'zstd', 'gzip'];

type Coder = (bytes: Uint8Array) => MaybePromise<Uint8Array>;

const { constants } = zlib;
const CODERS: Readonly<Record<Coding, Coder>> = {
  identity: (bytes) => bytes,
  br: coder(zlib.brotliCompressSync, promisify(zlib.brotliCompress), (size) => ({
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: size,
    },
  })),
  gzip: coder(zlib.gzipSync, promisify(zlib.gzip), () => ({ level: GZIP_LEVEL })),
  // What it is not told the size of, it makes room for megabytes for, which takes many times as long as to compress it.
  zstd: coder(zlib.zstdCompressSync, promisify(zlib.zstdCompress), (size) => ({
    params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL },
    pledgedSrcSize: size,
  })),
};

/** The bytes of a content in a coding (RFC 9110 8.4.1): the same for the same content. */
export function compress(content: string | Uint8Array, coding: Coding): MaybePromise<Uint8Array> {
  return CODERS[coding](typeof content === 'string' ? Buffer.from(content) : content);
}

function coder<O>(
  inPlace: (bytes: Uint8Array, options: O) => Uint8Array,
  apart: (bytes: Uint8Array, options: O) => Promise<Uint8Array>,
  optionsFor: (size: number) => O,
): Coder {
  return (bytes) => (bytes.length <= IN_PLACE ? inPlace : apart)(bytes, optionsFor(bytes.length));
}
