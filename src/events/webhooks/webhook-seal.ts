import { createSeal, type Seal } from '../../platform/seal.ts';

/** Makes the seal of the secrets of webhooks. @param secret of the model or of its store */
export function webhookSeal(secret: Uint8Array): Seal {
  return createSeal(secret, 'webhook secret');
}
