import type { RequestBody } from './exchange.ts';

/** A body whose bytes are at hand. */
export function bufferedBody(bytes: Uint8Array): RequestBody {
  return {
    length: bytes.length,
    read: () => Promise.resolve(bytes),
    chunks: async function* chunks() {
      yield await Promise.resolve(bytes);
    },
  };
}
