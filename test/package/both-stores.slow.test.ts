import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Play } from '../pipeline/proof/play.ts';
import { PostgresSchemas } from '../postgres-schemas.ts';
import { startPostgres } from '../postgres-server.ts';

const SEEDS = 8;
const LENGTH = 60;

const server = await startPostgres();
const schemas = new PostgresSchemas();
after(async () => {
  await schemas.drop(server.url('public'));
  await server.stop();
});

/** What is random or sealed: ids, ETags, cursors. */
const RANDOM =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<="(?:[\w-]{22}|\d+)\.)[\w-]{8,16}(?=\\*")|(?<=")[\w-]{22}(?=[.\\"])|[\w-]{48,}/g;

/** Answers in which each random value is replaced by the number of its first appearance: equal values stay equal. */
function comparable(answers: readonly string[]): readonly string[] {
  const known = new Map<string, string>();
  return answers.map((answer) =>
    answer.replaceAll(RANDOM, (value) => {
      const number = known.get(value) ?? `#${known.size}`;
      known.set(value, number);
      return number;
    }),
  );
}

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
