import type { Coding } from '../conventions/content-coding.ts';
import { compress, COMPRESSIBLE_FROM } from '../formats/compress.ts';
import { after, type Awaitable } from '../platform/awaitable.ts';
import { Recurring } from '../platform/recurring.ts';
import { type ApiResponse, isStreamed } from './exchange.ts';
import type { Exchange } from './receive.ts';

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
  readonly #known = new Recurring<Compressed>({
    bound: KEPT,
    weigh: ({ text, bytes }, key) => key.length + text.length + bytes.length,
    keys: TEXTS,
  });

  /** Lets go of what is kept. */
  forget(): void {
    this.#known.forget();
  }

  /**
   * An answer in the coding that its caller likes best (NEG-7). Short answers stay as they are, and so does one that is written piece by
   * piece: its pieces are to arrive when they are written.
   */
  compressed(answer: ApiResponse, { request, coding }: Pick<Exchange, 'request' | 'coding'>): Awaitable<ApiResponse> {
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

  #once(text: string, target: string, coding: Coding): Awaitable<Uint8Array> {
    const key = `${coding}\n${target}`;
    const known = this.#known.get(key);
    if (known?.text === text) return known.bytes;
    return after(compress(text, coding), (bytes) => {
      // What is made is a part of more bytes, all of which would be kept with it.
      this.#known.offer(key, { text, bytes: new Uint8Array(bytes) });
      return bytes;
    });
  }
}
