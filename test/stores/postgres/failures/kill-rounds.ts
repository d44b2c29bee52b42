import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { openInstance } from '../instance.ts';
import { Fleet, type FleetServers } from './fleet.ts';
import { brokenRows, type History, recordHistory } from './histories.ts';
import { judge, Load } from './load.ts';

/** Milliseconds in which another process takes over the deliveries of one that was killed, and delivers them. */
const TAKEOVER = 60_000;
const INSTANCES = 3;

interface KillOptions extends FleetServers {
  readonly folder: string;
  /** Milliseconds. */
  readonly duration: number;
  /** Milliseconds between two kills. */
  readonly interval: number;
}

/** The counts of rounds in which instances were killed. */
interface KillResult {
  readonly killed: number;
  readonly writes: number;
  readonly events: number;
}

/**
 * Kills one of three instances again and again while clients read and write, and compares rows, events and deliveries.
 */
export async function killInstances(options: KillOptions): Promise<KillResult> {
  const { folder, database, duration, interval } = options;
  const fleet = await Fleet.start(folder, options, INSTANCES);
  const load = new Load(fleet.send, { writers: 4, readers: 4 });
  try {
    await fleet.killUntil(performance.now() + duration, interval);
    await load.stop();
    const judgeInstance = await openInstance(database, readNotes());
    const events = await judge(load, fleet.send, judgeInstance.store);
    const logged = await judgeInstance.store.events.after(0, Number.MAX_SAFE_INTEGER);
    await delivers(
      fleet,
      logged.map(({ metadata }) => Number(metadata.sequence)),
    );
    await judgeInstance.close();
    await fleet.stop();
    return { killed: fleet.killed, writes: load.acknowledged.flat().length, events };
  } finally {
    await load.stop();
    await fleet.kill();
  }
}

/** Kills one of three instances again and again while clients change a few rows, and judges the histories of these. */
export async function killedHistory(options: KillOptions, random: SeededRandom): Promise<History> {
  const { folder, duration, interval } = options;
  const fleet = await Fleet.start(folder, options, INSTANCES);
  const end = performance.now() + duration;
  try {
    const [history] = await Promise.all([
      recordHistory(fleet.send, { clients: 8, rows: 3, isOver: () => performance.now() >= end, random }),
      fleet.killUntil(end, interval),
    ]);
    assert.deepEqual(brokenRows(history), []);
    return history;
  } finally {
    await fleet.kill();
  }
}

/** Waits until each event was delivered. */
async function delivers(fleet: Fleet, sequences: readonly number[]): Promise<void> {
  const end = performance.now() + TAKEOVER;
  for (;;) {
    const lines = readFileSync(fleet.delivered, 'utf8').split('\n');
    const delivered = new Set(lines.map((line) => Number(line.split(' ')[1])));
    const missing = sequences.filter((sequence) => !delivered.has(sequence));
    if (missing.length === 0) return;
    assert.ok(performance.now() < end, `${missing.length} of ${sequences.length} events are not delivered`);
    await setTimeout(100);
  }
}

/** The model of the fleet, without its hooks: this process delivers nothing. */
function readNotes(): string {
  return `
name: notes
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;
}
