import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import type { Observation } from '../../src/observe/observation.ts';
import type { Store } from '../../src/stores/store.ts';
import { commit, createProduct, listIds } from '../../store-suite/sample-writes.ts';
import { OF_FORMAT_10, POSTGRES_OF_FORMAT_12 } from './earlier-formats.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { newSchema, openSample as openPostgresSample } from './postgres/open-postgres.ts';
import { Database } from './sqlite/driver-under-test.ts';
import { openSample as openSqliteSample } from './sqlite/open-sample.ts';

type Observing = { readonly observe: (observation: Observation) => void };

/** A database of one store that a test opens again and again, and changes in between. */
interface ReopenedDatabase {
  readonly open: (options?: Partial<Observing>) => Promise<Store>;
  readonly script: (sql: string) => Promise<void>;
  /** Returns it to format 12. */
  readonly toFormat12: string;
}

/** Returns a database of format 12 to format 9, with an attempt that this format could store. */
const OF_FORMAT_9 = `${OF_FORMAT_10}
  create table restwright_attempts (
    endpoint text not null, sequence bigint not null, number integer not null, at bigint not null, duration bigint not null,
    code integer, excerpt text, primary key (endpoint, sequence, number)
  );
  insert into restwright_attempts values ('hook', 1, 1, 5, 7, 503, 'busy');
  update restwright_meta set value = '9' where name = 'format'`;

const DELIVERY = {
  reader: 'hooks',
  endpoint: 'hook',
  sequence: 1,
  state: 'waiting',
  attempts: 2,
  due: 70,
  resource: null,
} as const;

function sqliteDatabase(context: TestContext): ReopenedDatabase {
  const file = path.join(temporaryDirectory(context), 'sample.db');
  return {
    open: (options) => openSqliteSample({ path: file, ...options }),
    toFormat12: '',
    script: async (sql) => {
      new Database(file).exec(sql.replaceAll('bigint', 'integer')).close();
    },
  };
}

function postgresDatabase(): ReopenedDatabase {
  const url = newSchema();
  const schema = new URL(url).searchParams.get('schema');
  return {
    open: (options) => openPostgresSample({ url, ...options }),
    toFormat12: POSTGRES_OF_FORMAT_12,
    script: async (sql) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        await client.query(`set search_path to "${schema}"; ${sql}`);
      } finally {
        await client.end();
      }
    },
  };
}

for (const [name, database] of [
  ['SQLite', sqliteDatabase],
  ['PostgreSQL', postgresDatabase],
] as const) {
  describe(`${name}: a database of the format that had a table of attempts`, () => {
    it('[OPS-4d] is upgraded once, without that table, with its rows, events and deliveries', async (context) => {
      const { open, script, toFormat12 } = database(context);
      const first = await open();
      await commit(first, createProduct('a'));
      await first.writes.commit({ plans: [], delivery: { deliveries: [DELIVERY] } });
      await first.close();
      await script(`${toFormat12} ${OF_FORMAT_9}`);
      const statements: string[] = [];
      const observe: Observing['observe'] = (seen) => {
        if (seen.kind === 'schema-changed') statements.push(...seen.statements);
      };
      const upgraded = await open({ observe });
      assert.equal(statements[0], 'drop table if exists restwright_attempts');
      assert.deepEqual(await listIds(upgraded, {}), ['a']);
      assert.equal((await upgraded.events.list({ after: 0, limit: 9 })).length, 1);
      assert.deepEqual(await upgraded.deliveries.list({ endpoint: 'hook', limit: 9 }), [DELIVERY]);
      await upgraded.close();
      await assert.rejects(script('select * from restwright_attempts'), /restwright_attempts/);
      statements.length = 0;
      await (await open({ observe })).close();
      assert.deepEqual(statements, []);
    });
  });
}
