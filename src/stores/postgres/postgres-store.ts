import type { Model } from '../../model/model.ts';
import { showsTables } from '../../model/table-source.ts';
import type { Observe } from '../../observe/observation.ts';
import { safeObserver } from '../../observe/safe-observer.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { createRandom, type Random } from '../../platform/random.ts';
import { SqlCacheEpochs } from '../sql/cache-epochs.ts';
import { SqlBookmarks, SqlIdempotencyRecords } from '../sql/commit-records.ts';
import { RecordForms } from '../sql/conversion/record-forms.ts';
import type { ConversionCheck } from '../sql/conversion/problem-rows.ts';
import { SqlDeliveries } from '../sql/events/deliveries.ts';
import { SqlEventLog } from '../sql/events/event-log.ts';
import { ModelGuard } from '../sql/schema/model-guard.ts';
import { newestTime } from '../sql/read/newest-time.ts';
import { SqlRowReader } from '../sql/read/row-reader.ts';
import type { MigrationPhase } from '../sql/schema/current-models.ts';
import type { Consent, SchemaStep } from '../sql/schema/schema-errors.ts';
import { METADATA, type SystemStatements } from '../sql/system-statements.ts';
import { Tables } from '../sql/tables.ts';
import { WriteHealth } from '../sql/write-health.ts';
import { type Store, StoreUnavailable } from '../store.ts';
import { PostgresChangeStamps } from './commit/change-stamps.ts';
import { LogHorizon } from './commit/log-horizon.ts';
import { PostgresGroupCommit } from './commit/group-commit.ts';
import { connects, type Connects, type ModelSessions } from './connection/connects.ts';
import type { DatabaseAccess } from './connection/open-session.ts';
import { Session } from './connection/sessions.ts';
import { postgres } from './dialect/postgres-dialect.ts';
import { openExistingTables } from './existing/existing-store.ts';
import type { QueryResult } from './driver/pg.ts';
import { PostgresClient } from './read/postgres-client.ts';
import { storeError } from './driver/postgres-errors.ts';
import { recordedModelGuard } from './read/read-guard.ts';
import { createReadSessions } from './read/read-sessions.ts';
import { serveShared } from './side-by-side/marked-client.ts';
import { openReplicas } from './replicas/open-replicas.ts';
import { viewTypes } from './side-by-side/pair-plan.ts';
import { migrateSchema, type OpenedSchema, planSchema, requireNames } from './schema/open-schema.ts';

export interface PostgresOptions {
  /** `postgres://user@host:port/database?sslmode=verify-full&sslrootcert=FILE&schema=NAME` */
  readonly url: string;
  readonly model: Model;
  /** Takes the place of one in the URL, and in those of replicas. */
  readonly password?: string | undefined;
  /** URLs of physical replicas of the server, with the same schema, which answer reads of pages. Default: none. */
  readonly replicas?: readonly string[];
  /** True to create the schema and migrate it to the model; if false, it must match the model. Default: true. */
  readonly migrate?: boolean;
  /** Consent to a migration that loses data, or leaves rows that break a rule of the model. Default: `none`. */
  readonly consent?: Consent;
  /** A phase of a deployment in which two neighbouring models are served (OPS-6). Default: none. */
  readonly phase?: MigrationPhase | null;
  /** Receives the steps of a migration that was applied. */
  readonly onMigrated?: (steps: readonly SchemaStep[]) => void;
  /** The most attempts of a migration that finds a table locked for two seconds. Default: 15. */
  readonly lockAttempts?: number;
  /** Default: observations are dropped. */
  readonly observe?: Observe;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Creates the secret of a new database and the ids of cache epochs. Default: the cryptographic generator of Node. */
  readonly random?: Random;
}

/** Milliseconds that a write waits for the lock that orders writes. */
const LOCK_TIMEOUT = 5_000;
/** Transactions of a process that overlap: while one runs statements, others wait for the disk. */
const WRITING_SESSIONS = 4;
/** Milliseconds after which a statement of a write is stopped. */
const WRITE_TIMEOUT = 10_000;

/** Opens sessions with the primary. */
function connectsPrimary(access: DatabaseAccess, settings: ModelSessions): Connects {
  const connect = connects(access, settings);
  return (session) => async () => {
    const opened = await connect(session)();
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
async function requirePrimary(query: (text: string) => Promise<Pick<QueryResult, 'rows'>>): Promise<void> {
  const { rows } = await query('select pg_is_in_recovery() as standby');
  if (rows[0]?.['standby'] === 1) throw new StoreUnavailable('The database can only be read', { reason: 'read-only' });
}

interface ClientSettings {
  readonly model: Model;
  readonly system: SystemStatements;
  readonly match: ModelGuard;
  readonly clock: Clock;
}

/** The client, and the sessions that write: units, probes, and conversions of rows of an older model. */
interface StoreSessions {
  readonly client: PostgresClient;
  readonly writes: readonly Session[];
  readonly probes: Session;
  readonly conversions: Session;
}

/** Creates the client and the sessions that write. Sessions are opened when they are needed. */
function createClient(connect: Connects, { model, system, match, clock }: ClientSettings): StoreSessions {
  const write = connect({
    statementTimeout: WRITE_TIMEOUT,
    lockTimeout: LOCK_TIMEOUT,
    readOnly: false,
    byIndex: true,
  });
  return {
    client: new PostgresClient({
      ...createReadSessions(connect, model, clock),
      writer: new Session(write),
      guard: recordedModelGuard(match, system),
    }),
    writes: Array.from({ length: WRITING_SESSIONS }, () => new Session(write)),
    probes: new Session(write),
    conversions: new Session(write),
  };
}

async function closeSessions({ client, writes, probes, conversions }: StoreSessions): Promise<void> {
  for (const each of [...writes, probes, conversions]) await each.close();
  await client.close();
}

/** The result of a step, or its error once everything before it is closed. */
async function closedOnError<T>(step: Promise<T>, close: () => Promise<void>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    await close();
    throw error;
  }
}

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
function watchWrites(probes: Session, observe: Observe): WriteHealth {
  return new WriteHealth({
    probe: () => probeWrites(probes),
    unavailable: () => null,
    stopsWhenCorrupt: false,
    observe,
  });
}

async function ping(
  client: PostgresClient,
  { health, match, system }: Pick<ClientSettings, 'match' | 'system'> & { readonly health: WriteHealth },
): Promise<void> {
  await requirePrimary(async (text) => ({ rows: await client.all({ text, values: [] }) }));
  match.requireColumns(await client.get(system.metadata(METADATA.storageTypes)));
  health.requireHealthy();
}

/** The parts of a store that read the log, and what is recorded next to rows. */
function readRecords({
  client,
  tables,
  model,
  horizon,
}: {
  readonly client: PostgresClient;
  readonly tables: Tables;
  readonly model: Model;
  readonly horizon: LogHorizon;
}): Pick<Store, 'bookmarks' | 'idempotencyRecords' | 'events' | 'deliveries'> {
  return {
    bookmarks: new SqlBookmarks(client, tables.system),
    idempotencyRecords: new SqlIdempotencyRecords(client, tables),
    events: new SqlEventLog(client, tables, model, horizon),
    deliveries: new SqlDeliveries(client, postgres),
  };
}

async function assemble(options: PostgresOptions, opened: OpenedSchema, tables: Tables): Promise<Store> {
  const { secret, isShared, shared } = opened;
  const { model, clock = systemClock, random = createRandom() } = options;
  const { system } = tables;
  const observe = safeObserver(options.observe ?? (() => undefined));
  const match = new ModelGuard(model, observe, shared === null ? '' : viewTypes(shared.names.id));
  const sessions = createClient(connectsPrimary(options, { model, shared }), { model, system, match, clock });
  const { client, writes: writing, probes, conversions } = sessions;
  const work = serveShared({ client, session: conversions, shared, observe });
  const horizon = new LogHorizon(client);
  const stamps = new PostgresChangeStamps(client, tables, horizon);
  const health = watchWrites(probes, observe);
  const { handlerTimeout } = model.limits;
  const used = { sessions: writing, tables, handlerTimeout, clock, observe, stamps, health, client };
  const writes = new PostgresGroupCommit({ ...used, shared: work.writes });
  const epochs = new SqlCacheEpochs(client, system, random);
  const replicas = await closedOnError(
    openReplicas({ ...options, shared, clock, tables, observe }, { client, stamps }),
    () => closeSessions(sessions),
  );
  return {
    rows: new SqlRowReader(work.reader, tables, clock),
    ...replicas?.parts,
    writes,
    ...readRecords({ client, tables, model, horizon }),
    stamps,
    writeUsage: () => ({ commitsInFlight: writes.inFlight, horizonAge: horizon.age }),
    secret: () => secret,
    cacheEpoch: (name, now) => epochs.get(name, now, isShared),
    newestTime: (until) => newestTime(client, tables, until),
    ping: () => ping(client, { health, match, system }),
    close: async () => {
      health.close();
      await writes.close();
      await replicas?.close();
      await closeSessions(sessions);
    },
  };
}

/**
 * Opens a schema of PostgreSQL for a model, and migrates it to the model. The statements that changed it are observed
 * as `schema-changed`. The tables of other programs are only read.
 *
 * @throws {LossySchemaChange} {SchemaViolation} {IncompatibleModels} with the database unchanged, unless the error says
 *   otherwise
 * @throws {UnusableDatabase} where it cannot be reached, or belongs to another program or a newer version; without
 *   `migrate` also where it does not match the model
 * @throws {InvalidDatabaseUrl} {PostgresDriverMissing}
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  if (showsTables(options.model)) return openExistingTables(options);
  const tables = new Tables(options.model, postgres);
  requireNames(tables);
  const opened = await migrateSchema({ ...options, tables });
  const { shared } = opened;
  const forms = shared === null ? null : new RecordForms(options.model, shared.form.version);
  return assemble(options, opened, forms === null ? tables : new Tables(options.model, postgres, forms));
}

/** The steps that {@link openPostgres} would make, without changing the database. @throws as it does */
export async function planPostgres(
  options: PostgresOptions & Partial<ConversionCheck>,
): Promise<readonly SchemaStep[]> {
  const tables = new Tables(options.model, postgres);
  requireNames(tables);
  return planSchema({ ...options, tables });
}
