// `npm run postgres-failures -- [--rounds 20] [--seconds 120] [--seed 1]`: stops PostgreSQL under load, and kills one
// of three instances every second. They read from two replicas, of which one is always behind.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../store-suite/seeded-random.ts';
import { startReplicated } from '../test/postgres-server.ts';
import { killedHistory, killInstances } from '../test/stores/postgres/failures/kill-rounds.ts';
import { stopRounds } from '../test/stores/postgres/failures/stop-rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
  },
});
const [rounds, seconds, seed] = [Number(values.rounds), Number(values.seconds), Number(values.seed)];
if (![rounds, seconds, seed].every((each) => Number.isSafeInteger(each) && each > 0)) {
  process.stderr.write('usage: npm run postgres-failures -- [--rounds 20] [--seconds 120] [--seed 1]\n');
  process.exit(2);
}

const report = (what: string, facts: object): void => void process.stdout.write(`${what}: ${JSON.stringify(facts)}\n`);
const folder = mkdtempSync(path.join(os.tmpdir(), 'restwright-failures-'));
const { primary, replicas } = await startReplicated([], [[], ['recovery_min_apply_delay=10ms']]);
const servers = (schema: string) => ({
  database: primary.url(schema),
  replicas: replicas.map(({ url }) => url(schema)),
});
try {
  const random = new SeededRandom(seed);
  report(`stopped ${rounds} times`, await stopRounds(primary, 'stops', { rounds, random, followers: replicas }));
  const kill = { folder, duration: seconds * 1_000, interval: 1_000 };
  report(`killed for ${seconds} s`, await killInstances({ ...kill, ...servers('kills') }));
  const { operations, overlapping, unknown } = await killedHistory({ ...kill, ...servers('histories') }, random);
  report(`histories while killed for ${seconds} s`, { operations, overlapping, unknown });
} finally {
  for (const each of [...replicas, primary]) await each.stop();
  rmSync(folder, { recursive: true, force: true });
}
