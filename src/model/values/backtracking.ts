import { createRequire } from 'node:module';
import type * as Detector from 'redos-detector';

const load = createRequire(import.meta.url);

/**
 * Limits of the detector: how often a match may backtrack for any text, and its search time, as its steps differ in
 * cost.
 */
const DETECTOR_LIMITS = { unicode: true, maxScore: 200, maxSteps: 300, timeout: 1000 };

/** One character: a literal, an escaped one, a class. */
const UNIT = String.raw`(?:[^\\()[\]{}|*+?^$]|\\[dDwWsS]|\\[^0-9A-Za-z]|\[(?:[^\\[\]]|\\[^bkpPux0-9])*\])`;
/** An anchored sequence of characters in which at most one may repeat a variable number of times. */
const LINEAR = new RegExp(
  String.raw`^\^(?:${UNIT}(?:\{\d{1,2}\})?)*(?:${UNIT}(?:[*+?]|\{\d{1,3},\d{0,3}\}))?(?:${UNIT}(?:\{\d{1,2}\})?)*\$?$`,
  'u',
);

/**
 * Patterns of schema libraries that the detector gives up on. In `string.date.iso` of ArkType, all repetitions but
 * `[,.]\d+` are bounded. The part after them ends the text, or starts with a character that they do not match.
 */
const PROVED_BY_HAND: ReadonlySet<string> = new Set([
  String.raw`^([+-]?\d{4}(?!\d{2}\b))((-?)((0[1-9]|1[0-2])(\3([12]\d|0[1-9]|3[01]))?|W([0-4]\d|5[0-3])(-?[1-7])?|(00[1-9]|0[1-9]\d|[12]\d{2}|3([0-5]\d|6[1-6])))(T((([01]\d|2[0-3])((:?)[0-5]\d)?|24:?00)([,.]\d+(?!:))?)?(\17[0-5]\d([,.]\d+)?)?([Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d)?)?)?)?$`,
]);

/** Look-around at the start: matched once. Its content is judged by the detector. */
const LEADING_LOOKAHEADS = /^\^(?:\(\?[=!](?:[^\\()[\]]|\\.|\[(?:[^\\\]]|\\.)*\])*\))*/u;
/** Look-around that looks at a bounded number of characters, or from the start of the text only. */
const SHORT_LOOK_AROUND =
  /\(\?[=!]\^(?:[^\\()[\]]|\\.|\[(?:[^\\\]]|\\.)*\])*\)|\(\?<?[=!](?:[^\\()[\]*+{}]|\\.|\[(?:[^\\\]]|\\.)*\])*\)/gu;

/**
 * Proves that a pattern matches in linear time in V8, whose engine backtracks. False does not mean that it is slow.
 *
 * @param source a valid pattern with the `u` flag
 */
export function isProvedLinear(source: string): boolean {
  if (LINEAR.test(source) || PROVED_BY_HAND.has(source)) return true;
  // The detector takes seconds for some patterns that can start anywhere; the linear engine matches those without
  // look-around.
  const isWorthProving = source.startsWith('^') || /\(\?<?[=!]|\\[1-9k]/u.test(source);
  return isWorthProving && hasCheapLookAround(source) && isProvedByDetector(source);
}

/** The detector counts look-around as one step, so it must be cheap wherever it may be repeated. */
function hasCheapLookAround(source: string): boolean {
  return !/\(\?<?[=!]/u.test(source.replace(LEADING_LOOKAHEADS, '').replace(SHORT_LOOK_AROUND, ''));
}

/** Loaded on demand: few models have a pattern that needs the detector, and it takes a tenth of the start-up time. */
function isProvedByDetector(source: string): boolean {
  const { isSafePattern }: typeof Detector = load('redos-detector');
  try {
    return isSafePattern(source.replace(/\(\?<(?![=!])[^>]*>/gu, '('), DETECTOR_LIMITS).safe;
  } catch {
    // Syntax that the detector does not know.
    return false;
  }
}
