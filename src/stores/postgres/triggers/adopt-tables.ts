import type { Model } from '../../../model/model.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import { type DatabaseAccess, openSession } from '../connection/open-session.ts';
import { displayedUrl, parseDatabaseUrl } from '../driver/database-url.ts';
import type { PostgresConnection, SessionSettings } from '../driver/pg.ts';
import { findRelations, type FoundRelation } from '../existing/find-relations.ts';
import { FOREIGN_CHANGES } from '../schema/introspection.ts';
import { OWN_SCHEMA } from '../existing/writable-tables.ts';
import {
  type AdoptedRelation,
  CREATE_FUNCTION,
  CREATE_QUEUE,
  createTrigger,
  enableTrigger,
  IS_CURRENT,
  QUEUE,
  RECORD_CHANGE,
} from './foreign-queue.ts';
import {
  joinStates,
  listTriggered,
  readTriggers,
  type TriggeredTable,
  type TriggerState,
  unrecordable,
} from './trigger-state.ts';
import { qualifyRelation } from '../existing/read-catalogue.ts';

export interface AdoptionOptions extends DatabaseAccess {
  readonly model: Model;
  /** True to remove everything that was created for triggers, in place of creating it. */
  readonly remove: boolean;
  /** The role of the server, which gets the rights that it needs; null where it is the role of the URL. */
  readonly role: string | null;
  /** True to run the statements. */
  readonly apply: boolean;
}

/** The tables of a model whose changes become events, and the statements that are left to run for them. */
export interface Adoption {
  readonly tables: readonly {
    /** As the model names it. */
    readonly name: string;
    readonly triggers: TriggerState;
    /** True if rows of tables that inherit from it change without an event. */
    readonly hasHeirs: boolean;
  }[];
  readonly statements: readonly string[];
}

const SETTINGS: SessionSettings = {
  name: 'restwright adopt',
  statementTimeout: 60_000,
  lockTimeout: 5_000,
  readOnly: false,
};

/** The objects of triggers in a database. */
const OBJECTS = `select exists (select from pg_namespace where nspname = '${OWN_SCHEMA}') as schema,
  to_regclass('${QUEUE}') is not null as queue,
  exists (select from pg_proc where oid = to_regproc('${RECORD_CHANGE}')) as function,
  exists (select from pg_proc where oid = to_regproc('${RECORD_CHANGE}') and ${IS_CURRENT}) as current,
  exists (select from pg_class where relnamespace = to_regnamespace('${OWN_SCHEMA}')
    and relname not like '${FOREIGN_CHANGES}%') as others`;

/** All triggers of the function, whatever the model names. Those of partitions end with those of their root. */
const TRIGGERED = `select n.nspname as schema, c.relname as table, t.tgname as name from pg_trigger as t
join pg_class as c on c.oid = t.tgrelid join pg_namespace as n on n.oid = c.relnamespace
where t.tgfoid = to_regproc('${RECORD_CHANGE}') and t.tgparentid = 0 order by 1, 2, 3`;

/**
 * Finds the statements by which writes of other programs become events, or no longer do. Runs them if requested: all of
 * them, or none.
 *
 * @throws {UnusableDatabase} where it cannot be reached, does not match the model, or refuses a statement
 * @throws {InvalidDatabaseUrl} {PostgresDriverMissing}
 */
export async function adoptTables(options: AdoptionOptions): Promise<Adoption> {
  const { schema } = parseDatabaseUrl(options.url, options.password);
  const session = await openSession(options, SETTINGS);
  try {
    const found = listTriggered(await findRelations(session, options.model, schema));
    const adoption = await planAdoption(session, found, options);
    if (options.apply) await runTogether(session, adoption.statements);
    return adoption;
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error;
    throw new UnusableDatabase(`${displayedUrl(options.url)} cannot be used. ${error.message}`, { cause: error });
  } finally {
    await session.close();
  }
}

async function planAdoption(
  session: PostgresConnection,
  found: readonly FoundRelation[],
  { remove, role }: Pick<AdoptionOptions, 'remove' | 'role'>,
): Promise<Adoption> {
  const states = await readTriggers(
    async (text, values) => (await session.query(text, values)).rows,
    found.map(({ table }) => table.oid),
  );
  const tables = found.flatMap((each) => {
    const state = states.find(({ oid }) => oid === each.table.oid);
    return state === undefined ? [] : [{ found: each, state }];
  });
  const problems = remove ? [] : tables.flatMap(({ found: each, state }) => unrecordable(each, state));
  if (problems.length > 0) throw new UnusableDatabase(problems.join('\n'));
  const [objects = {}] = (await session.query(OBJECTS)).rows;
  const triggered = remove ? (await session.query(TRIGGERED)).rows : [];
  return {
    tables: tables.map(({ found: { table }, state }) => ({
      name: table.name,
      triggers: joinStates(state),
      hasHeirs: state.hasHeirs,
    })),
    statements: remove ? removeObjects(objects, triggered) : createObjects(objects, tables, role),
  };
}

function createObjects(
  objects: SqlRow,
  tables: readonly { readonly found: FoundRelation; readonly state: TriggeredTable }[],
  role: string | null,
): readonly string[] {
  if (tables.length === 0) return [];
  const grantee = role === null ? null : quoteName(role);
  return [
    ...(objects['schema'] === 1 ? [] : [`create schema ${OWN_SCHEMA}`]),
    ...(objects['queue'] === 1 ? [] : [CREATE_QUEUE]),
    ...(objects['current'] === 1 ? [] : CREATE_FUNCTION),
    ...(grantee === null
      ? []
      : [
          `grant usage, create on schema ${OWN_SCHEMA} to ${grantee}`,
          `grant select, insert, delete on ${QUEUE} to ${grantee}`,
        ]),
    ...tables.flatMap(({ found: { table }, state }) => completeTriggers(table, state)),
  ];
}

function completeTriggers(table: AdoptedRelation, { states }: TriggeredTable): readonly string[] {
  return [...states].flatMap(([form, state]) => {
    if (state === 'enabled') return [];
    return state === 'missing' ? createTrigger(form, table) : [enableTrigger(form, table)];
  });
}

function removeObjects(objects: SqlRow, triggered: readonly SqlRow[]): readonly string[] {
  return [
    ...triggered.map(({ name, schema, table }) => {
      const relation = { schema: String(schema), table: String(table) };
      return `drop trigger ${quoteName(String(name))} on ${qualifyRelation(relation)}`;
    }),
    ...(objects['function'] === 1 ? [`drop function ${RECORD_CHANGE}()`] : []),
    ...(objects['queue'] === 1 ? [`drop table ${QUEUE}`] : []),
    ...(objects['queue'] === 1 && objects['others'] !== 1 ? [`drop schema ${OWN_SCHEMA}`] : []),
  ];
}

async function runTogether(session: PostgresConnection, statements: readonly string[]): Promise<void> {
  if (statements.length === 0) return;
  try {
    await session.script(['begin', ...statements, 'commit'].join(';\n'));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UnusableDatabase(`Nothing was changed: ${message}.`, { cause: error });
  }
}
