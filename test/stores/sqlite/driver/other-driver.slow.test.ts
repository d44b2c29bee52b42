import { globSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { runTests } from '../../../package/http-suite.ts';

const root = path.join(import.meta.dirname, '..', '..', '..', '..');

/** Tests that use SQLite: all of stores, but for those of PostgreSQL alone. */
const files = globSync('test/stores/**/*.test.ts', { cwd: root })
  .filter((file) => !file.endsWith('.slow.test.ts') && !file.includes('/postgres/'))
  .toSorted();

/** Titles of tests on PostgreSQL, which has another driver, in files about both stores. */
const OTHER_CLAIMS = '/PostgreSQL/';

it('all tests of stores pass with the driver node:sqlite', async ({ signal }) => {
  const environment = { RESTWRIGHT_DRIVER: 'node' };
  await runTests({ way: 'other-driver', environment, otherClaims: OTHER_CLAIMS, signal }, files, 500);
});
