// `npm run kill-rounds -- [--rounds 1000] [--seed 1]`: kills a process that writes and delivers, and finds out whether
// an event was lost.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../store-suite/seeded-random.ts';
import { killRounds } from '../test/events/kill-rounds.ts';
import { endProgress, progressBar } from './progress-bar.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed);
if (!Number.isSafeInteger(rounds) || rounds < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write('usage: npm run kill-rounds -- [--rounds 1000] [--seed 1]\n');
  process.exit(2);
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'restwright-kills-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const start = performance.now();
const bar = progressBar();
const onRound = (count: number): void => {
  const left = Math.ceil(((performance.now() - start) / count / 1_000) * (rounds - count));
  bar(count / rounds, `${count} of ${rounds} rounds, ${left} s left`);
};
const { events } = await killRounds(folder, { rounds, onRound }, new SeededRandom(seed));
endProgress();
process.stdout.write(`${rounds} rounds, ${events} events, each delivered; none lost, none without its change\n`);
