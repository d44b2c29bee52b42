import type { Steps } from '../platform/time-slices.ts';

/** Maximum characters of a body: several times those of a page as JSON, because other formats repeat names. */
export const MAX_BODY = 268_435_456;
/** Characters up to which a body stays a string, which is sent in one piece with its header. */
const ONE_STRING = 65_536;

/**
 * All of a body: a string where it is short, else bytes, so that nothing has to go through all of it in one piece
 * later. Each piece is a step.
 *
 * @throws {RangeError} it has more characters than a body may have
 */
export function* bodyOf(pieces: Iterable<string>): Steps<string | Buffer> {
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

/** A text of pieces, each of which is a step. @throws {RangeError} it is longer than a string can be */
export function* textOf(pieces: Iterable<string>): Steps<string> {
  const parts: string[] = [];
  for (const piece of pieces) {
    parts.push(piece);
    yield;
  }
  const [only = ''] = parts;
  return parts.length <= 1 ? only : parts.join('');
}
