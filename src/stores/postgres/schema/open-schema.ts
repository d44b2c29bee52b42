import { setTimeout } from 'node:timers/promises';
import type { Model } from '../../../model/model.ts';
import type { Observe } from '../../../observe/observation.ts';
import { createRandom, type Random } from '../../../platform/random.ts';
import { aboveReference } from '../../../model/row-key.ts';
import { referenceFields } from '../../sql/columns.ts';
import { type Consent, type SchemaStep, UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import type { Tables } from '../../sql/tables.ts';
import { type DatabaseUrl, displayedUrl, InvalidDatabaseUrl, parseDatabaseUrl } from '../connection/database-url.ts';
import { postgres } from '../dialect.ts';
import { connectPostgres, type PostgresConnection } from '../driver/pg.ts';
import { ConnectionLost, PostgresDriverMissing, sqlState } from '../driver/postgres-errors.ts';
import { MAX_NAME } from '../literals.ts';
import { DatabaseSchema, requireCurrent, stepsOf } from './prepare-database.ts';

interface SchemaOptions {
  readonly url: string;
  readonly password?: string | undefined;
  readonly model: Model;
  readonly tables: Tables;
  readonly migrate?: boolean;
  readonly consent?: Consent;
  readonly observe?: Observe;
  readonly random?: Random;
}

const OLDEST_VERSION = 150_000;
/** Identifies the lock that lets one process migrate at a time; with a hash of the name of the schema. */
const LOCK_CLASS = 1_819_501_173;
/** Milliseconds that a migration waits for others that migrate. */
const MIGRATION_TIMEOUT = 60_000;
/** Milliseconds that a statement of a migration waits for a table, while all others wait for the statement. */
const TABLE_LOCK_TIMEOUT = 2_000;
/** How often a migration is tried that found a table locked, and how long it waits in between. */
const MAX_ATTEMPTS = 15;
const RETRY_DELAY = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** More levels than resources have. */
const MAX_LEVEL = 9;

/** @throws {UnusableDatabase} where the database would cut names of the model */
export function requireNames(tables: Tables): void {
  for (const { resource, columns, derived } of tables) {
    const above = referenceFields(resource).map(({ field }) => aboveReference(field, MAX_LEVEL));
    const names = [...columns, ...derived].map(({ name }) => name);
    const long = [...names, ...above].find((name) => name.length > MAX_NAME);
    if (long === undefined) continue;
    throw new UnusableDatabase(
      `PostgreSQL has no room for a name of a field of ${resource.name}: ${long} is too long.`,
    );
  }
}

/** Migrates a schema to a model, or verifies that it matches. @returns its secret @throws {UnusableDatabase} {LossySchemaChange} {SchemaViolation} */
export function migrateSchema(options: SchemaOptions): Promise<Uint8Array> {
  const { migrate = true, consent = 'none', random = createRandom(), observe } = options;
  return inSession(options, async (schema, session, name) => {
    await session.script('begin');
    if (migrate) await lockSchema(session, name);
    const plan = await schema.plan();
    if (!migrate) requireCurrent(plan);
    const statements = migrate ? await schema.apply(plan, consent, random) : [];
    const secret = await schema.secret();
    await session.script(migrate ? 'commit' : 'rollback');
    const { isNew } = plan;
    if (statements.length > 0)
      observe?.({ kind: 'schema-changed', database: displayedUrl(options.url), isNew, statements });
    return secret;
  });
}

/** The steps that migrate a schema to a model. */
export function planSchema(options: SchemaOptions): Promise<readonly SchemaStep[]> {
  return inSession(options, async (schema, session) => {
    await session.script('begin');
    const steps = stepsOf(await schema.plan());
    await session.script('rollback');
    return steps;
  });
}

/** Creates a schema, and lets no other process migrate it until the transaction ends. */
async function lockSchema(session: PostgresConnection, name: string): Promise<void> {
  await session.script(`set local lock_timeout = ${MIGRATION_TIMEOUT}`);
  await session.query(`select pg_advisory_xact_lock(${LOCK_CLASS}, hashtext($1))`, [name]);
  await session.script(`set local lock_timeout = ${TABLE_LOCK_TIMEOUT}`);
  await session.script(`create schema if not exists ${postgres.quote(name)}`);
}

type SchemaWork<T> = (schema: DatabaseSchema, session: PostgresConnection, name: string) => Promise<T>;

/** Works in a session of its own, again where a table was locked. */
async function inSession<T>(options: SchemaOptions, work: SchemaWork<T>): Promise<T> {
  const { model, tables } = options;
  const url = parseDatabaseUrl(options.url, options.password);
  for (let attempt = 1; ; attempt += 1) {
    const session = await connect(url, options.url, model);
    try {
      await requireSession(session);
      return await work(new DatabaseSchema(session, model, tables), session, url.schema);
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw withUrl(error, options.url);
      if (attempt === MAX_ATTEMPTS)
        throw new UnusableDatabase(`${displayedUrl(options.url)}: its tables are locked. Try again.`, { cause: error });
    } finally {
      await session.close();
    }
    await setTimeout(RETRY_DELAY);
  }
}

async function connect(url: DatabaseUrl, text: string, { name }: Model): Promise<PostgresConnection> {
  const settings = {
    name: `restwright ${name}`,
    statementTimeout: 0,
    lockTimeout: TABLE_LOCK_TIMEOUT,
    readOnly: false,
  };
  try {
    return await connectPostgres(url, settings);
  } catch (error) {
    if (error instanceof PostgresDriverMissing || error instanceof InvalidDatabaseUrl) throw error;
    const cause = error instanceof ConnectionLost ? error.cause : error;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new UnusableDatabase(`${displayedUrl(text)} cannot be opened: ${message}.`, { cause: error });
  }
}

/**
 * @throws {UnusableDatabase} for a version that is too old, and for a pooler that gives each transaction another session: prepared statements and settings of
 * sessions are lost there
 */
async function requireSession(session: PostgresConnection): Promise<void> {
  const read = `select current_setting('server_version_num')::integer as version, current_setting('lock_timeout') as timeout`;
  const [row] = (await session.query(read)).rows;
  if (Number(row?.['version']) < OLDEST_VERSION)
    throw new UnusableDatabase('Its version of PostgreSQL is too old. Use 15 or newer.');
  if (row?.['timeout'] !== `${TABLE_LOCK_TIMEOUT / 1_000}s`)
    throw new UnusableDatabase(
      'A pooler, such as PgBouncer, drops the settings of sessions. Connect to the server itself.',
    );
}

/** Names the database in the error for one that cannot be used. */
function withUrl(error: unknown, url: string): unknown {
  if (!(error instanceof UnusableDatabase)) return error;
  return new UnusableDatabase(`${displayedUrl(url)} cannot be used. ${error.message}`, { cause: error });
}
