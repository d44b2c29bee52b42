import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Client } from 'pg';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { type DeletePlan, EVERYTHING, type FieldValues } from '../../../src/plan/plan.ts';
import type { WriteOutcome } from '../../../src/plan/write-unit.ts';
import { createPlan, deletePlan, type WriteAuthor } from '../../../src/plan/write/write-plan.ts';
import { openPostgres } from '../../../src/stores/postgres/postgres-store.ts';
import { openSqlite } from '../../../src/stores/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import type { ExistingSource } from './existing-source.ts';
import { type PostgresSource, postgresSource } from './postgres-source.ts';
import { sqliteSource } from './source-file.ts';

/** Tables without foreign keys: those of the model have none of the database behind them. */
const TABLES = `
create table film (film_id int primary key, title text, studio_id text);
create table note (note_id int primary key, film_id int);
insert into film (film_id, title) values (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four'), (5, 'five'), (6, 'six');
`;

const { model } = loadModel({
  file: 'model.yaml',
  text: `
name: films
resources:
  films:
    table: film
    schema: { type: object, properties: { title: { type: string }, studio_id: { type: string, x-references: { resource: studios, inverse: films } } } }
  notes:
    table: note
    schema: { type: object, properties: { film_id: { type: string, x-references: { resource: films, inverse: notes } } } }
  studios: { schema: { type: object, properties: { name: { type: string } } } }
  reviews:
    schema:
      type: object
      properties:
        film_id: { type: string, x-references: { resource: films, inverse: reviews } }
        other_id: { type: string, x-references: { resource: films, inverse: other_reviews } }
`,
});

const author: WriteAuthor = {
  events: null,
  origin: { correlationId: '', traceId: '', actor: null, at: '2026-01-01T00:00:00.000Z' },
};

/** A time that no write of a test reaches. */
const inAMinute = (): number => Date.now() + 60_000;

class Writes {
  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  create(name: string, id: string, values: FieldValues): Promise<WriteOutcome> {
    const resource = model.resources.get(name);
    assert.ok(resource);
    const plan = createPlan(author, { resource, within: [], id }, values);
    return this.store.writes.commit({ plans: [plan] }, inAMinute());
  }

  /** Plans the deletion of a row to which nothing refers now. */
  async deletion(name: string, id: string): Promise<DeletePlan> {
    const resource = model.resources.get(name);
    const row = await this.store.rows.item({ kind: 'item', resource: name, id, within: [], visible: EVERYTHING });
    assert.ok(resource && row);
    return deletePlan(author, { resource, within: [], row });
  }

  async isThere(resource: string, id: string): Promise<boolean> {
    return (await this.store.rows.item({ kind: 'item', resource, id, within: [], visible: EVERYTHING })) !== null;
  }
}

const STORES = [
  ['PostgreSQL', () => postgresSource(TABLES), (url: string) => openPostgres({ url, model })],
  ['SQLite', () => Promise.resolve(sqliteSource(TABLES)), (path: string) => openSqlite({ path, model })],
] as const;

for (const [name, createSource, open] of STORES)
  describe(`references that no foreign key guards, in ${name}`, () => {
    let source: ExistingSource;
    let writes: Writes;
    before(async () => {
      source = await createSource();
      writes = new Writes(await open(source.url));
    });
    after(async () => {
      await writes?.store.close();
      await source?.close();
    });

    it('[MET-4c] keep a row that an own row refers to since its deletion was planned', async () => {
      const plan = await writes.deletion('films', '1');
      assert.equal((await writes.create('reviews', 'r1', { film_id: '1' })).kind, 'committed');
      assert.deepEqual(await writes.store.writes.commit({ plans: [plan] }), { kind: 'dependents', plan: 0 });
      assert.ok(await writes.isThere('films', '1'));
    });

    it('[MET-4c] keep a row that another program refers to since its deletion was planned', async () => {
      const plan = await writes.deletion('films', '4');
      await source.change('insert into note values (1, 4)');
      assert.deepEqual(await writes.store.writes.commit({ plans: [plan] }), { kind: 'dependents', plan: 0 });
    });

    it('[MET-4c] keep an own row that a row of a table refers to since its deletion was planned', async () => {
      assert.equal((await writes.create('studios', 's1', { name: 'x' })).kind, 'committed');
      const plan = await writes.deletion('studios', 's1');
      await source.change("update film set studio_id = 's1' where film_id = 3");
      assert.deepEqual(await writes.store.writes.commit({ plans: [plan] }), { kind: 'dependents', plan: 0 });
    });

    it('[MET-4c] let a unit delete a row with all that refers to it', async () => {
      await writes.create('reviews', 'r6', { film_id: '6' });
      const plans = [await writes.deletion('reviews', 'r6'), await writes.deletion('films', '6')];
      assert.equal((await writes.store.writes.commit({ plans })).kind, 'committed');
      assert.equal(await writes.isThere('films', '6'), false);
    });

    it('[MET-10] lead to own rows that the same unit creates', async () => {
      const [studios, films] = [model.resources.get('studios'), model.resources.get('films')];
      assert.ok(studios && films);
      const plans = [
        createPlan(author, { resource: studios, within: [], id: 's2' }, { name: 'y' }),
        createPlan(author, { resource: films, within: [], id: '7' }, { title: 'seven', studio_id: 's2' }),
      ];
      assert.equal((await writes.store.writes.commit({ plans })).kind, 'committed');
    });

    it('[MET-10] name the first plan of a unit with a reference to nothing, and all of its fields', async () => {
      const resource = model.resources.get('reviews');
      assert.ok(resource);
      const plan = (id: string, film: string, other: string) =>
        createPlan(author, { resource, within: [], id }, { film_id: film, other_id: other });
      const plans = [plan('a', '3', '1'), plan('b', '97', '98'), plan('c', '97', '99')];
      assert.deepEqual(await writes.store.writes.commit({ plans }), {
        kind: 'reference',
        plan: 1,
        fields: ['film_id', 'other_id'],
      });
    });
  });

describe('references between two transactions of PostgreSQL', () => {
  let source: PostgresSource;
  let writes: Writes;
  before(async () => {
    source = await postgresSource(TABLES);
    writes = new Writes(await openPostgres({ url: source.url, model }));
    // A commit of a review waits for a lock of the test, once everything of its transaction is done.
    await source.change(`
create function wait() returns trigger language plpgsql set lock_timeout = 0 as $$
begin perform pg_advisory_xact_lock(42); return null; end $$;
create constraint trigger waits after insert on restwright.reviews deferrable initially deferred for each row execute function wait();
`);
  });
  after(async () => {
    await writes?.store.close();
    await source?.close();
  });

  const countWaiting = async (): Promise<number> => {
    const [count] = await source.list(`select count(*)::int from pg_locks where locktype = 'advisory' and not granted`);
    return Number(count);
  };

  it('[MET-4c] let a deletion wait for the transaction of a reference', async () => {
    const plan = await writes.deletion('films', '5');
    const lock = await source.lock('select pg_advisory_xact_lock(42)');
    const created = writes.create('reviews', 'r5', { film_id: '5' });
    while ((await countWaiting()) < 1) await setImmediate();
    const outcomes: WriteOutcome[] = [];
    const deleted = writes.store.writes.commit({ plans: [plan] }, inAMinute()).then((end) => void outcomes.push(end));
    while (outcomes.length === 0 && (await countWaiting()) < 2) await setImmediate();
    await lock.release();
    assert.equal((await created).kind, 'committed');
    await deleted;
    assert.deepEqual(outcomes, [{ kind: 'dependents', plan: 0 }]);
  });

  it('[MET-10] look for the references of all plans of a unit by one question', async (context) => {
    const resource = model.resources.get('notes');
    assert.ok(resource);
    const query = context.mock.method(Client.prototype, 'query');
    const plans = Array.from({ length: 100 }, (_, index) =>
      createPlan(author, { resource, within: [], id: String(index + 100) }, { film_id: String(1 + (index % 3)) }),
    );
    assert.equal((await writes.store.writes.commit({ plans })).kind, 'committed');
    const texts = query.mock.calls.map(({ arguments: [sent] }) => inspect(sent));
    assert.equal(texts.filter((text) => text.includes('not exists')).length, 1);
  });
});
