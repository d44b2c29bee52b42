import { errorFacts } from './described-error.ts';
import type { Observation } from './observation.ts';

type EntryFields = Readonly<Record<string, unknown>>;
type SharedRateLimits = Extract<Observation, { kind: 'shared-rate-limits' }>;

/** Describes how instances share rate limits, and what each admits if they do not. */
export function describeSharing({ address, instances, failure }: SharedRateLimits): string {
  if (failure === null) return `rate limits are shared through Redis at ${address}`;
  const share =
    instances === 1 ? 'a whole quota; set limits.rate.instances to their number' : `1/${instances} of each quota`;
  return `Redis at ${address} is away (${failure.message}): each instance admits ${share}`;
}

/** Describes which clients have access while no authentication is configured (AUTH-7). */
export function describeAccess(isPublic: boolean): string {
  return isPublic
    ? 'no authentication is configured, and --insecure-public is set: every client that can reach this server may read and change all data'
    : 'no authentication is configured: only clients on this machine are served, under loopback host names';
}

/** Describes deliveries whose events are removed. */
export function describeUndelivered(count: number, subscriptions: number): string {
  return `${count} deliveries to ${subscriptions} subscriptions are lost: their events are removed, because they are older or more than events.retention and events.max_rows allow`;
}

/** Describes a changed model file: a reload, or the problem that prevents it. */
export function describeModelChange(file: string, problem: string | null): string {
  return problem === null
    ? `reloaded ${file}`
    : `${file} was not reloaded, the previous model is still served:\n${problem}`;
}

/** Describes a driver that replaces better-sqlite3. */
export function describeReplacedDriver(used: string): string {
  const replacement =
    used === 'node' ? 'node:sqlite, which is slower, opens the database' : `${used} opens the database`;
  return `better-sqlite3 cannot be loaded: ${replacement}. --driver ${used} chooses it without this line`;
}

/** Describes the times of new writes while the clock is behind the database. */
export function describeBehindClock(followed: boolean): string {
  const effect = followed
    ? 'created_at and updated_at of new writes stay at that time until the clock has reached it'
    : 'that is more than a day, so that new writes have the time of the clock and come before that row';
  return `the clock is behind the newest time in the database: ${effect}. Check the clock of this machine`;
}

/** Describes a file of the database that is no longer there. */
export function describeLostFile(change: 'missing' | 'replaced'): string {
  const fate = change === 'missing' ? 'was moved or deleted' : 'was replaced by another file';
  return `the file ${fate} while the server ran: nothing is read or acknowledged any more. Put the right file in its place, then restart the server`;
}

export const MIGRATED =
  'the database was migrated to another model while the server ran: nothing is read or written any more. Restart the server with the model of the database';

/** Lists the error that showed a migration; null if readiness was checked first. */
export function listMigrationCause(error: unknown): EntryFields {
  const cause = error === null ? null : errorFacts(error);
  return { code: cause?.code ?? null, cause: cause?.message ?? null };
}

/** Lists an error and its cause, without the stack: it is not a bug in the code. */
export function listUnavailable({ message, cause }: Error): EntryFields {
  if (cause === undefined || cause === null) return { reason: message, code: null, cause: null };
  const facts = errorFacts(cause);
  return { reason: message, code: facts.code, cause: facts.message };
}
