import { parseHttpDate } from '../headers/http-date.ts';

/**
 * The meaning of a response for a delivery (EVT-5): done; failed, to be repeated after so many milliseconds at least;
 * or no longer wanted.
 */
export type WebhookVerdict =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly retryAfter: number | null }
  | { readonly kind: 'gone' };

const GONE = 410;
/** Statuses whose `Retry-After` is honoured. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_RETRY_AFTER = 24 * 60 * 60_000;

/**
 * Judges the response to a delivery: 2xx is success, 410 ends the subscription, everything else is failure, redirects
 * too (EVT-5).
 *
 * @param retryAfter the field `Retry-After`: seconds or a date (RFC 9110 10.2.3)
 * @param now milliseconds since the epoch
 */
export function judgeWebhookResponse(status: number, retryAfter: string | null, now: number): WebhookVerdict {
  if (status >= 200 && status < 300) return { kind: 'succeeded' };
  if (status === GONE) return { kind: 'gone' };
  return { kind: 'failed', retryAfter: OVERLOADED.has(status) ? parseDelay(retryAfter, now) : null };
}

function parseDelay(field: string | null, now: number): number | null {
  if (field === null) return null;
  const date = parseHttpDate(field, now);
  const delay = /^[0-9]{1,10}$/.test(field) ? Number(field) * 1_000 : date === null ? null : date - now;
  return delay === null ? null : Math.min(MAX_RETRY_AFTER, Math.max(0, delay));
}
