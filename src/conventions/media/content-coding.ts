import { TOKEN } from '../headers/field-syntax.ts';
import { memoize } from '../../cache/memoize.ts';

/** The content coding of a response (NEG-7). */
export type Coding = 'identity' | 'br' | 'gzip' | 'zstd';

/** Weights from 0 to 1 by coding; `*` is for all codings that are not listed. */
type Weights = ReadonlyMap<string, number>;

/** A coding with its weight (RFC 9110 12.4.2), or an empty list element. */
const ELEMENT = new RegExp(
  `^[\\t ]*(?:(${TOKEN})[\\t ]*(?:;[\\t ]*[qQ]=(0(?:\\.[0-9]{0,3})?|1(?:\\.0{0,3})?)[\\t ]*)?)?$`,
);

const NONE: Weights = new Map();

/** Empty if the field is not valid. If a coding is repeated, the greater weight counts, as in `Accept`. */
const parseWeights = memoize((text): Weights => {
  const weights = new Map<string, number>();
  for (const element of text.split(',')) {
    const match = ELEMENT.exec(element);
    if (match === null) return NONE;
    const [, name, weight = '1'] = match;
    if (name === undefined) continue;
    const coding = name.toLowerCase() === 'x-gzip' ? 'gzip' : name.toLowerCase();
    weights.set(coding, Math.max(weights.get(coding) ?? 0, Number(weight)));
  }
  return weights;
});

/**
 * The content coding with the greatest weight (RFC 9110 12.5.3); if weights are equal, the first offered one. Identity
 * is the fallback if no offered coding is acceptable or the field is not valid, which is never an error.
 *
 * @param text value of `Accept-Encoding`; null if absent
 * @param offered the available codings other than identity, in the order of the server's preference
 */
export function negotiateCoding(text: string | null, offered: readonly Coding[]): Coding {
  if (text === null || text === '') return 'identity';
  const weights = parseWeights(text);
  const rest = weights.get('*') ?? 0;
  // Identity, if not listed, ranks below every listed coding.
  const identity = weights.get('identity') ?? 0;
  let best: Coding = 'identity';
  let bestWeight = 0;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? rest;
    if (weight <= bestWeight || weight < identity) continue;
    best = coding;
    bestWeight = weight;
  }
  return best;
}
