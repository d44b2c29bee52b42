import type { Model } from '../../../src/model/model.ts';
import { openSqlite, type SqliteOptions } from '../../../src/stores/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { sampleModel } from '../../../store-suite/sample-model.ts';
import { driverName } from './driver-under-test.ts';

/** Opens a database, in memory unless a path is given, with a constant clock and constant random bytes. */
export function openSample(options: Partial<SqliteOptions> = {}, model: Model = sampleModel()): Promise<Store> {
  return openSqlite({
    path: ':memory:',
    model,
    driver: driverName,
    observe: () => {},
    clock: { now: () => 1 },
    random: { hex: (bytes) => '5a'.repeat(bytes) },
    ...options,
  });
}
