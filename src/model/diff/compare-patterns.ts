/** A part of a pattern: characters that have to be equal in both patterns, or the alternatives of a group. */
type PatternPart = string | readonly PatternSequence[];

type PatternSequence = readonly PatternPart[];

/** Levels of groups, and characters, that are read. */
const MAX_DEPTH = 20;
const MAX_LENGTH = 20_000;

/**
 * True if the outer pattern differs from the inner one only by further alternatives: `^(a|b)$` contains `^(a)$`.
 * False also if it cannot be decided.
 */
export function patternContains(outer: string, inner: string): boolean {
  const [wide, narrow] = [readPattern(outer), readPattern(inner)];
  return wide !== null && narrow !== null && containsAll(wide, narrow);
}

function containsAll(outer: readonly PatternSequence[], inner: readonly PatternSequence[]): boolean {
  const known = new Set(outer.filter(isPlain).map(joinSequence));
  const others = outer.filter((each) => !isPlain(each));
  return inner.every((each) =>
    isPlain(each) ? known.has(joinSequence(each)) : others.some((one) => containsSequence(one, each)),
  );
}

function containsSequence(outer: PatternSequence, inner: PatternSequence): boolean {
  if (outer.length !== inner.length) return false;
  return outer.every((part, index) => {
    const other = inner[index];
    if (typeof part === 'string' || typeof other === 'string' || other === undefined) return part === other;
    return containsAll(part, other);
  });
}

function isPlain(sequence: PatternSequence): boolean {
  return sequence.every((part) => typeof part === 'string');
}

function joinSequence(sequence: PatternSequence): string {
  return sequence.join('');
}

/** A token: an escape, a character class, the start of a group with its kind, or one character. */
const TOKEN = /\\[^]|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:<?[=!]|:|<[A-Za-z_]\w*>))?|[^]/gy;

/**
 * The alternatives of a pattern; null for one that cannot be read, or that has groups which more alternatives make
 * narrower.
 */
function readPattern(pattern: string): readonly PatternSequence[] | null {
  if (pattern.length > MAX_LENGTH) return null;
  const open: PatternPart[][][] = [[[]]];
  for (const [token] of pattern.matchAll(TOKEN)) {
    const alternatives = open.at(-1);
    if (alternatives === undefined) return null;
    if (token === '(' || token === '(?:') open.push([[]]);
    else if (token.startsWith('(')) return null;
    else if (token === '|') alternatives.push([]);
    else if (token === ')') {
      open.pop();
      open.at(-1)?.at(-1)?.push(alternatives);
    } else append(alternatives.at(-1), token);
    if (open.length > MAX_DEPTH) return null;
  }
  return open.length === 1 ? (open[0] ?? null) : null;
}

/** Characters that follow each other are one part. */
function append(sequence: PatternPart[] | undefined, token: string): void {
  const last = sequence?.at(-1);
  if (typeof last === 'string') sequence?.splice(-1, 1, last + token);
  else sequence?.push(token);
}
