import type { Model } from '../../model/model.ts';
import { readsTablesOnly, showsTables } from '../../model/table-source.ts';
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
import { METADATA } from '../sql/system-statements.ts';
import { Tables } from '../sql/tables.ts';
import type { Store } from '../store.ts';
import type { WriteHealth } from '../sql/write-health.ts';
import { PostgresChangeStamps } from './commit/change-stamps.ts';
import { LogHorizon } from './commit/log-horizon.ts';
import { PostgresGroupCommit } from './commit/group-commit.ts';
import { watchWrites } from './commit/watch-writes.ts';
import {
  type ClientSettings,
  closeSessions,
  connectsPrimary,
  createSessions,
  requirePrimary,
  type SessionParameters,
  type StoreSessions,
} from './store-sessions.ts';
import { postgres } from './dialect/postgres-dialect.ts';
import { callerRows } from './existing/caller-rows.ts';
import { findExistingTables, openExistingTables, refuseReplicas } from './existing/existing-store.ts';
import { openTableParts } from './existing/table-commit.ts';
import { OWN_SCHEMA, ownSchemaUrl, withTables } from './existing/writable-tables.ts';
import { recordedChanges } from './triggers/drain-changes.ts';
import type { PostgresClient } from './read/postgres-client.ts';
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

/** The result of a step, or its error once everything before it is closed. */
async function closedOnError<T>(step: Promise<T>, close: () => Promise<void>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    await close();
    throw error;
  }
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

/** The parts of a store: the schema that was opened, and its tables. */
interface StoreParts {
  readonly opened: OpenedSchema;
  readonly tables: Tables;
  /** Default: none. */
  readonly parameters?: SessionParameters;
}

/** The sessions of a store, and the parts that know what is written. */
interface OpenParts extends StoreSessions {
  readonly match: ModelGuard;
  readonly observe: Observe;
  readonly horizon: LogHorizon;
  readonly stamps: PostgresChangeStamps;
  readonly health: WriteHealth;
}

function openParts(options: PostgresOptions, { opened, tables, parameters = {} }: StoreParts): OpenParts {
  const { shared } = opened;
  const { model, clock = systemClock } = options;
  const observe = safeObserver(options.observe ?? (() => undefined));
  const match = new ModelGuard(model, observe, shared === null ? '' : viewTypes(shared.names.id));
  const connect = connectsPrimary(options, { model, shared }, parameters);
  const settings = { model, system: tables.system, match, clock, showsTables: showsTables(model) };
  const sessions = createSessions(connect, settings);
  const horizon = new LogHorizon(sessions.client);
  return {
    ...sessions,
    match,
    observe,
    horizon,
    stamps: new PostgresChangeStamps(sessions.client, tables, horizon),
    health: watchWrites(sessions.probes, observe),
  };
}

async function assemble(options: PostgresOptions, from: StoreParts): Promise<Store> {
  const { opened, tables } = from;
  const { secret, isShared, shared } = opened;
  const { model, clock = systemClock, random = createRandom() } = options;
  const parts = openParts(options, from);
  const { client, match, observe, horizon, stamps, health } = parts;
  const work = serveShared({ client, session: parts.conversions, shared, observe });
  const used = { tables, handlerTimeout: model.limits.handlerTimeout, clock, observe, stamps, health, client };
  const writes = new PostgresGroupCommit({ ...used, sessions: parts.writes, shared: work.writes });
  const rows = new SqlRowReader(work.reader, tables, clock);
  const callers = callerRows(rows, { ...used, model });
  const sessions = { sessions: parts.tables, groupSessions: parts.tableGroups };
  const shown = openTableParts({ ...used, model, ...sessions });
  const epochs = new SqlCacheEpochs(client, tables.system, random);
  const replicas = await closedOnError(
    openReplicas({ ...options, shared, clock, tables, observe }, { client, stamps }),
    () => closeSessions(parts),
  );
  return {
    rows,
    ...callers,
    ...replicas?.parts,
    ...(showsTables(model) ? withTables({ writes, stamps }, shown, tables) : { writes, stamps }),
    ...recordedChanges({ ...used, session: parts.changes }),
    ...readRecords({ client, tables, model, horizon }),
    writeUsage: () => ({ commitsInFlight: writes.inFlight + shown.writes.pending, horizonAge: horizon.age }),
    secret: () => secret,
    cacheEpoch: (name, now) => epochs.get(name, now, isShared),
    newestTime: (until) => newestTime(client, tables, until),
    ping: () => ping(client, { health, match, system: tables.system }),
    close: async () => {
      health.close();
      await writes.close();
      await shown.writes.close();
      await replicas?.close();
      await closeSessions(parts);
    },
  };
}

/**
 * Opens a schema of PostgreSQL for a model, and migrates it to the model. The statements that changed it are observed
 * as `schema-changed`. Nothing of the tables of other programs is changed but their rows.
 *
 * @throws {LossySchemaChange} {SchemaViolation} {IncompatibleModels} with the database unchanged, unless the error says
 *   otherwise
 * @throws {UnusableDatabase} where it cannot be reached, or belongs to another program or a newer version; without
 *   `migrate` also where it does not match the model
 * @throws {InvalidDatabaseUrl} {PostgresDriverMissing}
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { model } = options;
  if (showsTables(model)) return readsTablesOnly(model) ? openExistingTables(options) : openWritableTables(options);
  const tables = new Tables(model, postgres);
  requireNames(tables);
  const opened = await migrateSchema({ ...options, tables });
  const { shared } = opened;
  const forms = shared === null ? null : new RecordForms(model, shared.form.version);
  return assemble(options, { opened, tables: forms === null ? tables : new Tables(model, postgres, forms) });
}

/** Opens tables of other programs, with a schema for everything that is stored next to them. */
async function openWritableTables(options: PostgresOptions): Promise<Store> {
  refuseReplicas(options);
  const { tables, parameters } = await findExistingTables(options, OWN_SCHEMA);
  const own = { ...options, url: ownSchemaUrl(options.url) };
  return assemble(own, { opened: await migrateSchema({ ...own, tables }), tables, parameters });
}

/** The steps that {@link openPostgres} would make, without changing the database. @throws as it does */
export async function planPostgres(
  options: PostgresOptions & Partial<ConversionCheck>,
): Promise<readonly SchemaStep[]> {
  const tables = new Tables(options.model, postgres);
  requireNames(tables);
  return planSchema({ ...options, tables });
}
