import { TOKEN } from './field-syntax.ts';
import { memoize } from '../cache/memoize.ts';

/** How the bytes of an answer are coded (NEG-7). */
export type Coding = 'identity' | 'br' | 'gzip' | 'zstd';

/** Weights from 0 to 1 by coding, `*` for those that are not named. */
type Weights = ReadonlyMap<string, number>;

/** A coding with its weight (RFC 9110 12.4.2), or nothing, as between two commas. */
const ELEMENT = new RegExp(
  `^[\\t ]*(?:(${TOKEN})[\\t ]*(?:;[\\t ]*[qQ]=(0(?:\\.[0-9]{0,3})?|1(?:\\.0{0,3})?)[\\t ]*)?)?$`,
);

const NONE: Weights = new Map();

/** None where the field cannot be read. Of a coding that is named twice the greater weight counts, as in `Accept`. */
const weightsOf = memoize((text): Weights => {
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
 * The coding that the caller of an answer likes best (RFC 9110 12.5.3): of equals the first that is offered. Bytes as they are need no
 * permission: they are sent where nothing that is offered fits, and where the field cannot be read, which is never an error.
 *
 * @param text value of `Accept-Encoding`; null where it is absent
 * @param offered the codings that can be sent beside identity, in the order of the server's preference
 */
export function negotiateCoding(text: string | null, offered: readonly Coding[]): Coding {
  if (text === null || text === '') return 'identity';
  const weights = weightsOf(text);
  const rest = weights.get('*') ?? 0;
  // Identity that is not named ranks below everything that is.
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
