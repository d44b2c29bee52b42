import type { Model } from '../../model/model.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ModelGuard } from '../sql/schema/model-guard.ts';
import type { SystemStatements } from '../sql/system-statements.ts';
import { StoreUnavailable } from '../store.ts';
import { connects, type Connects, type ModelSessions } from './connection/connects.ts';
import type { DatabaseAccess } from './connection/open-session.ts';
import { Session } from './connection/sessions.ts';
import type { QueryResult } from './driver/pg.ts';
import { joinGuards } from './existing/writable-tables.ts';
import { PostgresClient } from './read/postgres-client.ts';
import { recordedModelGuard } from './read/read-guard.ts';
import { createReadSessions } from './read/read-sessions.ts';

/** Milliseconds that a write waits for the lock that orders writes. */
const LOCK_TIMEOUT = 5_000;
/** Transactions of a process that overlap: while one runs statements, others wait for the disk. */
const WRITING_SESSIONS = 4;
/** Milliseconds after which a statement of a write is stopped. */
const WRITE_TIMEOUT = 10_000;
/** Transactions of a process that write tables of another program. */
const TABLE_SESSIONS = 8;
/** Milliseconds for which each waits for a lock of that program before others get its session. */
const TABLE_LOCK_TIMEOUT = 250;

/** Transactions of a process that write such tables for several requests: all but one wait for the disk. */
const GROUP_SESSIONS = 3;
/** Milliseconds for which each waits for a lock of that program before its requests have transactions of their own. */
const GROUP_LOCK_TIMEOUT = 50;

/** Parameters of all sessions. */
export type SessionParameters = Readonly<Record<string, string>>;

/** Opens sessions with the primary. */
export function connectsPrimary(
  access: DatabaseAccess,
  settings: ModelSessions,
  parameters: SessionParameters,
): Connects {
  const connect = connects(access, settings);
  return (session) => async () => {
    const opened = await connect({ ...session, parameters })();
    try {
      await requirePrimary((text) => opened.query(text));
      return opened;
    } catch (error) {
      void opened.close();
      throw error;
    }
  };
}

/** A replica may lack what was acknowledged (OPS-5). @throws {StoreUnavailable} */
export async function requirePrimary(query: (text: string) => Promise<Pick<QueryResult, 'rows'>>): Promise<void> {
  const { rows } = await query('select pg_is_in_recovery() as standby');
  if (rows[0]?.['standby'] === 1) throw new StoreUnavailable('The database can only be read', { reason: 'read-only' });
}

export interface ClientSettings {
  readonly model: Model;
  readonly system: SystemStatements;
  readonly match: ModelGuard;
  readonly clock: Clock;
  readonly showsTables: boolean;
}

/** The client, and the sessions that write: units, probes, and conversions of rows of an older model. */
export interface StoreSessions {
  readonly client: PostgresClient;
  readonly writes: readonly Session[];
  /** Those that write tables of another program. */
  readonly tables: readonly Session[];
  readonly tableGroups: readonly Session[];
  readonly changes: Session;
  readonly probes: Session;
  readonly conversions: Session;
}

/** Creates the client and the sessions that write. Sessions are opened when they are needed. */
export function createSessions(connect: Connects, settings: ClientSettings): StoreSessions {
  const { model, system, match, clock } = settings;
  const writing = { statementTimeout: WRITE_TIMEOUT, readOnly: false };
  const write = connect({ ...writing, lockTimeout: LOCK_TIMEOUT, byIndex: true });
  const writeTables = connect({ ...writing, lockTimeout: TABLE_LOCK_TIMEOUT });
  const writeGroups = connect({ ...writing, lockTimeout: GROUP_LOCK_TIMEOUT });
  const guard = recordedModelGuard(match, system);
  return {
    client: new PostgresClient({
      ...createReadSessions(connect, model, clock),
      writer: new Session(write),
      guard: settings.showsTables ? joinGuards(guard) : guard,
    }),
    writes: Array.from({ length: WRITING_SESSIONS }, () => new Session(write)),
    tables: Array.from({ length: settings.showsTables ? TABLE_SESSIONS : 0 }, () => new Session(writeTables)),
    tableGroups: Array.from({ length: settings.showsTables ? GROUP_SESSIONS : 0 }, () => new Session(writeGroups)),
    changes: new Session(writeTables),
    probes: new Session(write),
    conversions: new Session(write),
  };
}

export async function closeSessions({ client, ...sessions }: StoreSessions): Promise<void> {
  const { writes, tables, tableGroups, changes, probes, conversions } = sessions;
  for (const each of [...writes, ...tables, ...tableGroups, changes, probes, conversions]) await each.close();
  await client.close();
}
