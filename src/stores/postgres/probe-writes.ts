import { METADATA } from '../sql/system-statements.ts';
import type { Session } from './connection/sessions.ts';
import { storeError } from './driver/postgres-errors.ts';

/** Room for a usual write with its events, so that writes do not begin to fail again with the next request: 64 KiB that cannot be compressed. */
const SET = `insert into restwright_meta select $1, string_agg(md5(random()::text), '') from generate_series(1, 2048)
on conflict (name) do update set value = excluded.value`;
const DELETE = 'delete from restwright_meta where name = $1';

/**
 * Writes 64 KiB and deletes them, on a session of its own: one that is connected to a server that can only be read finds its successor.
 *
 * @throws {StoreUnavailable} where any of it fails
 */
export async function probeWrites(session: Session): Promise<void> {
  try {
    const opened = await session.open();
    await opened.query(SET, [METADATA.probe]);
    await opened.query(DELETE, [METADATA.probe]);
  } catch (error) {
    throw storeError(error);
  } finally {
    session.discard();
  }
}
