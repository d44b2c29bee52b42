import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { buildGoConsumer, type ConsumedBroker, LANGUAGES, RunningConsumer } from './consumer-process.ts';
import { type RelayingShop, startShop } from './shop.ts';

/** The consumers of a test, and the shop whose events they handle. */
export interface ConsumerTest {
  readonly broker: ConsumedBroker;
  /** Flow style YAML. */
  readonly relays: string;
  /** The variables of each group of consumers, by the end of its name. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Waits until the broker stores events for all consumers. Without it, they start after the first event. */
  readonly untilBound?: (names: readonly string[]) => Promise<void>;
  /** Milliseconds without events before the last ones: a client ends where its timeout is too short. */
  readonly idle?: number;
}

/** The result of a test. */
export interface ConsumedLog {
  /** The lines of all events, in order of `sequence`. */
  readonly expected: readonly string[];
  readonly consumers: readonly RunningConsumer[];
}

/**
 * Writes 240 events while consumers in each language run. All are frozen with messages that they have not acknowledged,
 * killed, and started again. Each has to handle all events.
 */
export async function runConsumers(context: TestContext, test: ConsumerTest): Promise<ConsumedLog> {
  buildGoConsumer(test.broker);
  const shop = await startShop(context, test.relays);
  if (test.untilBound === undefined) {
    await shop.write(1);
    await shop.untilRelayed();
  }
  const consumers = startConsumers(context, test);
  await test.untilBound?.(consumers.map(({ name }) => name));
  await writeThroughCrash(shop, consumers);
  if (test.idle !== undefined) {
    await setTimeout(test.idle);
    await shop.write(1);
  }
  const expected = await shop.expectedLines();
  for (const consumer of consumers) {
    await consumer.untilPrinted(expected.length);
    await consumer.untilWritten();
    // Only the lines that were repeated after the crash are left out.
    assert.deepEqual([...new Set(consumer.printed)], consumer.handled, `${consumer.name}: printed and stored`);
  }
  return { expected, consumers };
}

function startConsumers(context: TestContext, { broker, groups }: ConsumerTest): readonly RunningConsumer[] {
  context.after(() => Promise.all(consumers.map((consumer) => consumer.kill())));
  const folder = temporaryDirectory(context);
  const consumers = Object.entries(groups).flatMap(([group, env]) =>
    LANGUAGES.map((language) => new RunningConsumer({ broker, language, name: `${language}${group}`, folder, env })),
  );
  return consumers;
}

async function writeThroughCrash(shop: RelayingShop, consumers: readonly RunningConsumer[]): Promise<void> {
  await shop.write(80);
  for (const consumer of consumers) await consumer.untilPrinted(40);
  for (const consumer of consumers) consumer.freeze();
  await shop.write(80);
  await shop.untilRelayed();
  for (const consumer of consumers) await consumer.kill();
  await shop.write(40);
  for (const consumer of consumers) consumer.restart();
  await shop.write(40);
}

/** Claims that each consumer has handled each event once, in order of `sequence`. */
export function assertOrdered({ expected, consumers }: ConsumedLog): void {
  for (const { handled, name } of consumers) assert.deepEqual(handled, expected, name);
}
