import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { updatePlan } from '../../../src/plan/write/write-plan.ts';
import { EVERYTHING } from '../../../src/plan/plan.ts';
import { openPostgres } from '../../../src/stores/postgres/postgres-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { SeededRandom } from '../../../store-suite/seeded-random.ts';
import { type PostgresSource, postgresSource } from './postgres-source.ts';

const ROWS = 4;
const ROUNDS = 40;

const TABLES = `
create table counter (id int primary key, ours int not null default 0, theirs int not null default 0);
insert into counter (id) select generate_series(1, ${ROWS});
`;

const { model } = loadModel({
  file: 'model.yaml',
  text: `
name: counters
resources:
  counters:
    table: counter
    schema: { type: object, properties: { ours: { type: integer }, theirs: { type: integer } } }
`,
});

describe('writes of others between a read and a write', () => {
  let source: PostgresSource;
  let store: Store;
  before(async () => {
    source = await postgresSource(TABLES);
    store = await openPostgres({ url: source.url, model });
  });
  after(async () => {
    await store.close();
    await source.close();
  });

  const resource = model.resources.get('counters');
  assert.ok(resource);

  /** Adds one to a row, as it is read: again if it was changed meanwhile. @returns the times that it was refused */
  const increment = async (id: string): Promise<number> => {
    for (let stale = 0; ; stale += 1) {
      const row = await store.rows.item({ kind: 'item', resource: 'counters', id, within: [], visible: EVERYTHING });
      assert.ok(row);
      const author = {
        events: null,
        origin: { correlationId: '', traceId: '', actor: null, at: '2026-01-01T00:00:00.000Z' },
      };
      const plan = updatePlan(author, { resource, within: [], row }, { ...row, ours: Number(row['ours']) + 1 });
      assert.ok(plan);
      const outcome = await store.writes.commit({ plans: [plan] }, Date.now() + 60_000);
      if (outcome.kind === 'committed') return stale;
      assert.equal(outcome.kind, 'stale');
    }
  };

  it('[CACHE-3] lose no update of either: a write is refused where the row has changed', async () => {
    const random = new SeededRandom(7);
    const others = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const client = new Client({ connectionString: source.url });
        await client.connect();
        return client;
      }),
    );
    let theirs = 0;
    let refused = 0;
    /** Transactions of the other program, of which some are rolled back, and some write a row twice. */
    const disturb = async (client: Client): Promise<void> => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = 1 + random.integer(ROWS);
        const twice = random.oneIn(3);
        const isKept = !random.oneIn(3);
        await client.query('begin');
        await client.query('update counter set theirs = theirs + 1 where id = $1', [id]);
        if (twice) await client.query('update counter set theirs = theirs + 1 where id = $1', [id]);
        await client.query(isKept ? 'commit' : 'rollback');
        if (isKept) theirs += twice ? 2 : 1;
      }
    };
    const ours = Array.from({ length: 4 }, async (_, at) => {
      for (let round = 0; round < ROUNDS; round += 1) refused += await increment(String(1 + ((round + at) % ROWS)));
    });
    await Promise.all([...others.map(disturb), ...ours]);
    await Promise.all(others.map((client) => client.end()));
    assert.deepEqual(await source.list('select sum(ours)::int from counter'), [4 * ROUNDS]);
    assert.deepEqual(await source.list('select sum(theirs)::int from counter'), [theirs]);
    assert.ok(refused > 0, 'no write met another one');
  });

  it('[CACHE-3] give each write of a unit to one row a revision of its own', async () => {
    const row = await store.rows.item({ kind: 'item', resource: 'counters', id: '1', within: [], visible: EVERYTHING });
    assert.ok(row);
    const change = (ours: number, revision: number | { plan: number }) =>
      ({
        kind: 'update',
        resource: 'counters',
        id: '1',
        within: [],
        values: { ours },
        revision,
        at: '',
        event: null,
      }) as const;
    const outcome = await store.writes.commit({ plans: [change(-1, row.revision), change(-2, { plan: 0 })] });
    assert.equal(outcome.kind, 'committed');
    const { revisions } = outcome;
    assert.equal(new Set([row.revision, ...revisions]).size, 3);
    const stale = await store.writes.commit({ plans: [change(-3, revisions[0] ?? 0)] });
    assert.deepEqual(stale, { kind: 'stale', plan: 0 });
  });
});
