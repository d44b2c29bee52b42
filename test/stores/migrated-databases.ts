import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, type TestContext } from 'node:test';
import pg from 'pg';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { openPostgres, planPostgres } from '../../src/stores/postgres/postgres-store.ts';
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
  open(text: string, consent?: 'none' | 'losses', migrate?: boolean): Promise<Store>;
  plan(text: string): Promise<readonly SchemaStep[]>;
  run(sql: string): Promise<void>;
}

const compile = (text: string) => loadModel({ file: 'model.yaml', text, env: {} }).model;

function sqliteDatabase(context: TestContext): MigratedDatabase {
  const file = path.join(temporaryDirectory(context), 'desk.db');
  const options = (text: string) => ({ path: file, driver: driverName, model: compile(text) });
  return {
    open: (text, consent = 'none', migrate = true) => openSqlite({ ...options(text), consent, migrate }),
    plan: (text) => Promise.resolve(planSqlite(file, compile(text), { driver: driverName })),
    run(sql) {
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
      return Promise.resolve();
    },
  };
}

let opened = 0;

function postgresDatabase(): MigratedDatabase {
  opened += 1;
  const schema = schemas.name(String(opened));
  const url = server.url(schema);
  return {
    open: (text, consent = 'none', migrate = true) => openPostgres({ url, model: compile(text), consent, migrate }),
    plan: (text) => planPostgres({ url, model: compile(text) }),
    async run(sql) {
      const address = new URL(url);
      address.searchParams.delete('schema');
      const client = new pg.Client({ connectionString: address.href });
      await client.connect();
      await client.query(`set search_path to "${schema}"`);
      await client.query(sql);
      await client.end();
    },
  };
}

/** A new database of each store, by its name. */
export const migratedDatabases: readonly (readonly [string, (context: TestContext) => MigratedDatabase])[] = [
  ['SQLite', sqliteDatabase],
  ['PostgreSQL', postgresDatabase],
];
