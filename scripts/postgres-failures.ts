// `npm run postgres-failures -- [--rounds 20] [--seconds 120] [--pages 10000] [--seed 1]`: stops PostgreSQL under load,
// kills one of three instances every second, and reads a page right after each write. Pages come from two replicas, of
// which one is always behind.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { buildPrograms } from '../bench/compare/programs.ts';
import { SeededRandom } from '../store-suite/seeded-random.ts';
import { startReplicated } from '../test/postgres-server.ts';
import { killedHistory, killInstances } from '../test/stores/postgres/failures/kill-rounds.ts';
import { countStale, readUsage, withInstances } from '../test/stores/postgres/replicas/replicated-instances.ts';
import { stopRounds } from '../test/stores/postgres/failures/stop-rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '120' },
    pages: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
  },
});
const [rounds, seconds, pages, seed] = [values.rounds, values.seconds, values.pages, values.seed].map(Number);
if (!isCount(rounds) || !isCount(seconds) || !isCount(pages) || !isCount(seed)) {
  const options = '[--rounds 20] [--seconds 120] [--pages 10000] [--seed 1]';
  process.stderr.write(`usage: npm run postgres-failures -- ${options}\n`);
  process.exit(2);
}

function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

const report = (what: string, facts: object): void => void process.stdout.write(`${what}: ${JSON.stringify(facts)}\n`);
const folder = mkdtempSync(path.join(os.tmpdir(), 'restwright-failures-'));
// Sources would need most of a second to start, after which an instance is killed.
const { restwright } = await buildPrograms(folder);
const program = { command: restwright, library: path.join(path.dirname(restwright), '../dist/index.js') };
const { primary, replicas } = await startReplicated([], [[], ['recovery_min_apply_delay=10ms']]);
const servers = (schema: string) => ({
  database: primary.url(schema),
  replicas: replicas.map(({ url }) => url(schema)),
  program,
});
try {
  const random = new SeededRandom(seed);
  report(`stopped ${rounds} times`, await stopRounds(primary, 'stops', { rounds, random, followers: replicas }));
  const kill = { folder, duration: seconds * 1_000, interval: 1_000 };
  report(`killed for ${seconds} s`, await killInstances({ ...kill, ...servers('kills') }));
  const { operations, overlapping, unknown } = await killedHistory({ ...kill, ...servers('histories') }, random);
  report(`histories while killed for ${seconds} s`, { operations, overlapping, unknown });
  const place = { schema: 'pages', server: primary, followers: replicas };
  await withInstances(place, 2, async (instances, sends) => {
    const stale = await countStale(sends, { writes: pages, clients: 8 });
    const used = instances.map(readUsage).map(({ onReplicas, onPrimary }) => ({ onReplicas, onPrimary }));
    report(`${pages} pages, each right after a write`, { stale, used });
    assert.equal(stale, 0);
  });
} finally {
  for (const each of [...replicas, primary]) await each.stop();
  rmSync(folder, { recursive: true, force: true });
}
