import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Broker, RelayMessage } from '../../src/events/relays/broker.ts';
import { drain } from './relay-driver.ts';

const KILLS = 20;

/** Milliseconds between two attempts while the server is away. */
const RETRY_DELAY = 20;

/**
 * Sends all messages while the server is killed under load again and again.
 *
 * @param restart kills the server without notice, and starts it again with its data
 * @returns the problems that the broker reported
 */
export async function sendThroughKills(
  broker: Broker,
  messages: readonly RelayMessage[],
  restart: () => Promise<void>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const restarts: Promise<void>[] = [];
  const between = Math.floor(messages.length / (KILLS + 1));
  let isAway = false;
  const kill = async (): Promise<void> => {
    isAway = true;
    // At another moment of the next call each time.
    await setTimeout(restarts.length % 9);
    await restart();
    isAway = false;
  };
  await drain(broker, messages, {
    async onResult({ problem }, sent) {
      if (problem !== null) {
        problems.push(problem);
        await setTimeout(RETRY_DELAY);
      } else if (!isAway && restarts.length < KILLS && sent > between * (restarts.length + 1)) {
        restarts.push(kill());
      }
    },
  });
  await Promise.all(restarts);
  assert.equal(restarts.length, KILLS);
  return problems;
}

/** Sends while a process does not run. @returns the milliseconds in which the call settled, and its result */
export async function publishFrozen(
  broker: Broker,
  messages: readonly RelayMessage[],
  pid: number,
): Promise<{ readonly elapsed: number; readonly acknowledged: number; readonly problem: string | null }> {
  process.kill(pid, 'SIGSTOP');
  try {
    const begin = performance.now();
    const result = await broker.publish(messages);
    return { elapsed: performance.now() - begin, ...result };
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

/** The numbers of a range, with both ends. */
export function numbersBetween(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
