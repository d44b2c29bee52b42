import { type Signer, hmacSignature, webhookKey } from '../../conventions/events/webhook-signature.ts';
import { readString } from '../../model/values/access.ts';
import type { Row } from '../../plan/plan.ts';
import type { Seal } from '../../platform/seal.ts';
import { createHmac, createSecretKey } from 'node:crypto';

/** A key that signs until a time. */
export interface SigningKey {
  readonly sign: Signer;
  /** Milliseconds since the epoch; `Infinity` for the newest one. */
  readonly until: number;
}

/** Milliseconds for which a secret still signs after a newer one was made. */
const ROTATION = 24 * 60 * 60_000;

/**
 * Lists the keys of a webhook, the newest first. Secrets that another server has sealed are left out.
 *
 * @param webhook its row, which has its first secret
 * @param rotated the rows of its later ones, in any order
 */
export function signingKeys(webhook: Row, rotated: readonly Row[], seal: Seal): readonly SigningKey[] {
  const rows = [webhook, ...rotated.toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1))];
  const keys = rows.flatMap((row, index) => {
    const secret = seal.open(readString(row['secret']) ?? '');
    const next = rows[index + 1];
    const until = next === undefined ? Number.POSITIVE_INFINITY : Date.parse(next.created_at) + ROTATION;
    return secret === null ? [] : [{ sign: hmacSigner(secret), until }];
  });
  return keys.toReversed();
}

/** Selects the keys that sign at a time. @param now milliseconds since the epoch */
export function activeSigners(keys: readonly SigningKey[], now: number): readonly Signer[] {
  return keys.flatMap(({ sign, until }) => (now < until ? [sign] : []));
}

/**
 * Makes a signer with a secret (version `v1` of Standard Webhooks).
 *
 * @param secret as `webhookSecret` writes it
 * @throws {RangeError} for anything else
 */
export function hmacSigner(secret: string): Signer {
  const bytes = webhookKey(secret);
  if (bytes === null) throw new RangeError('The secret of a webhook is not valid.');
  const key = createSecretKey(bytes);
  return (content) => hmacSignature(createHmac('sha256', key).update(content).digest('base64'));
}
