import process from 'node:process';
import type { Model } from '../../src/model/model.ts';
import type { Observe } from '../../src/observe/observation.ts';
import { digest } from '../../src/platform/digest.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Random } from '../../src/platform/random.ts';
import { openPostgres } from '../../src/stores/postgres/postgres-store.ts';
import { openSqlite } from '../../src/stores/sqlite/sqlite-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { driverName } from '../stores/sqlite/driver-under-test.ts';

interface Opening {
  /** The path of a file; null for a database of its own. */
  readonly database: string | null;
  readonly model: Model;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly random: Random;
}

/** The URL of a database of PostgreSQL, which takes the place of SQLite; empty for SQLite. */
const postgres = process.env['RESTWRIGHT_POSTGRES'] ?? '';
let opened = 0;

/** Opens the store of the suite: SQLite, unless the environment names a database of PostgreSQL. Each file is a schema there. */
export function openStoreUnderTest({ database, ...options }: Opening): Promise<Store> {
  if (postgres === '') return openSqlite({ path: database ?? ':memory:', driver: driverName, ...options });
  opened += 1;
  const name = database === null ? `${process.pid}_${opened}` : digest(database).toLowerCase().replaceAll('-', '_');
  const url = new URL(postgres);
  url.searchParams.set('schema', `api_${name}`);
  return openPostgres({ url: url.href, ...options });
}
