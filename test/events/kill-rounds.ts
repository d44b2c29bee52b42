import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import type { SeededRandom } from '../../src/testing/seeded-random.ts';
import { openSample } from '../stores/sqlite/open-sample.ts';

const PROGRAM = path.join(import.meta.dirname, 'writer-and-dispatcher.ts');

/** Runs the program, and kills it after a time. @param life milliseconds after it is ready; null: it ends by itself */
async function run(parameters: readonly string[], life: number | null): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exited]);
  if (life !== null) {
    await setTimeout(life);
    child.kill('SIGKILL');
  }
  const [code] = await exited;
  assert.equal(code, life === null ? 0 : null);
}

/**
 * Kills a process that writes and delivers, several times; then delivers the rest, and compares rows, events and deliveries: each acknowledged write
 * exists with exactly one event, and each event of the log, and no other, was delivered to each subscription.
 *
 * @returns the number of events
 */
export async function killRounds(folder: string, rounds: number, random: SeededRandom): Promise<number> {
  const [file, journal] = [path.join(folder, 'sample.db'), path.join(folder, 'journal')];
  for (let round = 0; round < rounds; round += 1) await run([file, journal, 'write'], 20 + random.integer(300));
  await run([file, journal, 'deliver'], null);
  const lines = existsSync(journal) ? readFileSync(journal, 'utf8').trimEnd().split('\n') : [];
  const acknowledged = lines.filter((line) => line.startsWith('a ')).map((line) => line.slice(2));
  const delivered = new Map(['plain', 'ordered'].map((name) => [name, deliveredTo(lines, name)]));
  const store = await openSample({ path: file });
  const events = await store.events.after(0, Number.MAX_SAFE_INTEGER);
  await store.close();
  const ids = events.map(({ payload }) => payload.resource.id);
  assert.equal(new Set(ids).size, ids.length, 'one event for each row');
  const logged = new Set(ids);
  assert.deepEqual(
    acknowledged.filter((id) => !logged.has(id)),
    [],
    'each acknowledged write has its event',
  );
  assert.deepEqual(
    events.map(({ metadata }) => Number(metadata.sequence)),
    ids.map((_, index) => index + 1),
  );
  for (const [name, got] of delivered) {
    assert.deepEqual(
      ids.filter((id) => !got.has(id)),
      [],
      `each event was delivered to ${name}`,
    );
    assert.deepEqual(
      [...got].filter((id) => !logged.has(id)),
      [],
      `only events were delivered to ${name}`,
    );
  }
  return ids.length;
}

function deliveredTo(lines: readonly string[], name: string): ReadonlySet<string> {
  const start = `d ${name} `;
  return new Set(lines.filter((line) => line.startsWith(start)).map((line) => line.split(' ')[2] ?? ''));
}
