import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, type TestContext } from 'node:test';
import pg from 'pg';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { openPostgres, planPostgres } from '../../src/stores/postgres/postgres-store.ts';
import type { MigrationPhase } from '../../src/stores/sql/schema/current-models.ts';
import type { SchemaStep } from '../../src/stores/sql/schema/schema-errors.ts';
import { openSqlite, planSqlite } from '../../src/stores/sqlite/sqlite-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { PostgresSchemas } from '../postgres-schemas.ts';
import { startPostgres } from '../postgres-server.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { driverName } from './sqlite/driver-under-test.ts';

const server = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(server.url('public'));
  await server.stop();
});

/** A database that a test migrates from model to model, and changes in between. */
export interface MigratedDatabase {
  open(text: string, consent?: 'none' | 'losses', migrate?: boolean, phase?: MigrationPhase): Promise<Store>;
  plan(text: string): Promise<readonly SchemaStep[]>;
  run(sql: string): Promise<void>;
  /** The value of the first column of the first row of a query. */
  number(sql: string): Promise<number>;
}

const compile = (text: string) => loadModel({ file: 'model.yaml', text, env: {} }).model;

function sqliteDatabase(context: TestContext): MigratedDatabase {
  const file = path.join(temporaryDirectory(context), 'desk.db');
  const options = (text: string) => ({ path: file, driver: driverName, model: compile(text) });
  return {
    open: (text, consent = 'none', migrate = true, phase) =>
      openSqlite({ ...options(text), consent, migrate, phase: phase ?? null }),
    plan: (text) => Promise.resolve(planSqlite(file, compile(text), { driver: driverName })),
    run(sql) {
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
      return Promise.resolve();
    },
    number(sql) {
      const database = new DatabaseSync(file);
      const [value] = Object.values(database.prepare(sql).get() ?? {});
      database.close();
      return Promise.resolve(Number(value));
    },
  };
}

let opened = 0;

function postgresDatabase(): MigratedDatabase {
  opened += 1;
  const schema = schemas.name(String(opened));
  const url = server.url(schema);
  const connected = async (query: (client: pg.Client) => Promise<pg.QueryResult>): Promise<pg.QueryResult> => {
    const address = new URL(url);
    address.searchParams.delete('schema');
    const client = new pg.Client({ connectionString: address.href });
    await client.connect();
    await client.query(`set search_path to "${schema}"`);
    const result = await query(client);
    await client.end();
    return result;
  };
  return {
    open: (text, consent = 'none', migrate = true, phase) =>
      openPostgres({ url, model: compile(text), consent, migrate, phase: phase ?? null }),
    plan: (text) => planPostgres({ url, model: compile(text) }),
    async run(sql) {
      await connected((client) => client.query(sql));
    },
    async number(sql) {
      const { rows } = await connected((client) => client.query(sql));
      return Number(Object.values(rows[0])[0]);
    },
  };
}

/** A new database of each store, by its name. */
export const migratedDatabases: readonly (readonly [string, (context: TestContext) => MigratedDatabase])[] = [
  ['SQLite', sqliteDatabase],
  ['PostgreSQL', postgresDatabase],
];
