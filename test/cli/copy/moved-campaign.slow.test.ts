import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { runCampaign } from '../../../scripts/campaign/run-campaign.ts';
import campaign from '../../../scripts/campaign/model.ts';
import { storedEvents } from '../../../scripts/stored-events.ts';
import { run } from '../../../src/cli/program.ts';
import { startApi, type StartedApi } from '../../../src/start-api.ts';
import { startPostgres } from '../../postgres-server.ts';
import { recordedTerminal } from '../recorded-terminal.ts';
import { startServer, waitUntilListening } from '../server-process.ts';
import { linkedAnswers } from './linked-answers.ts';

const REQUESTS = 1_000;
const SEEDS = [1, 20];
const MODEL = path.join(import.meta.dirname, '..', '..', '..', 'scripts', 'campaign', 'model.ts');

const server = await startPostgres();
const folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

/** Writes a file by random requests. */
async function fill(file: string, seed: number): Promise<void> {
  const serving = startServer(folder, [MODEL, '--port', '0', '--database', file]);
  const { origin } = new URL(await waitUntilListening(serving));
  const events = (): readonly never[] => [];
  await runCampaign({ origin, requests: REQUESTS, seed, events });
  serving.child.kill('SIGTERM');
  assert.equal(await serving.exited, 0);
}

async function copy(from: string, to: string): Promise<void> {
  const terminal = recordedTerminal();
  assert.equal(await run(['copy', MODEL, '--from', from, '--to', to], terminal), 0, terminal.written().stderr);
}

function open(database: string): Promise<StartedApi> {
  return startApi({ model: campaign, database, dispatch: false });
}

const COLLECTIONS = ['authors', 'books', 'notes', 'orders'].map((name) => `/api/v1/${name}`);
const STARTS = [
  ...COLLECTIONS,
  '/api/v1/books?sort=-price,title&limit=3',
  '/api/v1/books?q=a&limit=3',
  '/api/v1/authors?sort=rating&limit=2&expand=books',
  '/api/v1/notes?sort=-weight',
  '/api/events?limit=50',
];

describe('a database that is moved to PostgreSQL and back', () => {
  for (const seed of SEEDS) {
    it(`[OPS-4b] has the same answers to a client that follows all links, after random writes (seed ${seed})`, async () => {
      const [first, last] = [`first-${seed}.db`, `last-${seed}.db`].map((name) => path.join(folder, name));
      assert.ok(first !== undefined && last !== undefined);
      await fill(first, seed);
      const middle = server.url(`campaign_${process.pid}_${seed}`);
      await copy(first, middle);
      await copy(middle, last);
      await using before = await open(first);
      await using moved = await open(middle);
      await using back = await open(last);
      const expected = await linkedAnswers(before.api, STARTS);
      assert.ok(expected.size > 100, `${expected.size} answers`);
      assert.deepEqual(await linkedAnswers(moved.api, STARTS), expected);
      assert.deepEqual(await linkedAnswers(back.api, STARTS), expected);
      assert.deepEqual(storedEvents(last), storedEvents(first));
    });
  }
});
