import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SeededRandom } from '../../../store-suite/seeded-random.ts';
import { startReceiver } from '../../events/webhooks/receiver.ts';
import { until, type WebhookScene, webhookScene } from '../../events/webhooks/scene.ts';
import {
  asCaller,
  collectChanges,
  listExpected,
  listReceived,
  makeChanges,
  randomPolicies,
  READERS,
} from '../support/policy-changes.ts';
import { runs } from '../../extent.ts';

const LAST = 'mark.created';

/**
 * Compares what webhooks of readers get of random changes with the oracle.
 *
 * @param references of the paths of the policies
 */
async function judge(seed: number, references: number): Promise<void> {
  const random = new SeededRandom(seed);
  const { trees, isFull, model } = randomPolicies(random, references);
  await using scene = await webhookScene(`webhooks: {}${model}`);
  await using receivers = new AsyncDisposableStack();
  const webhooks = [];
  for (const reader of READERS) {
    const receiver = receivers.use(await startReceiver());
    await scene.webhook({ url: receiver.url }, asCaller(reader));
    webhooks.push({ reader, receiver });
  }
  const units = await makeChanges((...request) => scene.send(...request), random, 24);
  const changes = collectChanges(units, await allEvents(scene));
  for (const { reader, receiver } of webhooks) {
    const wanted = listExpected(changes, reader, trees);
    const events = () => receiver.requests.map(({ event }) => event).filter(({ type }) => type !== LAST);
    await until(() => events().length >= wanted.length && receiver.types().includes(LAST));
    const got = listReceived(
      events().toSorted((one, other) => Number(one.metadata.sequence) - Number(other.metadata.sequence)),
      isFull,
    );
    const expected = isFull ? wanted : wanted.map((each) => each.replace('left', 'row'));
    assert.deepEqual(got, expected, `seed ${seed}, ${reader.subject}, ${JSON.stringify(trees)}`);
  }
}

/** All events but the last. */
async function allEvents({ store }: WebhookScene) {
  const events = await store.events.after(0, 1_000);
  assert.equal(events.at(-1)?.type, LAST);
  return events.slice(0, -1);
}

describe('deliveries of random changes under random row policies', () => {
  it('[EVT-4f] [EVT-8d] are of the events of rows that were visible to the creator of the webhook before or after, and no other', async () => {
    for (let seed = 1; seed <= 2; seed += 1) await judge(seed, 0);
  });

  it('[EVT-4f] [EVT-8d] are so through references, and with the rules of rows above, by what held at the write', async () => {
    for (let seed = 101; seed <= 100 + runs(2, 8); seed += 1) await judge(seed, 2);
  });
});
