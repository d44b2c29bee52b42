// `node scripts/run.mjs bench/postgres/log-order.ts [seconds]`: ways of numbering a log in the order of commits, by 1
// to 8 writing processes. See README.md.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startOwnPostgres } from '../../test/postgres-server.ts';
import { formatCount, markdownTable } from '../compare/table.ts';

const WAYS = ['lock first', 'lock last', 'sequencer'] as const;
type Way = (typeof WAYS)[number];

const PROCESSES = [1, 2, 4, 8];
/** Rows of a transaction: a lone write, and a group of one process. */
const SIZES = [1, 32];

const SCHEMA = `drop table if exists rows, events, counters; drop sequence if exists revisions;
create table rows (id bigint generated always as identity primary key, value text collate "C", revision bigint);
create index on rows (value, id);
create table events (sequence bigint, revision bigint, writer xid8 default pg_current_xact_id(), body text,
  written timestamptz default clock_timestamp(), numbered timestamptz);
create unique index on events (sequence);
create index waiting on events (revision) where sequence is null;
create table counters (revision bigint, sequence bigint);
insert into counters values (0, 0);
create sequence revisions cache 64`;

const LOCK = 'select revision, sequence from counters for update';
const ROWS =
  'insert into rows (value, revision) select md5(random()::text), $1::bigint + n from generate_series(1, $2::int) n';
const ROWS_OF_SEQUENCE =
  "insert into rows (value, revision) select md5(random()::text), nextval('revisions') from generate_series(1, $1::int) n";
const EVENTS = `insert into events (sequence, revision, body, numbered)
  select $1::bigint + n, $1::bigint + n, 'created', clock_timestamp() from generate_series(1, $2::int) n`;
const EVENTS_OF_COUNTER = `with drawn as (update counters set sequence = sequence + $1::int returning sequence)
  insert into events (sequence, revision, body, numbered)
  select sequence - $1::int + n, sequence, 'created', clock_timestamp() from drawn, generate_series(1, $1::int) n`;
const EVENTS_TO_NUMBER = `insert into events (revision, body) select nextval('revisions'), 'created' from generate_series(1, $1::int) n`;
const STORE = 'update counters set revision = revision + $1::int, sequence = sequence + $1::int';

/** Numbers what no running transaction can precede. */
const NUMBER = `with due as (
    select ctid, row_number() over (order by revision) as place from (
      select ctid, revision from events
      where sequence is null and writer < pg_snapshot_xmin(pg_current_snapshot()) order by revision limit 2000) as first),
  drawn as (update counters set sequence = sequence + (select count(*) from due) returning sequence)
  update events set sequence = drawn.sequence - (select count(*) from due) + due.place, numbered = clock_timestamp()
  from due, drawn where events.ctid = due.ctid`;

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, pipeline: true });
  await client.connect();
  return client;
}

/** Sends statements together. @returns the result of the last but one: what comes before `commit` */
async function together(client: Client, statements: readonly [string, ...unknown[]][]): Promise<void> {
  await Promise.all(statements.map(([text, ...values]) => client.query({ name: text.slice(0, 60), text, values })));
}

async function write(client: Client, way: Way, size: number): Promise<void> {
  switch (way) {
    case 'lock first': {
      const [, locked] = await Promise.all([client.query('begin'), client.query({ name: 'lock', text: LOCK })]);
      const { revision, sequence } = locked.rows[0] ?? {};
      return together(client, [[ROWS, revision, size], [EVENTS, sequence, size], [STORE, size], ['commit']]);
    }
    case 'lock last':
      return together(client, [['begin'], [ROWS_OF_SEQUENCE, size], [EVENTS_OF_COUNTER, size], ['commit']]);
    case 'sequencer':
      return together(client, [['begin'], [ROWS_OF_SEQUENCE, size], [EVENTS_TO_NUMBER, size], ['commit']]);
  }
}

/** A child: writes, or numbers, until it is told to stop. */
async function work(url: string, way: Way | 'number', size: number): Promise<void> {
  const client = await connect(url);
  const stopped = new AbortController();
  process.once('message', () => stopped.abort());
  process.send?.('ready');
  while (!stopped.signal.aborted) {
    if (way !== 'number') await write(client, way, size);
    else if (((await client.query(NUMBER)).rowCount ?? 0) === 0) await sleep(1);
  }
  await client.end();
}

interface Measured {
  /** Per second. */
  readonly rows: number;
  /** Milliseconds from the event's statement to its number, at the median and of one in a hundred. */
  readonly delay: readonly [number, number];
}

async function measure(url: string, way: Way, processes: number, size: number, seconds: number): Promise<Measured> {
  const client = await connect(url);
  await client.query(SCHEMA);
  const roles = [...Array.from({ length: processes }, () => way), ...(way === 'sequencer' ? ['number'] : [])];
  const children = roles.map((role) => fork(fileURLToPath(import.meta.url), [url, role, String(size)]));
  await Promise.all(children.map((child) => once(child, 'message')));
  await sleep(500);
  const count = async (): Promise<number> =>
    Number((await client.query('select count(*) from events where sequence is not null')).rows[0]?.count);
  const [before, begun] = [await count(), performance.now()];
  await sleep(seconds * 1_000);
  const rows = ((await count()) - before) / ((performance.now() - begun) / 1_000);
  for (const child of children) child.send('stop');
  await Promise.all(children.map((child) => once(child, 'exit')));
  const delays =
    await client.query(`select percentile_cont(array[0.5, 0.99]) within group (order by extract(epoch from numbered - written) * 1000) as found
    from events where sequence is not null`);
  const [median = NaN, late = NaN] = (delays.rows[0]?.found ?? []) as number[];
  await client.end();
  return { rows, delay: [median, late] };
}

async function run(seconds: number): Promise<void> {
  const postgres = await startOwnPostgres(null, {
    settings: ['fsync=on', 'full_page_writes=on', 'shared_buffers=256MB'],
  });
  try {
    const url = new URL(postgres.url('public'));
    url.searchParams.delete('schema');
    const lines: string[][] = [];
    for (const size of SIZES) {
      for (const processes of PROCESSES) {
        const measured: Measured[] = [];
        for (const way of WAYS) measured.push(await measure(url.href, way, processes, size, seconds));
        const late = measured[2]?.delay ?? [];
        lines.push([
          String(size),
          String(processes),
          ...measured.map(({ rows }) => formatCount(rows)),
          late.map((each) => each.toFixed(1)).join(', '),
        ]);
        process.stderr.write(`${lines.at(-1)?.join(' | ')}\n`);
      }
    }
    const head = [
      'rows of a transaction',
      'processes',
      ...WAYS.map((way) => `${way}, rows/s`),
      'delay of the sequencer, ms: p50, p99',
    ];
    process.stdout.write(`${markdownTable(head, lines)}\n`);
  } finally {
    await postgres.stop();
  }
}

const [first = '3', role, size] = process.argv.slice(2);
if (role === undefined) await run(Number(first));
else await work(first, role as Way | 'number', Number(size));
