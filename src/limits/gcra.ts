import type { RateQuota } from '../model/rate-quota.ts';

/*
 * The generic cell rate algorithm (ITU-T I.371), as a bucket of units that refills evenly. The state of a bucket is one
 * number: the time at which it is full again if nothing else is taken. I.371 calls it the theoretical arrival time.
 * A full bucket holds `requests` units, so a caller gets at most `requests` plus the refilled units, in any time.
 * Times are milliseconds of one clock. If that clock goes back, a bucket is at most empty.
 */

/** Share of the time of one unit by which rounding may be off: a caller gets the last unit of its quota. */
const TOLERANCE = 1e-4;

/** Milliseconds in which a unit is refilled. */
function interval({ requests, per }: RateQuota): number {
  return per / requests;
}

/** Milliseconds until a bucket is full. */
function lacking(fullAt: number, now: number, { per }: RateQuota): number {
  return Math.min(Math.max(fullAt - now, 0), per);
}

/**
 * Milliseconds until so many units are in a bucket, where nothing else is taken; 0 where they are there now. @param
 * units at most `requests`
 */
export function waitFor(fullAt: number, now: number, units: number, quota: RateQuota): number {
  const wait = lacking(fullAt, now, quota) + units * interval(quota) - quota.per;
  return wait <= TOLERANCE * interval(quota) ? 0 : wait;
}

/** When a bucket is full after so many units were taken from it: more than it has leave it empty. */
export function fullAfterTaking(fullAt: number, now: number, units: number, quota: RateQuota): number {
  return Math.min(Math.max(fullAt, now) + units * interval(quota), now + quota.per);
}

/** When a bucket is full after so many units were put back. */
export function fullAfterReturning(fullAt: number, units: number, quota: RateQuota): number {
  return fullAt - units * interval(quota);
}

/** The whole units in a bucket. */
export function unitsIn(fullAt: number, now: number, quota: RateQuota): number {
  return Math.floor((quota.per - lacking(fullAt, now, quota)) / interval(quota) + TOLERANCE);
}
