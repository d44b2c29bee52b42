import assert from 'node:assert/strict';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import type { Broker, RelayMessage } from '../../src/events/relays/broker.ts';
import { freeze, unfreeze } from '../frozen-process.ts';
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

/** Milliseconds in which a call settles, and longer ones for which a server is frozen. */
export const FREEZE =
  process.env['RESTWRIGHT_WHOLE_SUITE'] === undefined
    ? { timeout: 500, duration: 2_000 }
    : // The timeout of relays.
      { timeout: 5_000, duration: 30_000 };

/**
 * Sends all messages. After a third of them, the server does not run for some time. Each call settles in its time, and
 * no message counts as sent meanwhile.
 *
 * @param broker with the timeout of {@link FREEZE}
 * @param pid the process of the server
 * @returns the problems that the broker reported while the server was frozen: more than one
 */
export async function sendThroughFreeze(
  broker: Broker,
  messages: readonly RelayMessage[],
  pid: number,
): Promise<readonly string[]> {
  const problems: string[] = [];
  let frozenAt: number | null = null;
  let isFrozen = false;
  let begin = performance.now();
  try {
    await drain(broker, messages, {
      async onResult({ acknowledged, problem }, sent) {
        const now = performance.now();
        if (isFrozen) {
          assert.equal(acknowledged, 0);
          assert.ok(now - begin < FREEZE.timeout + 1_000, `settled after ${now - begin} ms`);
          problems.push(problem ?? 'none');
          isFrozen = now - (frozenAt ?? now) < FREEZE.duration;
          if (!isFrozen) unfreeze(pid);
        } else if (frozenAt === null && sent >= messages.length / 3) {
          await freeze(pid);
          isFrozen = true;
          frozenAt = performance.now();
        }
        begin = performance.now();
      },
    });
  } finally {
    unfreeze(pid);
  }
  assert.ok(problems.length > 1, problems.join());
  return problems;
}

/** The numbers of a range, with both ends. */
export function numbersBetween(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
