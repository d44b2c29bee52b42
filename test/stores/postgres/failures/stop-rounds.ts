import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import type { ControlledPostgres } from '../../../postgres-server.ts';
import { NOTES, openInstance } from '../instance.ts';
import { judge, Load } from './load.ts';
import { roundRobin, toInstance } from './send.ts';

/** Milliseconds from the return of the server until reads and writes are served. */
const RECOVERY = 2_000;

interface StopRounds {
  /** Servers that follow it. Default: none. */
  readonly followers?: readonly ControlledPostgres[];
  readonly rounds: number;
  readonly random: SeededRandom;
  readonly onRound?: (count: number) => void;
}

/** The measurements of the rounds. */
interface StopResult {
  readonly writes: number;
  readonly events: number;
  readonly unknown: number;
  /** Milliseconds. */
  readonly slowestRecovery: number;
}

/**
 * Stops a server (`pg_ctl stop -m immediate`) while clients read and write through two instances, and starts it again,
 * several times.
 */
export async function stopRounds(
  server: ControlledPostgres,
  schema: string,
  { rounds, random, onRound, followers = [] }: StopRounds,
): Promise<StopResult> {
  const replicas = followers.map(({ url }) => url(schema));
  const open = () => openInstance(server.url(schema), NOTES, replicas);
  const instances = [await open(), await open()];
  const send = roundRobin(instances.map(toInstance));
  const load = new Load(send, { writers: 8, readers: 8 });
  let slowestRecovery = 0;
  try {
    for (let round = 1; round <= rounds; round += 1) {
      await setTimeout(50 + random.integer(200));
      await server.crash();
      await setTimeout(random.integer(100));
      await server.restart();
      const recovery = await load.served();
      assert.ok(recovery < RECOVERY, `${recovery} ms`);
      slowestRecovery = Math.max(slowestRecovery, recovery);
      onRound?.(round);
    }
  } finally {
    await load.stop();
  }
  const [{ store }] = [instances[0] ?? assert.fail()];
  const events = await judge(load, send, store);
  await Promise.all(instances.map((each) => each.close()));
  return { writes: load.acknowledged.flat().length, events, unknown: load.unknown.size, slowestRecovery };
}
