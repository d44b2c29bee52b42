import type { Clock } from '../../../platform/clock.ts';
import { WriteOutcomeUnknown } from '../../store.ts';
import { isOfStatement, isTransient, sqlState } from '../driver/postgres-errors.ts';
import { TimelineChanged } from './begin-transaction.ts';

/** The most times that a transaction is tried which the database ends in favour of another one. */
export const MAX_ATTEMPTS = 5;

/** Share of the time of a request, after its write may begin last, within which the transaction has to end. */
const LAST_SHARE = 0.05;

/** The most milliseconds that a timer of Node.js can wait. */
const LONGEST_TIMER = 2_147_483_647;

/** Codes of a statement that waited too long for a lock, and of one that ran too long. */
const SLOW: ReadonlySet<string> = new Set(['55P03', '57014']);

interface CommitLimits {
  readonly clock: Clock;
  /** Milliseconds that a request may take. */
  readonly handlerTimeout: number;
}

/**
 * Ends a write that takes too long, shortly before its request would be answered as if nothing had been written
 * (ERR-7).
 *
 * @param deadline the last moment at which the write may begin, in milliseconds since the epoch
 * @param end called with the error of the write
 */
export function limitCommit(
  { clock, handlerTimeout }: CommitLimits,
  deadline: number,
  end: (error: WriteOutcomeUnknown) => void,
): NodeJS.Timeout {
  const late = (): void => end(new WriteOutcomeUnknown('The database did not answer a transaction in time'));
  const left = Math.max(0, deadline - clock.now()) + handlerTimeout * LAST_SHARE;
  return setTimeout(late, Math.min(left, LONGEST_TIMER));
}

/** Checks if units may succeed in transactions of their own where one of them together has failed, without effect. */
export function mayRunAlone(error: unknown): boolean {
  const isOfUnit = isOfStatement(error) || SLOW.has(sqlState(error));
  return isOfUnit || isTransient(error) || error instanceof TimelineChanged;
}
