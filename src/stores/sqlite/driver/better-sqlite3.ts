import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import type { Driver, DriverConnection } from './driver.ts';

type DatabaseClass = new (path: string, options?: BetterSqlite3.Options) => DriverConnection;

/**
 * The driver better-sqlite3: a native addon with a SQLite of its own. Its connections and statements are those of the
 * library itself.
 *
 * @throws the error of the module loader, where the package is not installed or the runtime cannot load its addon
 */
export function betterSqlite3(): Driver {
  const Database: DatabaseClass = createRequire(import.meta.url)('better-sqlite3');
  // The addon itself is loaded by the first connection.
  new Database(':memory:').close();
  return {
    name: 'better-sqlite3',
    open(path, { mode, timeout, trace }) {
      const verbose = trace === undefined ? {} : { verbose: (message: unknown) => trace(String(message)) };
      const flags = { readonly: mode === 'read-only', fileMustExist: mode === 'existing' };
      return new Database(path, { ...flags, timeout, ...verbose });
    },
  };
}
