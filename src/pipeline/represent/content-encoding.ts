import type { Coding } from '../../conventions/content-coding.ts';
import { compress, COMPRESSIBLE_FROM } from '../../formats/compress.ts';
import { after, type MaybePromise } from '../../platform/maybe-promise.ts';
import { SecondHitCache } from '../../cache/second-hit-cache.ts';
import { type ApiResponse, isStreamed } from '../exchange.ts';
import type { Exchange } from '../receive.ts';

/** A text, and what it was compressed to. */
interface Compressed {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Characters and bytes that are kept in each of two generations. */
const KEPT = 4_194_304;
/** About as many texts as there is room for. */
const TEXTS = 1_024;

/** Compresses answers. A text that its target has again is not compressed again: it has the same bytes. */
export class Compressor {
  readonly #known = new SecondHitCache<Compressed>({
    bound: KEPT,
    weigh: ({ text, bytes }, key) => key.length + text.length + bytes.length,
    keys: TEXTS,
  });

  /** Lets go of what is kept. */
  clear(): void {
    this.#known.clear();
  }

  /**
   * An answer in the coding that its caller likes best (NEG-7). Short answers stay as they are, and so does one that is written piece by
   * piece: its pieces are to arrive when they are written.
   */
  compressed(
    answer: ApiResponse,
    { request, coding }: Pick<Exchange, 'request' | 'coding'>,
  ): MaybePromise<ApiResponse> {
    if (coding === 'identity' || isStreamed(answer)) return answer;
    const { status, headers, body } = answer;
    if (body === null || Buffer.byteLength(body) <= COMPRESSIBLE_FROM) return answer;
    const recurs = status === 200 && (request.method === 'GET' || request.method === 'HEAD');
    const bytes =
      recurs && typeof body === 'string' ? this.#once(body, request.target, coding) : compress(body, coding);
    return after(bytes, (short) => ({
      status,
      headers: [...headers, 'Content-Encoding', coding],
      body: short,
    }));
  }

  #once(text: string, target: string, coding: Coding): MaybePromise<Uint8Array> {
    const key = `${coding}\n${target}`;
    const known = this.#known.get(key);
    if (known?.text === text) return known.bytes;
    return after(compress(text, coding), (bytes) => {
      // What is made is a part of more bytes, all of which would be kept with it.
      this.#known.set(key, { text, bytes: new Uint8Array(bytes) });
      return bytes;
    });
  }
}
