import path from 'node:path';
import { after } from 'node:test';
import { PostgresSchemas } from '../postgres-schemas.ts';
import { startPostgres } from '../postgres-server.ts';

/** Locates a new database of a store. @param folder for a file */
export type LocateDatabase = (folder: string) => string;

/**
 * Starts a PostgreSQL for the tests of a file, which run on both stores.
 *
 * @param name that begins the names of its schemas
 * @returns the name of each store, and where its next database is
 */
export async function newDatabases(
  name: string,
): Promise<{ readonly sqlite: LocateDatabase; readonly postgres: LocateDatabase }> {
  const server = await startPostgres();
  const schemas = new PostgresSchemas();
  let opened = 0;
  after(async () => {
    await schemas.drop(server.url('public'));
    await server.stop();
  });
  return {
    sqlite: (folder) => path.join(folder, `${(opened += 1)}.db`),
    postgres: () => server.url(schemas.name(`${name}_${(opened += 1)}`)),
  };
}
