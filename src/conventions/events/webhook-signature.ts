/** Signs content with one key. @returns the version of the signature, a comma and the signature in base64 */
export type Signer = (content: string) => string;

/** The content that a signature covers. */
export interface SignedMessage {
  /** The id of the event: the same for every attempt and replay. */
  readonly id: string;
  /** The time of the attempt, in whole seconds since the epoch. */
  readonly timestamp: number;
  /** The body as it is sent, byte for byte. */
  readonly body: string | Uint8Array;
}

/** The header fields of a signed message (Standard Webhooks 1.0). */
export interface SignatureFields {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

const SECRET_PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Bytes of a secret that the specification allows. */
const MIN_SECRET = 24;
const MAX_SECRET = 64;
/** Signatures of a header field that are compared: a receiver spends no more on a request. */
const MAX_SIGNATURES = 16;
const SIGNATURE_BYTES = 32;

/**
 * Signs a message (Standard Webhooks 1.0, EVT-5): one signature for each key, so that receivers verify either one
 * during a rotation.
 *
 * @param signers of the newest key first
 */
export function signatureFields(
  { id, timestamp, body }: SignedMessage & { readonly body: string },
  signers: readonly Signer[],
): SignatureFields {
  const content = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signers.map((sign) => sign(content)).join(' '),
  };
}

/** A signature of version `v1`. @param hmac HMAC-SHA-256 in base64 */
export function hmacSignature(hmac: string): string {
  return `v1,${hmac}`;
}

/** The bytes that are signed: `id.timestamp.body`. */
export function signedContent({ id, timestamp, body }: SignedMessage): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const head = encoder.encode(`${id}.${timestamp}.`);
  const content = typeof body === 'string' ? encoder.encode(body) : body;
  const whole = new Uint8Array(head.length + content.length);
  whole.set(head);
  whole.set(content, head.length);
  return whole;
}

/** The secret of a key: `whsec_` and base64. @param key 24 to 64 unpredictable bytes */
export function webhookSecret(key: Uint8Array): string {
  return `${SECRET_PREFIX}${toBase64(key)}`;
}

/** The key of a secret, with or without the prefix; null for one that is not base64 of 24 to 64 bytes. */
export function webhookKey(secret: string): Uint8Array<ArrayBuffer> | null {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  const key = fromBase64(encoded);
  return key === null || key.length < MIN_SECRET || key.length > MAX_SECRET ? null : key;
}

/**
 * The signatures of version `v1` in a `webhook-signature` field; those of other versions are ignored, as the
 * specification requires.
 */
export function signaturesIn(field: string): readonly Uint8Array<ArrayBuffer>[] {
  return field.split(' ', MAX_SIGNATURES).flatMap((each) => {
    const [version, encoded = ''] = each.split(',');
    const signature = version === 'v1' ? fromBase64(encoded) : null;
    return signature?.length === SIGNATURE_BYTES ? [signature] : [];
  });
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** The bytes of a base64 text; null for any other text. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  return BASE64.test(text) ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) : null;
}
