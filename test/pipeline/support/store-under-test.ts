import process from 'node:process';
import { after } from 'node:test';
import type { Model } from '../../../src/model/model.ts';
import { showsTables } from '../../../src/model/table-source.ts';
import type { Observe } from '../../../src/observe/observation.ts';
import { digest } from '../../../src/platform/digest.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Random } from '../../../src/platform/random.ts';
import type { DriverName } from '../../../src/stores/sqlite/driver/driver.ts';
import { selectKind } from '../../../src/stores/databases/databases.ts';
import { openPostgres } from '../../../src/stores/postgres/postgres-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { PostgresSchemas } from '../../postgres-schemas.ts';
import { driverName } from '../../stores/sqlite/driver-under-test.ts';

interface Opening {
  /** The path of a file, or the URL of a database of PostgreSQL; null for a database of its own. */
  readonly database: string | null;
  /** The driver of a file. Default: that of the suite. */
  readonly driver?: DriverName | undefined;
  readonly model: Model;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly random: Random;
}

/** The URL of a database of PostgreSQL, which takes the place of SQLite; empty for SQLite. */
const postgres = process.env['RESTWRIGHT_POSTGRES'] ?? '';
/** The URL of a replica of that database, for pages; empty for none. */
const replica = process.env['RESTWRIGHT_REPLICA_OF_TESTS'] ?? '';
const schemas = new PostgresSchemas();
let opened = 0;

if (postgres !== '') after(() => schemas.drop(postgres));

function withSchema(named: string, schema: string): string {
  const url = new URL(named);
  url.searchParams.set('schema', schema);
  return url.href;
}

/**
 * Opens the store of the suite: SQLite, unless the environment names a database of PostgreSQL. Each file is a schema
 * there.
 */
export function openStoreUnderTest({ database, driver, ...options }: Opening): Promise<Store> {
  const isExisting = showsTables(options.model);
  const isUrl = database !== null && selectKind(database).name === 'postgres';
  if (postgres === '' || isUrl || isExisting) {
    const reference = { database: database ?? ':memory:', driver: driver ?? (isExisting ? undefined : driverName) };
    return selectKind(reference.database).open(reference, options);
  }
  opened += 1;
  const name = database === null ? String(opened) : digest(database).toLowerCase().replaceAll('-', '_');
  const schema = schemas.name(name);
  const replicas = replica === '' ? [] : [withSchema(replica, schema)];
  return openPostgres({ url: withSchema(postgres, schema), replicas, ...options });
}
