import { createHmac, createSecretKey } from 'node:crypto';
import { hmacSignature, type Signer, webhookKey } from '../../conventions/events/webhook-signature.ts';

/**
 * Signs with a secret (version `v1` of Standard Webhooks).
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
