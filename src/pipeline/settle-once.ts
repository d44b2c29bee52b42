import type { Effect } from './effect.ts';
import { bytesOf, effectMemo, once, type Outcome, rememberedEffect, requestDigest } from './idempotency.ts';
import { settle, type Settling } from './settle.ts';
import type { Surroundings } from './surroundings.ts';
import type { Operation } from './write.ts';

/**
 * Does one write, and at most once where it has a key (MET-12).
 *
 * @param key the name under which its effect is remembered; null where it has none
 */
export async function settleOnce(
  key: string | null,
  operation: Operation,
  settling: Omit<Settling, 'memo'>,
  surroundings: Surroundings,
): Promise<Outcome<Effect>> {
  if (key === null) {
    const settled = await settle(operation, { ...settling, memo: null }, surroundings);
    if (settled.kind === 'remembered') throw new Error('a write without a key was remembered');
    return { outcome: settled.effect, replayed: false };
  }
  const asked = { name: key, request: requestDigest(operation.request, bytesOf(settling.body), surroundings) };
  const run = async (): Promise<Effect | 'remembered'> => {
    const settled = await settle(operation, { ...settling, memo: effectMemo(asked, surroundings) }, surroundings);
    return settled.kind === 'done' ? settled.effect : 'remembered';
  };
  return once(asked, run, rememberedEffect, surroundings);
}
