import type { JsonObject } from '../conventions/json/json.ts';

/** `traceparent` of W3C Trace Context, with a trace that is recorded. */
export const TRACEPARENT: JsonObject = { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' };

/** The schemas of the header fields of a webhook, all of which it has: Standard Webhooks 1.0, and the trace (EVT-6). */
export const WEBHOOK_FIELDS: Readonly<Record<string, JsonObject & { readonly description: string }>> = {
  'webhook-id': {
    type: 'string',
    format: 'uuid',
    description: 'The id of the event, the same for every attempt and replay.',
  },
  'webhook-timestamp': {
    type: 'string',
    pattern: '^[0-9]{1,12}$',
    description: 'The time of the attempt, in seconds since 1970. Receivers refuse old ones.',
  },
  'webhook-signature': {
    type: 'string',
    pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
    description:
      'HMAC-SHA-256 of `webhook-id.webhook-timestamp.body` with the secret of the webhook, in base64; during a rotation one for each secret (Standard Webhooks 1.0).',
  },
  traceparent: { ...TRACEPARENT, description: 'The trace of the request that made the change.' },
};
