import type { Coding } from '../conventions/content-coding.ts';
import { compress, COMPRESSIBLE_FROM } from '../formats/compress.ts';
import type { Awaitable } from '../platform/awaitable.ts';
import { type Answer, isStreamed } from './exchange.ts';

/**
 * An answer in the coding that its caller likes best (NEG-7). Short answers stay as they are, and so does one that is written piece by
 * piece: its pieces are to arrive when they are written.
 */
export function compressed(answer: Answer, coding: Coding): Awaitable<Answer> {
  if (coding === 'identity' || isStreamed(answer)) return answer;
  const { status, headers, body } = answer;
  if (body === null || Buffer.byteLength(body) <= COMPRESSIBLE_FROM) return answer;
  return compress(body, coding).then((short) => ({
    status,
    headers: [...headers, 'Content-Encoding', coding],
    body: short,
  }));
}
