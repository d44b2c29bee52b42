import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Coding } from '../conventions/media/content-coding.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';

/** Responses of more bytes than this are compressed (NEG-7). */
const COMPRESSIBLE_FROM = 1_024;

/** Up to this size, compression is synchronous: it takes at most 0.15 ms, about as long as using another thread. */
const MAX_SYNC_BYTES = 16_384;

/** Higher levels save a few per cent of the size for several times the CPU time. */
const BROTLI_QUALITY = 4;
/** That of files which never change: it takes a second for each megabyte, once. */
const BEST_BROTLI_QUALITY = 11;
const GZIP_LEVEL = 6;
const ZSTD_LEVEL = 3;

/** The supported content codings, in order of preference. */
export const codings: readonly Coding[] = ['br', 'zstd', 'gzip'];

type Coder = (bytes: Uint8Array) => MaybePromise<Uint8Array>;

const { constants } = zlib;
const CODERS: Readonly<Record<Coding, Coder>> = {
  identity: (bytes) => bytes,
  br: brotliCoder(BROTLI_QUALITY),
  gzip: coder(zlib.gzipSync, promisify(zlib.gzip), () => ({ level: GZIP_LEVEL })),
  // Without the size, zstd allocates megabytes, which takes many times as long as the compression.
  zstd: coder(zlib.zstdCompressSync, promisify(zlib.zstdCompress), (size) => ({
    params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL },
    pledgedSrcSize: size,
  })),
};

/** True if a body is long enough to be compressed (NEG-7). */
export function isCompressible(body: string | Uint8Array): boolean {
  return body.length > COMPRESSIBLE_FROM || Buffer.byteLength(body) > COMPRESSIBLE_FROM;
}

/** Encodes content in a content coding (RFC 9110 8.4.1). The same content always gives the same bytes. */
export function compress(content: string | Uint8Array, coding: Coding): MaybePromise<Uint8Array> {
  return CODERS[coding](typeof content === 'string' ? Buffer.from(content) : content);
}

const compressBest = brotliCoder(BEST_BROTLI_QUALITY);

/** Encodes content as {@link compress}, in Brotli as small as it gets. Meant for what is encoded once. */
export function compressFile(content: Uint8Array, coding: Coding): MaybePromise<Uint8Array> {
  return coding === 'br' ? compressBest(content) : compress(content, coding);
}

/** Encodes a body once for each coding. @param encode {@link compress} or {@link compressFile} */
export function compressOnce(
  body: Uint8Array,
  encode: (content: Uint8Array, coding: Coding) => MaybePromise<Uint8Array>,
): (coding: Coding) => MaybePromise<Uint8Array> {
  const known = new Map<Coding, MaybePromise<Uint8Array>>();
  return (coding) => {
    const found = known.get(coding);
    if (found !== undefined) return found;
    const made = encode(body, coding);
    known.set(coding, made);
    if (made instanceof Promise)
      made.then(
        (bytes) => known.set(coding, bytes),
        () => known.delete(coding),
      );
    return made;
  };
}

function brotliCoder(quality: number): Coder {
  return coder(zlib.brotliCompressSync, promisify(zlib.brotliCompress), (size) => ({
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: size,
    },
  }));
}

function coder<O>(
  compressSync: (bytes: Uint8Array, options: O) => Uint8Array,
  compressAsync: (bytes: Uint8Array, options: O) => Promise<Uint8Array>,
  optionsFor: (size: number) => O,
): Coder {
  return (bytes) => (bytes.length <= MAX_SYNC_BYTES ? compressSync : compressAsync)(bytes, optionsFor(bytes.length));
}
