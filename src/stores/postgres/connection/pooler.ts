import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { connectPostgres, type PostgresConnection } from '../driver/pg.ts';
import type { DatabaseUrl } from '../driver/database-url.ts';

/** Advice for a pooler that is not one of sessions. */
export const POOLER_ADVICE =
  'A pooler, such as PgBouncer, is in front of the server. Connect to the server itself, or add pooler=session to the URL where the pooler has pool_mode=session';

/** The number of tries to find two connections that share a session: a pooler may have several. */
const ATTEMPTS = 3;

/**
 * Verifies that a pooler gives each connection a session of its own: prepared statements, settings and time limits
 * belong to it. Nothing is set before: where the pooler shares sessions, it would reach others.
 *
 * @throws {UnusableDatabase} where it pools transactions or statements
 */
export async function requireOwnSessions(url: DatabaseUrl): Promise<void> {
  const one = await connectPostgres(url, null);
  try {
    const other = await connectPostgres(url, null);
    try {
      await requireSeparate(one, other);
    } finally {
      await other.close();
    }
  } finally {
    await one.close();
  }
}

async function requireSeparate(one: PostgresConnection, other: PostgresConnection): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const before = await readProcess(one);
    await other.script('begin');
    const shared = await readProcess(other);
    const now = await readProcess(one);
    await other.script('commit');
    if (shared === before || now !== before)
      throw new UnusableDatabase(
        'The pooler shares its sessions between connections, as PgBouncer does with pool_mode=transaction. Set pool_mode=session, or connect to the server itself.',
      );
  }
}

/** The process of the server that a connection is with. */
async function readProcess(connection: PostgresConnection): Promise<string> {
  // Not prepared: a pooler of transactions may have another session for each message.
  const [row] = await connection.script('select pg_backend_pid() as process');
  return String(row?.['process']);
}
