/**
 * Reads a `Retry-After` (RFC 9110 10.2.3): seconds, or a date.
 *
 * @param now milliseconds since the epoch
 * @returns milliseconds; null for none, and for another text
 */
export function readRetryAfter(field: string | null, now: number): number | null {
  if (field === null) return null;
  const time = /^\d+$/.test(field) ? Number(field) * 1_000 : Date.parse(field) - now;
  return Number.isNaN(time) ? null : Math.max(0, time);
}
