import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Play } from '../pipeline/proof/play.ts';
import { PostgresSchemas } from '../postgres-schemas.ts';
import { startPostgres } from '../postgres-server.ts';
import { comparable } from './comparable.ts';

const SEEDS = 8;
const LENGTH = 60;

const server = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(server.url('public'));
  await server.stop();
});

describe('the same random requests to both stores', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    it(`[OPS-4b] have the same answers, byte by byte but for random values, from seed ${seed}`, async () => {
      const sqlite = await Play.of(seed, LENGTH);
      const postgres = await Play.of(seed, LENGTH, { database: server.url(schemas.name(`seed_${seed}`)) });
      assert.ok(sqlite.answers.length > LENGTH);
      assert.deepEqual(comparable(postgres.answers), comparable(sqlite.answers));
    });
  }
});
