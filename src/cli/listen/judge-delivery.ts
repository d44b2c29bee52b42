import type { Json } from '../../conventions/json/json.ts';
import { verifyWebhook, WebhookError, type WebhookErrorCode } from '../../client/verify-webhook.ts';

/** A request that a receiver got, with its body as it was sent. */
export interface ReceivedDelivery {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** The reason why a request is not a delivery of the webhook. */
export interface InvalidReason {
  readonly code: WebhookErrorCode | 'BODY_TOO_LARGE';
  readonly message: string;
}

/**
 * The result of the verification of a request. `unverified`: it has a signature, and the receiver has no secret.
 * `unsigned`: it has none, and the receiver has no secret.
 */
export type DeliveryVerdict =
  | { readonly kind: 'valid' | 'unverified' | 'unsigned' }
  | { readonly kind: 'invalid'; readonly reason: InvalidReason };

const SIGNATURE = 'webhook-signature';

/**
 * Verifies a request as `restwright/webhooks` does.
 *
 * @param secrets empty where nothing is verified
 * @param now milliseconds since the epoch
 */
export async function judgeDelivery(
  { headers, body }: ReceivedDelivery,
  secrets: readonly string[],
  now: () => number,
): Promise<DeliveryVerdict> {
  if (secrets.length === 0) return { kind: headers[SIGNATURE] === undefined ? 'unsigned' : 'unverified' };
  try {
    await verifyWebhook<Json>({ headers, body }, { secret: secrets, now });
    return { kind: 'valid' };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    const { code, message } = error;
    return { kind: 'invalid', reason: { code, message } };
  }
}
