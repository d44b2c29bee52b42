import type { Model } from '../../model/model.ts';
import type { Observe } from '../../observe/observation.ts';
import { safeObserver } from '../../observe/safe-observer.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { createRandom, type Random } from '../../platform/random.ts';
import { SqlCacheEpochs } from '../sql/cache-epochs.ts';
import { SqlBookmarks, SqlIdempotencyRecords } from '../sql/commit-records.ts';
import { SqlDeliveries } from '../sql/events/deliveries.ts';
import { SqlEventLog } from '../sql/events/event-log.ts';
import { newestTime } from '../sql/read/newest-time.ts';
import { SqlRowReader } from '../sql/read/row-reader.ts';
import type { Consent, SchemaStep } from '../sql/schema/schema-errors.ts';
import { Tables } from '../sql/tables.ts';
import { type Store, StoreUnavailable } from '../store.ts';
import { PostgresChangeStamps } from './change-stamps.ts';
import { PostgresGroupCommit } from './commit/group-commit.ts';
import { parseDatabaseUrl } from './connection/database-url.ts';
import { Session } from './connection/sessions.ts';
import { postgres } from './dialect.ts';
import { connectPostgres, type PostgresConnection, type SessionSettings } from './driver/pg.ts';
import { PostgresClient } from './postgres-client.ts';
import { SlowReads } from './read/slow-reads.ts';
import { migrateSchema, planSchema, requireNames } from './schema/open-schema.ts';

export interface PostgresOptions {
  /** `postgres://user@host:port/database?sslmode=verify-full&sslrootcert=FILE&schema=NAME` */
  readonly url: string;
  readonly model: Model;
  /** Takes the place of one in the URL. */
  readonly password?: string | undefined;
  /** Whether to create the schema and migrate it to the model; else it must match the model. Default: true. */
  readonly migrate?: boolean;
  /** Whether a migration may lose data, and leave rows that break a rule of the model. Default: `none`. */
  readonly consent?: Consent;
  /** Default: observations are dropped. */
  readonly observe?: Observe;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Creates the secret of a new database and the ids of cache epochs. Default: the cryptographic generator of Node. */
  readonly random?: Random;
}

/** Milliseconds that a write waits for the lock that orders writes. */
const LOCK_TIMEOUT = 5_000;
/** Milliseconds after which a statement of a write is stopped. */
const WRITE_TIMEOUT = 30_000;

/** Opens sessions with settings. */
type Connects = (settings: Omit<SessionSettings, 'name'>) => () => Promise<PostgresConnection>;

function connects({ url, password, model }: PostgresOptions): Connects {
  const parsed = parseDatabaseUrl(url, password);
  return (settings) => () => connectPostgres(parsed, { ...settings, name: `restwright ${model.name}` });
}

/** What reads and writes, on sessions that are opened when they are needed. */
function clientOf(
  connect: Connects,
  model: Model,
  clock: Clock,
): { readonly client: PostgresClient; readonly writes: Session } {
  const { statementTimeout } = model.limits;
  const reads = connect({ statementTimeout, lockTimeout: statementTimeout, readOnly: true });
  const write = connect({ statementTimeout: WRITE_TIMEOUT, lockTimeout: LOCK_TIMEOUT, readOnly: false });
  const slow = new SlowReads({ connect: reads, clock, timeout: statementTimeout });
  return {
    client: new PostgresClient({ connect: reads, writer: new Session(write), slow }),
    writes: new Session(write),
  };
}

function assemble(options: PostgresOptions, secret: Uint8Array, tables: Tables): Store {
  const { model, clock = systemClock, random = createRandom() } = options;
  const { system } = tables;
  const { client, writes: session } = clientOf(connects(options), model, clock);
  const stamps = new PostgresChangeStamps(client, system);
  const observe = safeObserver(options.observe ?? (() => undefined));
  const writes = new PostgresGroupCommit({ session, tables, clock, observe, stamps });
  const epochs = new SqlCacheEpochs(client, system, random);
  return {
    rows: new SqlRowReader(client, tables, clock),
    writes,
    bookmarks: new SqlBookmarks(client, system),
    idempotencyRecords: new SqlIdempotencyRecords(client, system),
    stamps,
    events: new SqlEventLog(client, system, postgres),
    deliveries: new SqlDeliveries(client, postgres),
    secret: () => secret,
    cacheEpoch: (name, now) => epochs.get(name, now),
    newestTime: (until) => newestTime(client, tables, until),
    ping: () => requireWritable(client),
    close: async () => {
      await writes.close();
      await session.close();
      await client.close();
    },
  };
}

/** @throws {StoreUnavailable} */
async function requireWritable(client: PostgresClient): Promise<void> {
  const row = await client.get({ text: 'select pg_is_in_recovery() as standby', values: [] });
  if (row?.['standby'] === 1) throw new StoreUnavailable('The database can only be read', { reason: 'read-only' });
}

/**
 * Opens a schema of PostgreSQL for a model, and migrates it to the model. The statements that changed it are observed as `schema-changed`.
 *
 * @throws {LossySchemaChange} {SchemaViolation} with the database unchanged
 * @throws {UnusableDatabase} where it cannot be reached, or belongs to another program or a newer version; without `migrate` also where it does not match
 * the model
 * @throws {InvalidDatabaseUrl} {PostgresDriverMissing}
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const tables = new Tables(options.model, postgres);
  requireNames(tables);
  const secret = await migrateSchema({ ...options, tables });
  return assemble(options, secret, tables);
}

/** The steps that {@link openPostgres} would make, without changing the database. @throws as it does */
export async function planPostgres(options: PostgresOptions): Promise<readonly SchemaStep[]> {
  const tables = new Tables(options.model, postgres);
  requireNames(tables);
  return planSchema({ ...options, tables });
}
