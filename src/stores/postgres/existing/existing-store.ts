import { listRoles } from '../../../model/auth-rules.ts';
import type { Model } from '../../../model/model.ts';
import { readsTablesOnly } from '../../../model/table-source.ts';
import type { Observe } from '../../../observe/observation.ts';
import { safeObserver } from '../../../observe/safe-observer.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { createRandom, type Random } from '../../../platform/random.ts';
import { misfitReporter } from '../../sql/existing/found-table.ts';
import { SqlRowReader } from '../../sql/read/row-reader.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import { Tables } from '../../sql/tables.ts';
import type { Store } from '../../store.ts';
import { connects } from '../connection/connects.ts';
import { type DatabaseAccess, openSession } from '../connection/open-session.ts';
import { Session } from '../connection/sessions.ts';
import { displayedUrl, parseDatabaseUrl } from '../driver/database-url.ts';
import type { SessionSettings } from '../driver/pg.ts';
import { PostgresClient } from '../read/postgres-client.ts';
import { createReadSessions, READ_LOCK_TIMEOUT } from '../read/read-sessions.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import { requireNames } from '../schema/open-schema.ts';
import { requireTriggers } from '../triggers/trigger-state.ts';
import { callerRows } from './caller-rows.ts';
import { roleProblems } from './caller-role.ts';
import { changedTablesGuard } from './changed-tables.ts';
import { findRelations } from './find-relations.ts';
import { NO_RECORDS } from './no-records.ts';
import { compileRows } from './source-rows.ts';
import { requireOwnSchema } from './write-rights.ts';
import { SnapshotStamps } from './snapshot-stamps.ts';

interface ExistingTablesOptions extends DatabaseAccess {
  readonly model: Model;
  readonly replicas?: readonly string[];
  readonly observe?: Observe;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** The session of the start. A check of a key may take a minute. */
const START: SessionSettings = {
  name: 'restwright start',
  statementTimeout: 60_000,
  lockTimeout: READ_LOCK_TIMEOUT,
  readOnly: true,
};

/** The forms in which values are read. */
const FORMS = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'iso_8601',
  bytea_output: 'hex',
  lc_monetary: 'C',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
};

const SECRET_BYTES = 32;
const EPOCH_BYTES = 8;

/** The tables of a model, and the parameters of the sessions that read them. */
interface ReadableTables {
  readonly tables: Tables;
  readonly parameters: Readonly<Record<string, string>>;
  /** The names of the tables in the catalogue, by those of their resources. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Opens the tables of other programs in a database of PostgreSQL, to read them. Nothing is created or locked there.
 *
 * @throws {UnusableDatabase} where it cannot be reached, and with everything that does not match the model
 * @throws {InvalidDatabaseUrl} {PostgresDriverMissing}
 */
export async function openExistingTables(options: ExistingTablesOptions): Promise<Store> {
  const { model, clock = systemClock, random = createRandom() } = options;
  refuseReplicas(options);
  const readable = await findExistingTables(options);
  const { tables } = readable;
  const client = openClient(options, readable, clock);
  const secret = Buffer.from(random.hex(SECRET_BYTES), 'hex');
  const epoch = random.hex(EPOCH_BYTES);
  if (model.secret === null) options.observe?.({ kind: 'temporary-secret', name: model.name });
  const rows = new SqlRowReader(client, tables, clock);
  return {
    ...NO_RECORDS,
    rows,
    ...callerRows(rows, { client, model, tables, clock }),
    stamps: new SnapshotStamps({ client, model, tables }),
    secret: () => secret,
    cacheEpoch: (_name, now) => ({ id: epoch, since: now }),
    ping: async () => {
      await client.get({ text: 'select 1', values: [] });
    },
    close: () => client.close(),
  };
}

/** @throws {UnusableDatabase} where replicas are named: what they lack of the tables is not known */
export function refuseReplicas({ url, replicas = [] }: Pick<ExistingTablesOptions, 'url' | 'replicas'>): void {
  if (replicas.length === 0) return;
  throw new UnusableDatabase(
    `${displayedUrl(url)} cannot be used: tables that exist are read from one server. Name the replica itself as the database.`,
  );
}

/**
 * Compares a model with its tables, as the start does. Nothing is written.
 *
 * @param own the schema of what the server stores itself
 * @returns the names of the tables in the catalogue, by those of their resources
 * @throws {UnusableDatabase} as {@link openExistingTables}
 */
export async function compareTables(options: ExistingTablesOptions, own: string): Promise<ReadableTables['names']> {
  return (await findExistingTables(options, readsTablesOnly(options.model) ? null : own)).names;
}

/**
 * Finds the tables of a model on a session of its own.
 *
 * @param own the schema of what the server stores itself; null for tables that are only read
 * @throws {UnusableDatabase} as {@link openExistingTables}
 */
export async function findExistingTables(
  { url, password, model, observe = () => undefined }: ExistingTablesOptions,
  own: string | null = null,
): Promise<ReadableTables> {
  const { schema } = parseDatabaseUrl(url, password);
  const parameters = sessionParameters([schema, 'public']);
  const session = await openSession({ url, password }, { ...START, parameters });
  try {
    const problems = await roleProblems(session, listRoles(model));
    if (problems.length > 0) throw new UnusableDatabase(problems.join('\n'));
    const found = await findRelations(session, model, schema);
    if (own !== null) await requireOwnSchema(session, own);
    await requireTriggers(async (text, values) => (await session.query(text, values)).rows, found);
    const existing = found.map((each) => {
      return [each.resource.name, compileRows(each, misfitReporter(each.table.name, safeObserver(observe)))] as const;
    });
    const tables = new Tables(model, postgres, null, new Map(existing));
    requireNames(tables);
    const ofTypes = found.flatMap(({ table }) => table.columns.map(({ typeSchema }) => typeSchema));
    return {
      tables,
      parameters: sessionParameters([...(own === null ? [] : [own]), schema, 'public', ...ofTypes]),
      names: new Map(found.map(({ resource, table }) => [resource.name, `${table.schema}.${table.table}`])),
    };
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error;
    throw new UnusableDatabase(`${displayedUrl(url)} cannot be used. ${error.message}`, { cause: error });
  } finally {
    await session.close();
  }
}

/** The parameters of sessions. @param schemas in which names without one, and the operators of types, are found */
function sessionParameters(schemas: readonly string[]): Readonly<Record<string, string>> {
  return { ...FORMS, search_path: [...new Set(schemas)].map(quoteName).join(',') };
}

function openClient(
  { url, password, model }: ExistingTablesOptions,
  { parameters }: ReadableTables,
  clock: Clock,
): PostgresClient {
  const connect = connects({ url, password }, { model, shared: null });
  const reads = createReadSessions((settings) => connect({ ...settings, parameters }), model, clock);
  return new PostgresClient({ ...reads, writer: new Session(reads.connect), guard: changedTablesGuard });
}
