import { globSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { runTests } from '../../../package/http-suite.ts';

const root = path.join(import.meta.dirname, '..', '..', '..', '..');

/** Tests that use SQLite: all of stores, but for those of PostgreSQL alone. */
const files = globSync('test/stores/**/*.test.ts', { cwd: root })
  .filter((file) => !file.endsWith('.slow.test.ts') && !file.includes('/postgres/'))
  .toSorted();

it('all tests of stores pass with the driver node:sqlite', async ({ signal }) => {
  const environment = { RESTWRIGHT_DRIVER: 'node' };
  await runTests({ way: 'other-driver', environment, otherClaims: null, signal }, files, 500);
});
