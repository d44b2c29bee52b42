import type { Observe } from '../../../observe/observation.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { isBusy } from '../driver/sqlite-errors.ts';
import type { BusyRetry } from './busy-retry.ts';

/** Milliseconds. Another process may be migrating the schema, which takes longer than a commit. */
const MAX_DELAY = 50;
const REPORT_AFTER = 1_000;
const TIMEOUT = 30_000;

interface OpenWhenUnlockedOptions {
  /** The file, for the observation. */
  readonly path: string;
  readonly observe: Observe;
  /** Stops the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds in all. Default: 30,000. */
  readonly timeout?: number;
}

/**
 * Opens a database once no other process has locked it. A wait of more than a second is observed once, as
 * `database-locked`.
 *
 * @throws {UnusableDatabase} where it stays locked; the reason of `signal` where that is aborted first
 */
export async function openWhenUnlocked<T>(
  retry: BusyRetry,
  open: () => T,
  { path, observe, signal, timeout = TIMEOUT }: OpenWhenUnlockedOptions,
): Promise<T> {
  let isReported = false;
  const onBusy = (waited: number): void => {
    if (isReported || waited < REPORT_AFTER) return;
    isReported = true;
    observe({ kind: 'database-locked', path });
  };
  try {
    return await retry.run(open, { timeout, maxDelay: MAX_DELAY, signal, onBusy });
  } catch (error) {
    throw isBusy(error) ? lockedTooLong(timeout, error) : error;
  }
}

function lockedTooLong(timeout: number, cause: unknown): UnusableDatabase {
  return new UnusableDatabase(
    `Another process has locked it for ${Math.round(timeout / 1_000)} s. Wait for that process or end it, then start again.`,
    { cause },
  );
}
