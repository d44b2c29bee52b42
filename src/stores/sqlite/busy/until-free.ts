import { setTimeout } from 'node:timers/promises';
import type { Observe } from '../../../observe/observation.ts';
import { monotonicNow } from '../../../platform/clock.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { isBusy } from '../connection/sqlite-connection.ts';

/** Milliseconds from one try to the next, before it is told that one waits, and in all: another process may be changing the schema. */
const PAUSE = 50;
const REPORT_AFTER = 1_000;
const OPEN_TIMEOUT = 30_000;

export interface OpenRetryOptions {
  /** The file, to tell what is waited for. */
  readonly path: string;
  readonly observe: Observe;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds in all. Default: 30,000. */
  readonly timeout?: number;
}

/**
 * Does what no other process may disturb, such as to open a database, once none holds it.
 *
 * @param act fails at once where one does
 * @throws {UnusableDatabase} where one holds it too long; the reason of `stop` where that comes first
 */
export async function waitUntilFree<T>(act: () => T, options: OpenRetryOptions): Promise<T> {
  const { path, observe, signal: stop, timeout = OPEN_TIMEOUT } = options;
  const since = monotonicNow();
  for (let told = false; ; ) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (monotonicNow() - since >= timeout) throw heldTooLong(timeout, error);
    }
    if (!told && monotonicNow() - since >= REPORT_AFTER) {
      observe({ kind: 'database-locked', path });
      told = true;
    }
    await setTimeout(PAUSE, undefined, { signal: stop }).catch(() => undefined);
    stop?.throwIfAborted();
  }
}

function heldTooLong(longest: number, cause: unknown): UnusableDatabase {
  const seconds = Math.round(longest / 1_000);
  return new UnusableDatabase(
    `Another process has held it for ${seconds} s. Have that process finish, or end it, and start again.`,
    { cause },
  );
}
