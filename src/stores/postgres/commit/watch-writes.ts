import type { Observe } from '../../../observe/observation.ts';
import { METADATA } from '../../sql/system-statements.ts';
import { WriteHealth } from '../../sql/write-health.ts';
import type { Session } from '../connection/sessions.ts';
import { storeError } from '../driver/postgres-errors.ts';

/**
 * Writes 64 KiB that cannot be compressed: room for a usual write with its events. A smaller probe could succeed before
 * writes do.
 */
const PROBE = `insert into restwright_meta select $1, string_agg(md5(random()::text), '') from generate_series(1, 2048)
on conflict (name) do update set value = excluded.value`;
const CLEAR_PROBE = 'delete from restwright_meta where name = $1';

/**
 * Writes 64 KiB and deletes them, on a session of its own. A new session also finds the successor of a server that
 * became read-only.
 *
 * @throws {StoreUnavailable} where any of it fails
 */
async function probeWrites(session: Session): Promise<void> {
  try {
    const opened = await session.open();
    await opened.query(PROBE, [METADATA.probe]);
    await opened.query(CLEAR_PROBE, [METADATA.probe]);
  } catch (error) {
    throw storeError(error);
  } finally {
    session.discard();
  }
}

/** Watches if writes succeed, for readiness (OPS-7). The server refuses corrupt data itself, statement by statement. */
export function watchWrites(probes: Session, observe: Observe): WriteHealth {
  return new WriteHealth({
    probe: () => probeWrites(probes),
    unavailable: () => null,
    stopsWhenCorrupt: false,
    observe,
  });
}
