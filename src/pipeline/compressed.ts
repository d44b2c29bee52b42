import type { Coding } from '../conventions/content-coding.ts';
import { compress, COMPRESSIBLE_FROM } from '../formats/compress.ts';
import { after, type Awaitable } from '../platform/awaitable.ts';
import { Recurring } from '../platform/recurring.ts';
import { type Answer, isStreamed, type RawRequest, type WholeAnswer } from './exchange.ts';
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

/** Compresses answers, and those that are given again once: a target whose text is the same has the same bytes. */
export class Compressor {
  readonly #known = new Recurring<Compressed>({
    bound: KEPT,
    weigh: ({ text, bytes }) => text.length + bytes.length,
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
    return after(this.#bytesOf(body, request, coding), (bytes) => ({
      status,
      headers: [...headers, 'Content-Encoding', coding],
      body: bytes,
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
      this.#known.offer(key, { text: body, bytes });
      return bytes;
    });
  }
}
