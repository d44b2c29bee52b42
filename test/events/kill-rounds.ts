import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import type { SeededRandom } from '../../store-suite/seeded-random.ts';
import { openSample } from '../stores/sqlite/open-sample.ts';

const PROGRAM = path.join(import.meta.dirname, 'writer-and-dispatcher.ts');

/** A process that writes and delivers. */
interface Writer {
  readonly pid: number;
  /** Kills it, if it still runs. */
  kill(): Promise<void>;
}

const filesIn = (folder: string): readonly [file: string, journal: string] => [
  path.join(folder, 'sample.db'),
  path.join(folder, 'journal'),
];

function start(folder: string, task: 'write' | 'deliver'): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...filesIn(folder), task], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Starts a process that writes to the database of a folder and delivers. Resolves when it has written. */
export async function startWriter(folder: string): Promise<Writer> {
  const child = start(folder, 'write');
  const exited = once(child, 'exit');
  assert.ok(child.stdout !== null);
  await Promise.race([once(child.stdout, 'data'), exited]);
  return {
    pid: child.pid ?? 0,
    async kill() {
      child.kill('SIGKILL');
      const [code] = await exited;
      assert.equal(code, null);
    },
  };
}

/** Delivers what was not delivered. */
export async function deliverTheRest(folder: string): Promise<void> {
  const [code] = await once(start(folder, 'deliver'), 'exit');
  assert.equal(code, 0);
}

/** The lines that the processes of a folder have written. */
export function readJournal(folder: string): readonly string[] {
  const [, journal] = filesIn(folder);
  return existsSync(journal) ? readFileSync(journal, 'utf8').trimEnd().split('\n') : [];
}

/** When rounds end. */
interface RoundLimits {
  readonly rounds: number;
  /** Milliseconds after which no round begins. Default: no limit. */
  readonly duration?: number;
  /** Called after each round, with their number so far. */
  readonly onRound?: (count: number) => void;
}

/**
 * Kills a process that writes and delivers, several times; then delivers the rest, and judges the journal.
 *
 * @returns the number of rounds and events
 */
export async function killRounds(
  folder: string,
  { rounds, duration = Number.POSITIVE_INFINITY, onRound }: RoundLimits,
  random: SeededRandom,
): Promise<{ readonly rounds: number; readonly events: number }> {
  const end = performance.now() + duration;
  let count = 0;
  while (count < rounds && performance.now() < end) {
    const writer = await startWriter(folder);
    await setTimeout(20 + random.integer(300));
    await writer.kill();
    count += 1;
    onRound?.(count);
  }
  await deliverTheRest(folder);
  return { rounds: count, events: await judgeJournal(folder) };
}

/**
 * Compares rows, events and deliveries. Each acknowledged write exists with exactly one event. Each event of the log,
 * and no other, was delivered to each subscription.
 *
 * @returns the number of events
 */
export async function judgeJournal(folder: string): Promise<number> {
  const lines = readJournal(folder);
  const acknowledged = lines.filter((line) => line.startsWith('a ')).map((line) => line.slice(2));
  const delivered = new Map(['plain', 'ordered'].map((name) => [name, deliveredTo(lines, name)]));
  const store = await openSample({ path: filesIn(folder)[0] });
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
  const prefix = `d ${name} `;
  return new Set(lines.filter((line) => line.startsWith(prefix)).map((line) => line.split(' ')[2] ?? ''));
}
