import type { Model } from '../../../model/model.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Connects } from '../connection/connects.ts';
import type { OpenSession } from '../connection/sessions.ts';
import { SlowReads } from './slow-reads.ts';

/**
 * Milliseconds that a read waits for a table that is being altered, and with it all reads that were sent after it on
 * its session. A step of a migration waits for its table for two seconds at a time. Reads of that table wait behind it,
 * so they must wait for longer.
 */
export const READ_LOCK_TIMEOUT = 3_000;

/** The sessions that read: those that all requests share, and those of slow reads. */
interface ReadSessions {
  readonly connect: OpenSession;
  readonly slow: SlowReads;
}

/** Makes the sessions that read. They are opened when they are needed. */
export function createReadSessions(connect: Connects, { limits }: Model, clock: Clock): ReadSessions {
  const { statementTimeout } = limits;
  const reads = (lockTimeout: number): OpenSession => connect({ statementTimeout, lockTimeout, readOnly: true });
  return {
    connect: reads(Math.min(READ_LOCK_TIMEOUT, statementTimeout)),
    slow: new SlowReads({ connect: reads(statementTimeout), clock, timeout: statementTimeout }),
  };
}
