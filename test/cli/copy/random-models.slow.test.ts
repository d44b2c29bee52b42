import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, describe, it } from 'node:test';
import { Random } from '../../../scripts/campaign/random.ts';
import { run } from '../../../src/cli/program.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../../pipeline/support/api-under-test.ts';
import { comparable } from '../../package/comparable.ts';
import { PostgresSchemas } from '../../postgres-schemas.ts';
import { startPostgres } from '../../postgres-server.ts';
import { recordedTerminal } from '../recorded-terminal.ts';
import { linkedAnswers } from './linked-answers.ts';
import { type CopiedModel, randomCopiedModel } from './random-copied-model.ts';
import { RandomWrites } from './random-writes.ts';

/** Another seed, to repeat a failure or to look elsewhere. */
const SEED = Number(process.env['RESTWRIGHT_SEED'] ?? 1);
const MODELS = 3;
const WRITES = 150;
/** Writes to all databases after the copies. */
const MORE_WRITES = 40;

const server = await startPostgres();
const schemas = new PostgresSchemas();
const folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await schemas.drop(server.url('public'));
  await server.stop();
});

async function copy(model: string, from: string, to: string): Promise<void> {
  const terminal = recordedTerminal();
  assert.equal(await run(['copy', model, '--from', from, '--to', to], terminal), 0, terminal.written().stderr);
}

/**
 * The URLs from which a client can read everything by links: each collection in each order, searches, filters and
 * events.
 */
function listStarts({ resources }: CopiedModel, writes: RandomWrites): readonly string[] {
  const collections = writes.roots.flatMap((name) => {
    const at = `/api/v1/${name}`;
    const fields = Object.entries(resources[name]?.schema.properties ?? {});
    const sortable = fields.filter(
      ([, { type, contentEncoding }]) => !['object', 'array'].includes(type) && contentEncoding === undefined,
    );
    const relations = fields.flatMap(([, { 'x-references': reference }]) => reference?.as ?? []);
    return [
      `${at}?limit=5`,
      ...['about', 'fox', 'quoted', 'null'].map((word) => `${at}?q=${word}&limit=3`),
      ...sortable.flatMap(([field]) => [`${at}?sort=${field}&limit=15`, `${at}?sort=-${field}&limit=15`]),
      ...sortable.map(([field]) => `${at}?${field}[exists]=true&limit=20&include_total=true`),
      `${at}?expand=${['also', ...relations].join(',')}&limit=4`,
    ];
  });
  return [...collections, '/api/events?limit=100'];
}

/** The records of batches. The ETags of their results end with what names the database. */
async function batchRecords(api: ApiUnderTest, { batches }: RandomWrites): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const url of batches) {
    const { status, text } = await api.send({ send: `GET ${url}` });
    answers.push(`${status} ${text.replaceAll(/(?<="ETag":"\\"\d+\.)[\w-]+/g, '')}`);
  }
  return answers;
}

/** The answers for rows that are not there: gone, or never known. */
async function absentAnswers(api: ApiUnderTest, urls: Iterable<string>): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const url of urls) {
    const { status, body } = await api.send({ send: `GET ${url}` });
    if (status !== 200) answers.push(JSON.stringify([url, status, body.errorCode, body.errorMessage]));
  }
  return answers;
}

async function replays(api: ApiUnderTest, { keyed }: RandomWrites): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const { row } of keyed) {
    const { status, headers, text } = await api.send(row);
    if (status === 201)
      answers.push(JSON.stringify([headers.get('idempotency-replayed'), headers.get('location'), text]));
  }
  return answers;
}

/** An answer without what differs in every answer. */
function stable({ status, text }: Seen): string {
  return `${status} ${text.replaceAll(/(?<="correlationId":")[^"]*/g, '')}`;
}

async function judge(seed: number): Promise<void> {
  const random = new Random(seed);
  const model = randomCopiedModel(random);
  const document = JSON.stringify(model);
  const modelFile = path.join(folder, `${seed}.yaml`);
  writeFileSync(modelFile, document);
  const [first, last] = [path.join(folder, `first-${seed}.db`), path.join(folder, `last-${seed}.db`)];
  const middle = server.url(schemas.name(`copied_${seed}`));
  let to: readonly ApiUnderTest[] = [await apiUnderTest(document, { database: first })];
  const writes = new RandomWrites(model, random, async (row) => {
    const answers: Seen[] = [];
    for (const api of to) {
      api.clock.advance(1);
      answers.push(await api.send(row));
    }
    const [one = assert.fail()] = answers;
    assert.ok(one.status < 500, one.text);
    const expected = comparable([stable(one)]);
    for (const other of answers.slice(1)) assert.deepEqual(comparable([stable(other)]), expected, row.send);
    return one;
  });
  await writes.run(WRITES);
  const time = to[0]?.clock.now() ?? 0;
  await to[0]?.close();
  assert.ok(
    Object.values(writes.made).every((count) => count > 0),
    JSON.stringify(writes.made),
  );
  await copy(modelFile, first, middle);
  await copy(modelFile, middle, last);
  to = await Promise.all([first, middle, last].map((database) => apiUnderTest(document, { database, time })));
  try {
    await compare(to, listStarts(model, writes), writes);
    await writes.run(MORE_WRITES, { learns: false });
  } finally {
    for (const api of to) await api.close();
  }
}

async function compare(all: readonly ApiUnderTest[], starts: readonly string[], writes: RandomWrites): Promise<void> {
  const [before = assert.fail(), ...copies] = all;
  const expected = {
    linked: await linkedAnswers(before.api, starts),
    batches: await batchRecords(before, writes),
    absent: await absentAnswers(before, writes.urls),
    replays: await replays(before, writes),
    events: await before.store.events.after(0, Number.MAX_SAFE_INTEGER),
  };
  assert.ok(expected.linked.size > 100 && expected.absent.length > 0 && expected.replays.length > 0);
  for (const each of copies) {
    assert.deepEqual(await linkedAnswers(each.api, starts), expected.linked);
    assert.deepEqual(await batchRecords(each, writes), expected.batches);
    assert.deepEqual(await absentAnswers(each, writes.urls), expected.absent);
    assert.deepEqual(await replays(each, writes), expected.replays);
    assert.deepEqual(await each.store.events.after(0, Number.MAX_SAFE_INTEGER), expected.events);
  }
}

describe('a database of a random model that is copied to PostgreSQL and back', () => {
  for (let seed = SEED; seed < SEED + MODELS; seed += 1) {
    it(`[OPS-4b] has the same answers, events and tombstones, byte by byte, and goes on in the same way, from seed ${seed}`, () =>
      judge(seed));
  }
});
