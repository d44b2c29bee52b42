import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Client } from 'pg';
import type { Model } from '../../../src/model/model.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { findExistingTables } from '../../../src/stores/postgres/existing/existing-store.ts';
import { SnapshotStamps } from '../../../src/stores/postgres/existing/snapshot-stamps.ts';
import type { SqlClient } from '../../../src/stores/sql/sql-client.ts';
import type { Tables } from '../../../src/stores/sql/tables.ts';
import type { Statement } from '../../../src/stores/sql/dialect.ts';
import { type PostgresSource, postgresSource } from './postgres-source.ts';

const NAMES = ['plain', 'parted', 'summary', 'shown', 'secret', 'family'];

const RELATIONS = `
create table plain (id int primary key);
create table parted (id int primary key) partition by range (id);
create table parted_low partition of parted for values from (0) to (10);
create materialized view summary as select 1 as id;
create unique index summary_id on summary (id);
create view shown as select id from plain;
create table secret (id int primary key);
alter table secret enable row level security;
create policy early on secret using (now() < '2000-01-01');
create table family (id int primary key);
create table child () inherits (family);
create foreign data wrapper elsewhere;
create server other foreign data wrapper elsewhere;
grant select on all tables in schema public to READER;
`;

const RESOURCES = NAMES.map(
  (name) => `${name}: { table: ${name}, key: id, read_only: true, schema: { type: object } }`,
);

function relationModel(auth = ''): Model {
  const text = `{ name: relations, ${auth} resources: { ${RESOURCES.join(', ')} } }`;
  return loadModel({ file: 'model.yaml', text }).model;
}

const model = relationModel();

describe('the stamps of tables that exist in PostgreSQL', () => {
  let source: PostgresSource;
  let reader: Client;
  let now = 0;
  let sent: string[] = [];
  let tables: Tables;
  let client: Pick<SqlClient, 'all' | 'get'>;
  let stamps: SnapshotStamps;
  before(async () => {
    source = await postgresSource(RELATIONS);
    reader = new Client({ connectionString: source.readerUrl });
    await reader.connect();
    ({ tables } = await findExistingTables({ url: source.readerUrl, model }));
    const all = async ({ text, values }: Statement): Promise<readonly Record<string, string | null>[]> => {
      sent.push(text);
      return (await reader.query(text, [...values])).rows;
    };
    client = { all, get: async (statement: Statement) => (await all(statement))[0] ?? null };
    stamps = new SnapshotStamps({ client, model, tables, elapsed: () => now });
  });
  after(async () => {
    await reader.end();
    await source.close();
  });

  /** The resources whose stamps stay the same while nothing is committed. */
  const steady = async (): Promise<readonly string[]> => {
    const [one, other] = [await stamps.resourceStamps(NAMES), await stamps.resourceStamps(NAMES)];
    return NAMES.filter((_, at) => one[at] === other[at]);
  };

  it('[CACHE-2] stay the same only where all rows are those of the database, and none depends on a policy', async () => {
    assert.deepEqual(await steady(), ['plain', 'parted', 'summary', 'family']);
    for (const name of NAMES)
      assert.equal(stamps.basis(name), (await steady()).includes(name) ? 'snapshots' : 'nothing', name);
  });

  it('[AUTH-13a] are new ones for rows that the database shows to each caller, without a question', async () => {
    sent = [];
    const issuer =
      'name: own, issuer: https://id.example.com, audience: app, hs256_secret: 0123456789abcdef0123456789abcdef';
    const auth = `auth: { issuers: [{ ${issuer} }], database_role: { roles: [web] } },`;
    const judged = new SnapshotStamps({ client, model: relationModel(auth), tables });
    const seen = [...(await judged.resourceStamps(NAMES)), ...(await judged.resourceStamps(NAMES))];
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(sent, []);
  });

  it('[OPS-5] differ after each commit, and never return', async () => {
    const seen = new Set<number>();
    for (let count = 0; count < 5; count += 1) {
      await source.change('insert into plain select coalesce(max(id), 0) + 1 from plain');
      seen.add(await stamps.partitionStamp('plain'));
    }
    assert.equal(seen.size, 5);
  });

  it('[OPS-5] differ after the commit of each of several transactions that overlap', async () => {
    const [first, second] = [
      await source.lock('insert into plain values (-1)'),
      await source.lock('insert into plain values (-2)'),
    ];
    await source.change('insert into plain values (-3)');
    const seen = [await stamps.partitionStamp('plain')];
    for (const each of [second, first]) {
      await each.release();
      seen.push(await stamps.partitionStamp('plain'));
    }
    assert.equal(new Set(seen).size, 3);
  });

  it('[OPS-5] are read once for all readers of an iteration, and again after a commit of this process', async () => {
    sent = [];
    const first = stamps.resourceStamps(['plain']);
    const same = [stamps.partitionStamp('parted'), stamps.partitionStamp('plain')];
    stamps.committed();
    const later = stamps.resourceStamps(['plain']);
    await Promise.all([first, ...same, later]);
    assert.equal(sent.length, 2);
  });

  it('[OPS-5] are those of the question of each reader, also where an earlier one is answered last', async () => {
    const snapshots = ['early', 'late'];
    const asked: PromiseWithResolvers<readonly Record<string, number>[]>[] = [];
    const overtaken = new SnapshotStamps({
      client: {
        get: async () => ({ snapshot: snapshots.shift() ?? '' }),
        all: () => {
          const answer = Promise.withResolvers<readonly Record<string, number>[]>();
          asked.push(answer);
          return answer.promise;
        },
      },
      model,
      tables,
    });
    const early = overtaken.partitionStamp('plain');
    overtaken.committed();
    const late = overtaken.partitionStamp('plain');
    const rows = [{ oid: tables.of('plain').existing?.oid ?? 0 }];
    await setImmediate();
    for (const { resolve } of asked.toReversed()) resolve(rows);
    assert.notEqual(await late, await early);
    assert.equal(overtaken.basis('plain'), 'snapshots');
  });

  it('[CACHE-2] are new ones for a table that gets a policy, or rows of elsewhere, after a minute', async () => {
    await source.change(`alter table plain enable row level security; create policy late on plain using (now() > '2000-01-01');
      create foreign table far () inherits (family) server other`);
    now += 60_000;
    assert.deepEqual(await steady(), ['parted', 'summary']);
    await source.change('alter table plain disable row level security');
    now += 59_999;
    assert.deepEqual(await steady(), ['parted', 'summary']);
    now += 1;
    assert.deepEqual(await steady(), ['plain', 'parted', 'summary']);
  });
});
