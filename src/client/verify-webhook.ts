import type { EventEnvelope, EventPayload } from '../conventions/events/event.ts';
import {
  type SignatureFields,
  type SignedMessage,
  signaturesIn,
  signedContent,
  webhookKey,
} from '../conventions/events/webhook-signature.ts';
import { webPlatform } from '../platform/web.ts';

export type { EventPayload, SignatureFields };
/** An event in the native format. */
export type WebhookEvent = EventEnvelope;

/** The header fields of a request: `Headers` of fetch, or an object such as `request.headers` of Node.js. */
export type ReceivedHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request that a receiver got. */
export interface ReceivedWebhook {
  readonly headers: ReceivedHeaders;
  /** The body as it was received. A body that was parsed and serialized again has another signature. */
  readonly body: string | Uint8Array;
}

export interface VerifyOptions {
  /** The secret of the webhook, `whsec_...`; during a rotation both. */
  readonly secret: string | readonly string[];
  /**
   * Seconds that the time of an attempt may differ from the clock, which limits how long a recorded request can be
   * repeated. Default: 300.
   */
  readonly tolerance?: number;
  /** Milliseconds since the epoch. Default: the clock. */
  readonly now?: () => number;
}

/**
 * The reason why a request is not a delivery. `SECRET_INVALID` is a mistake of the receiver; respond to all others with
 * 400.
 */
export type WebhookErrorCode =
  | 'SECRET_INVALID'
  | 'HEADER_MISSING'
  | 'TIMESTAMP_INVALID'
  | 'TIMESTAMP_OUT_OF_TOLERANCE'
  | 'SIGNATURE_MISMATCH'
  | 'BODY_MALFORMED';

/**
 * A request whose signature could not be verified, or that is not an event.
 *
 * @example
 * ```ts
 * if (error instanceof WebhookError) return new Response(error.message, { status: 400 });
 * ```
 */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const TOLERANCE = 300;
const TIMESTAMP = /^[0-9]{1,12}$/;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Verifies a delivery of a webhook (Standard Webhooks 1.0) and returns its event. Signatures are compared in constant
 * time. The same event may be delivered more than once: its `id`, which is also `webhook-id`, identifies it.
 *
 * @returns the event; in the format `cloudevents`, name its type: `verifyWebhook<MyCloudEvent>(..)`
 * @throws {WebhookError}
 *
 * @example
 * ```ts
 * const event = await verifyWebhook({ headers: request.headers, body: await request.text() }, { secret });
 * if (event.type === 'order.created') await ship(event.data);
 * ```
 */
export async function verifyWebhook<Event = WebhookEvent>(
  { headers, body }: ReceivedWebhook,
  { secret, tolerance = TOLERANCE, now = () => webPlatform.now() }: VerifyOptions,
): Promise<Event> {
  const keys = decodeSecrets(typeof secret === 'string' ? [secret] : secret);
  const id = required(headers, 'webhook-id');
  const timestamp = parseTimestamp(required(headers, 'webhook-timestamp'));
  const signatures = required(headers, 'webhook-signature');
  if (Math.abs(now() / 1_000 - timestamp) > tolerance)
    throw new WebhookError(
      'TIMESTAMP_OUT_OF_TOLERANCE',
      `webhook-timestamp differs from the clock by more than ${tolerance} s; compare the clocks, or discard a repeated request.`,
    );
  if (!(await isSigned({ id, timestamp, body }, keys, signatures)))
    throw new WebhookError(
      'SIGNATURE_MISMATCH',
      'No signature matches; use the secret of this webhook and the body as it was received.',
    );
  try {
    const event: Event = JSON.parse(
      typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body),
    );
    return event;
  } catch {
    throw new WebhookError('BODY_MALFORMED', 'The body is signed, but is not JSON.');
  }
}

/** @throws {WebhookError} */
function decodeSecrets(secrets: readonly string[]): readonly Uint8Array<ArrayBuffer>[] {
  const keys = secrets.map(webhookKey);
  const valid = keys.filter((key) => key !== null);
  if (valid.length === 0 || valid.length < keys.length)
    throw new WebhookError('SECRET_INVALID', 'A secret is whsec_ and base64, as the webhook showed it once.');
  return valid;
}

function required(headers: ReceivedHeaders, name: keyof SignatureFields): string {
  const value = isHeaders(headers) ? headers.get(name) : readField(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookError('HEADER_MISSING', `The request has no ${name}.`);
}

function isHeaders(headers: ReceivedHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function';
}

/** A field by its name in any case; undefined where it is absent or repeated. */
function readField(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string | undefined {
  const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? (value ?? []) : []));
  return values.length === 1 ? values[0] : undefined;
}

function parseTimestamp(text: string): number {
  if (TIMESTAMP.test(text)) return Number(text);
  throw new WebhookError('TIMESTAMP_INVALID', 'webhook-timestamp is not a number of seconds.');
}

/** `subtle.verify` compares in constant time. */
async function isSigned(
  message: SignedMessage,
  keys: readonly Uint8Array<ArrayBuffer>[],
  field: string,
): Promise<boolean> {
  const content = signedContent(message);
  const signatures = signaturesIn(field);
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['verify']);
    for (const signature of signatures) {
      if (await crypto.subtle.verify('HMAC', key, signature, content)) return true;
    }
  }
  return false;
}
