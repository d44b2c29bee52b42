import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { SeededRandom } from '../../store-suite/seeded-random.ts';
import { PostgresSchemas } from '../postgres-schemas.ts';
import { startPostgres } from '../postgres-server.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { type KillCounts, killMigrations } from './migration-kills.ts';

/** `RESTWRIGHT_KILL_ROUNDS=50` for a longer run by hand. */
const ROUNDS = Number(process.env['RESTWRIGHT_KILL_ROUNDS'] ?? 6);

const server = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(server.url('public'));
  await server.stop();
});

function checkCounts({ before, after: later, ended }: KillCounts): void {
  assert.equal(before + later + ended, ROUNDS);
  assert.ok(before + later > 0);
}

describe('a migration that converts rows and is killed at random moments, there and back', () => {
  it('[VER-5c] leaves all rows of one version on SQLite, and completes', { timeout: 900_000 }, async (context) => {
    const folder = temporaryDirectory(context);
    const counts = await killMigrations(
      { folder, database: path.join(folder, 'store.db') },
      ROUNDS,
      new SeededRandom(1),
    );
    context.diagnostic(JSON.stringify(counts));
    checkCounts(counts);
  });

  it('[VER-5c] leaves all rows of one version on PostgreSQL, and completes', { timeout: 900_000 }, async (context) => {
    const database = server.url(schemas.name('kills'));
    const counts = await killMigrations({ folder: temporaryDirectory(context), database }, ROUNDS, new SeededRandom(2));
    context.diagnostic(JSON.stringify(counts));
    checkCounts(counts);
  });
});
