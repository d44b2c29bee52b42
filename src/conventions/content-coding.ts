import { TOKEN } from './field-syntax.ts';

/** How the bytes of an answer are coded (NEG-7). */
export type Coding = 'identity' | 'br' | 'gzip' | 'zstd';

const ELEMENT = new RegExp(
  `^[\\t ]*(${TOKEN}|\\*)[\\t ]*(?:;[\\t ]*[qQ]=(0(?:\\.[0-9]{0,3})?|1(?:\\.0{0,3})?)[\\t ]*)?$`,
);

/** Weights by coding, `*` for those that are not named; what cannot be read is passed over. */
function readWeights(text: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const element of text.split(',')) {
    const [, name, weight = '1'] = ELEMENT.exec(element) ?? [];
    if (name === undefined) continue;
    const coding = name.toLowerCase();
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight));
  }
  return weights;
}

/**
 * The coding that the caller of an answer likes best (RFC 9110 12.5.3): of equals the first that is offered. Bytes as they are need no
 * permission, and are sent where nothing that is offered fits.
 *
 * @param text value of `Accept-Encoding`; null where it is absent
 * @param offered the codings that can be sent beside identity, in the order of the server's preference
 */
export function negotiateCoding(text: string | null, offered: readonly Coding[]): Coding {
  if (text === null || text === '' || text === 'identity') return 'identity';
  const weights = readWeights(text);
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
