import type { Steps } from '../platform/time-slices.ts';

/** Maximum characters of a body: several times those of a page as JSON, because other formats repeat names. */
export const MAX_BODY = 268_435_456;
/** Characters up to which a body stays a string, which is sent in one piece with its header. */
const ONE_STRING = 65_536;

/**
 * Joins the pieces of a body, each in a step. A short body becomes a string. A long one becomes bytes, so that no later
 * step goes through all of it.
 *
 * @throws {RangeError} it has more characters than a body may have
 */
export function* joinBody(pieces: Iterable<string>): Steps<string | Buffer> {
  const parts: Buffer[] = [];
  let text = '';
  let length = 0;
  for (const piece of pieces) {
    length += piece.length;
    if (length > MAX_BODY) throw new RangeError('The body is too long');
    text += piece;
    if (text.length > ONE_STRING) {
      parts.push(Buffer.from(text));
      text = '';
    }
    yield;
  }
  if (parts.length === 0) return text;
  return Buffer.concat([...parts, Buffer.from(text)]);
}

/** Joins the pieces of a text, each in a step. @throws {RangeError} it is longer than a string can be */
export function* joinText(pieces: Iterable<string>): Steps<string> {
  const parts: string[] = [];
  for (const piece of pieces) {
    parts.push(piece);
    yield;
  }
  const [only = ''] = parts;
  return parts.length <= 1 ? only : parts.join('');
}
