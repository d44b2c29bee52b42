import type { Coding } from '../conventions/content-coding.ts';
import { compress, COMPRESSIBLE_FROM } from '../formats/compress.ts';
import { after, type Awaitable } from '../platform/awaitable.ts';
import { Recurring } from '../platform/recurring.ts';
import { type Answer, isStreamed, type RawRequest, type WholeAnswer } from './exchange.ts';
import type { Exchange } from './receive.ts';

/** The text of a target, and what it was compressed to. */
interface Compressed {
  readonly target: string;
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
    weigh: ({ target, text, bytes }) => target.length + text.length + bytes.length,
    keys: TEXTS,
  });

  /**
   * An answer in the coding that its caller likes best (NEG-7). Short answers stay as they are, and so does one that is written piece by
   * piece: its pieces are to arrive when they are written.
   */
  compressed(answer: Answer, { request, coding }: Pick<Exchange, 'request' | 'coding'>): Awaitable<Answer> {
    if (coding === 'identity' || isStreamed(answer)) return answer;
    const { status, headers, body } = answer;
    if (body === null || Buffer.byteLength(body) <= COMPRESSIBLE_FROM) return answer;
    const bytes = status === 200 ? this.#bytesOf(body, request, coding) : compress(body, coding);
    return after(bytes, (short) => ({
      status,
      headers: [...headers, 'Content-Encoding', coding],
      body: short,
    }));
  }

  #bytesOf(
    body: NonNullable<WholeAnswer['body']>,
    { method, target }: Pick<RawRequest, 'method' | 'target'>,
    coding: Coding,
  ): Awaitable<Uint8Array> {
    if (typeof body !== 'string' || (method !== 'GET' && method !== 'HEAD')) return compress(body, coding);
    const key = `${coding}\n${target}`;
    const known = this.#known.get(key);
    if (known?.text === body) return known.bytes;
    return after(compress(body, coding), (bytes) => {
      // What is made is a part of more bytes, all of which would be kept with it.
      this.#known.offer(key, { target, text: body, bytes: new Uint8Array(bytes) });
      return bytes;
    });
  }
}
