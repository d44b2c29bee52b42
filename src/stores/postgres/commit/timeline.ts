import { ALLOCATORS, selectAllocated } from '../../sql/log-numbers.ts';
import { METADATA } from '../../sql/system-statements.ts';
import type { Tables } from '../../sql/tables.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { EXCLUDE_WRITES } from './write-locks.ts';

/**
 * The numbers that are skipped on a new timeline: more than a replica can lack when it is promoted. Clients still have
 * those that the old server assigned to lost commits, in ETags and in positions of feeds.
 */
const LEFT_OUT = { revision: 1_048_576, sequence: 8_192 };

const TIMELINES = `select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline,
  (select value from restwright_meta where name = '${METADATA.timeline}') as last_timeline`;

/** Skips numbers of an allocator. What it has given does not come back with a rollback. */
function skip(allocator: string, count: number): string {
  return `setval('${allocator}', greatest(${selectAllocated(allocator)}, 0) + ${count})`;
}

const SKIP = `select ${skip(ALLOCATORS.revision, LEFT_OUT.revision)}, ${skip(ALLOCATORS.sequence, LEFT_OUT.sequence)}`;

/**
 * Begins a timeline before the first write of it, in a transaction without other writes: another one begins where a
 * replica is promoted. A database without commits has left no numbers behind.
 */
export async function beginTimeline(session: PostgresConnection, { system }: Pick<Tables, 'system'>): Promise<void> {
  const begun = await allAnswers([session.query('begin'), session.query(EXCLUDE_WRITES), session.query(TIMELINES)]);
  const { timeline, last_timeline: last } = begun[2]?.rows[0] ?? {};
  // Another process may have begun it meanwhile.
  if (timeline !== last) {
    if (last !== null && last !== undefined) await session.query(SKIP);
    const { text, values } = system.setMetadata(METADATA.timeline, String(timeline));
    await session.query(text, values);
  }
  await session.query('commit');
}
