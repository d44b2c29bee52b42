import { setTimeout } from 'node:timers/promises';
import type { Model } from '../../../model/model.ts';
import type { Observe } from '../../../observe/observation.ts';
import { monotonicNow } from '../../../platform/clock.ts';
import { createRandom, type Random } from '../../../platform/random.ts';
import { aboveReference } from '../../../model/row-key.ts';
import type { ConversionCheck } from '../../sql/conversion/problem-rows.ts';
import { referenceFields } from '../../sql/columns.ts';
import type { MigrationPhase } from '../../sql/schema/current-models.ts';
import { type Consent, type SchemaStep, UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { type ModelProfile, profileModel } from '../../sql/schema/model-profile.ts';
import type { Tables } from '../../sql/tables.ts';
import { displayedUrl, parseDatabaseUrl } from '../driver/database-url.ts';
import { openSession } from '../connection/open-session.ts';
import { POOLER_ADVICE } from '../connection/pooler.ts';
import { requireVersion, SERVER_VERSION } from '../connection/server-version.ts';
import { sessionName } from '../connection/session-name.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { isTransient, sqlState } from '../driver/postgres-errors.ts';
import { arrayLiteral, MAX_NAME } from '../dialect/literals.ts';
import { type MigrationPlan, requireCurrent, listSteps } from './migration-plan.ts';
import type { SharedTables } from '../side-by-side/shared-tables.ts';
import { DatabaseSchema } from './prepare-database.ts';

interface SchemaOptions {
  readonly url: string;
  readonly password?: string | undefined;
  readonly model: Model;
  readonly tables: Tables;
  readonly migrate?: boolean;
  readonly consent?: Consent;
  readonly phase?: MigrationPhase | null;
  readonly onMigrated?: (steps: readonly SchemaStep[]) => void;
  readonly observe?: Observe;
  readonly random?: Random;
  readonly lockAttempts?: number;
}

/** Identifies the lock that lets one process migrate at a time; with a hash of the name of the schema. */
const LOCK_CLASS = 1_819_501_173;
/** Milliseconds that a migration waits for others that migrate. */
const MIGRATION_TIMEOUT = 60_000;
/** Milliseconds between two attempts to be the one that migrates. */
const LOCK_DELAY = 100;
/** Milliseconds that a statement of a migration waits for a table, while all others wait for the statement. */
const TABLE_LOCK_TIMEOUT = 2_000;
/** The most attempts of a migration that finds a table locked, and the milliseconds between them. */
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

/** A schema that matches a model. */
export interface OpenedSchema {
  /** The key that seals cursors. */
  readonly secret: Uint8Array;
  /** True if instances of another model may serve it, too. */
  readonly isShared: boolean;
  /** The tables that an older model reads and writes in another form; null where there are none. */
  readonly shared: SharedTables | null;
}

/**
 * Migrates a schema to a model, or verifies that it matches.
 *
 * @throws {UnusableDatabase} {LossySchemaChange} {SchemaViolation} {IncompatibleModels}
 */
export function migrateSchema(options: SchemaOptions): Promise<OpenedSchema> {
  const { migrate = true, consent = 'none', random = createRandom(), observe } = options;
  return inSession(options, async (schema, session, name) => {
    let plan = await schema.plan();
    if (!migrate) requireCurrent(plan);
    if (migrate && !(await schema.isDone(plan))) {
      await lockSchema(session, name);
      // Another process may have migrated it meanwhile.
      plan = await schema.plan();
      await requireLast(session, plan, (profile) => sessionName(options.model.name, name, profile));
      const statements = await schema.apply(plan, consent, random);
      options.onMigrated?.(listSteps(plan));
      const { isNew } = plan;
      if (statements.length > 0)
        observe?.({ kind: 'schema-changed', database: displayedUrl(options.url), isNew, statements });
    }
    const isShared = plan.goal.kind === 'shared';
    return { secret: await schema.secret(), isShared, shared: isShared ? (plan.pair?.shared ?? null) : null };
  });
}

/** The steps that migrate a schema to a model. */
export function planSchema(options: SchemaOptions & Partial<ConversionCheck>): Promise<readonly SchemaStep[]> {
  const { now = monotonicNow, report = null } = options;
  // A second attempt would report rows twice.
  const attempts = report === null ? {} : { lockAttempts: 1 };
  return inSession({ ...options, ...attempts }, async (schema) => {
    const plan = await schema.plan();
    await schema.check(plan, { now, report });
    return listSteps(plan);
  });
}

/**
 * Creates a schema, and lets no other process migrate it until the session ends. A statement that waited for the lock
 * would have a snapshot, for whose end an index that is created concurrently waits.
 */
async function lockSchema(session: PostgresConnection, name: string): Promise<void> {
  const lock = `select pg_try_advisory_lock(${LOCK_CLASS}, hashtext($1)) as locked`;
  for (let waited = 0; ; waited += LOCK_DELAY) {
    const [row] = (await session.query(lock, [name])).rows;
    if (row?.['locked'] === 1) break;
    if (waited >= MIGRATION_TIMEOUT) {
      const seconds = MIGRATION_TIMEOUT / 1_000;
      throw new UnusableDatabase(
        `Another process has migrated it for more than ${seconds} seconds. Start again when that has ended.`,
      );
    }
    await setTimeout(LOCK_DELAY);
  }
  // The statement needs a right of the database, also where the schema exists.
  const exists = 'select to_regnamespace(quote_ident($1)) is not null as found';
  const [found] = (await session.query(exists, [name])).rows;
  if (found?.['found'] !== 1) await session.script(`create schema if not exists ${postgres.quote(name)}`);
}

type SchemaWork<T> = (schema: DatabaseSchema, session: PostgresConnection, name: string) => Promise<T>;

/** Works in a session of its own, again where a table was locked: a migration resumes. */
async function inSession<T>(options: SchemaOptions, work: SchemaWork<T>): Promise<T> {
  const { model, lockAttempts = MAX_ATTEMPTS } = options;
  const { schema: name } = parseDatabaseUrl(options.url, options.password);
  const settings = {
    name: sessionName(model.name, name, profileModel(model)),
    statementTimeout: 0,
    lockTimeout: TABLE_LOCK_TIMEOUT,
    readOnly: false,
  };
  for (let attempt = 1; ; attempt += 1) {
    const session = await openSession(options, settings);
    const schema = new DatabaseSchema(session, { ...options, schema: name });
    try {
      await requireSession(session);
      return await work(schema, session, name);
    } catch (error) {
      if (!isTransient(error) && sqlState(error) !== LOCK_NOT_AVAILABLE) throw withUrl(error, options.url);
      if (attempt >= lockAttempts) throw withUrl(stillLocked(schema.current, error), options.url);
    } finally {
      await session.close();
    }
    await setTimeout(RETRY_DELAY);
  }
}

/**
 * Before the model becomes the only one of two.
 *
 * @param nameOf the name of the sessions of a model
 * @throws {UnusableDatabase} while instances of the other one have sessions
 */
async function requireLast(
  session: PostgresConnection,
  { goal, models }: MigrationPlan,
  nameOf: (profile: ModelProfile) => string,
): Promise<void> {
  if (goal.kind === 'shared' || models.length < 2) return;
  const own = 'select application_name from pg_stat_activity where pid = pg_backend_pid()';
  const others = `select count(*) as number from pg_stat_activity
where datname = current_database() and application_name = any($1) and application_name <> (${own})`;
  const { rows } = await session.query(others, [arrayLiteral(models.map(nameOf))]);
  const count = Number(rows[0]?.['number']);
  if (count === 0) return;
  const sessions = count === 1 ? '1 session' : `${count} sessions`;
  throw new UnusableDatabase(`Instances of the other model still have ${sessions}. Stop them first.`);
}

function stillLocked(purpose: string, cause: unknown): UnusableDatabase {
  const message =
    `The migration could not ${purpose}: another session holds a lock. pg_stat_activity shows it, ` +
    'pg_terminate_backend ends it. Migrate again then: what was made stays.';
  return new UnusableDatabase(message, { cause });
}

/**
 * @throws {UnusableDatabase} for a version that is too old, and for a pooler that drops the settings of sessions
 */
async function requireSession(session: PostgresConnection): Promise<void> {
  const read = `select ${SERVER_VERSION} as version, current_setting('lock_timeout') as timeout`;
  const [row] = (await session.query(read)).rows;
  requireVersion(row?.['version'] ?? null);
  if (row?.['timeout'] !== `${TABLE_LOCK_TIMEOUT / 1_000}s`) throw new UnusableDatabase(`${POOLER_ADVICE}.`);
}

/** Names the database in the error for one that cannot be used. */
function withUrl(error: unknown, url: string): unknown {
  if (!(error instanceof UnusableDatabase)) return error;
  return new UnusableDatabase(`${displayedUrl(url)} cannot be used. ${error.message}`, { cause: error });
}
