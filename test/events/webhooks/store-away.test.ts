import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { startRetention } from '../../../src/events/retention/retention.ts';
import { logSink } from '../../../src/observe/log.ts';
import { createRandom } from '../../../src/platform/random.ts';
import { type Store, StoreUnavailable } from '../../../src/stores/store.ts';
import { startReceiver, status } from './receiver.ts';
import { until, webhookScene } from './scene.ts';

const MODEL = `
name: shop
webhooks: { retry: [0s, 5s, 5s] }
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

/** A store on a server that can be away: every call then rejects. */
function leaving(): { isAway: boolean; calls: number; readonly wrap: (store: Store) => Store } {
  const server = { isAway: false, calls: 0, wrap: (store: Store): Store => ({ ...store, ...wrapParts(store) }) };
  const wrapParts = ({ rows, writes, stamps, events, deliveries, bookmarks }: Store): Partial<Store> => ({
    rows: guard(rows),
    writes: guard(writes),
    stamps: guard(stamps),
    events: guard(events),
    deliveries: guard(deliveries),
    bookmarks: guard(bookmarks),
  });
  return server;

  function guard<T extends object>(part: T): T {
    return new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...given: readonly unknown[]): unknown => {
          if (!server.isAway) return Reflect.apply(value, target, given);
          server.calls += 1;
          return Promise.reject(new StoreUnavailable('The database cannot be reached', { reason: 'away' }));
        };
      },
    });
  }
}

describe('while the server of the database is away', () => {
  it('[OPS-2d] the loops that poll it log one line, and one when it returns', async () => {
    const server = leaving();
    await using receiver = await startReceiver(status(500));
    await using scene = await webhookScene(MODEL, server.wrap);
    const { id } = await scene.webhook({ url: receiver.url });
    await scene.send('PUT', 'notes/a', { text: 'x' });
    await scene.waiting(id, 1, 5_000);
    const { clock } = scene;
    const lines: string[] = [];
    const observe = logSink({
      write: (line) => void lines.push(JSON.parse(line).event),
      clock,
      format: 'json',
      colours: false,
    });
    const store = server.wrap(scene.store);
    const { events } = scene.api.model;
    const before = scene.observations.length;
    server.isAway = true;
    const kept: (typeof scene.observations)[number][] = [];
    const retention = startRetention({
      store,
      settings: events,
      subscribers: [],
      clock,
      random: createRandom(),
      observe: (seen) => void kept.push(seen),
    });
    // Every loop runs many times, and the retry becomes due.
    for (let run = 0; run < 12; run += 1) {
      clock.advance(3_000);
      await setTimeout(60);
    }
    assert.ok(server.calls > 20, `${server.calls} calls`);
    server.isAway = false;
    clock.advance(3_000);
    await until(() => scene.observations.some(({ kind }) => kind === 'store-available'));
    receiver.respond = status(204);
    clock.advance(6_000);
    await until(async () => (await scene.deliveries(id))[0].status === 'succeeded');
    await retention.stop();
    for (const seen of [...kept, ...scene.observations.slice(before)]) observe(seen);
    const failures = lines.filter((event) => !['request', 'delivery', 'commit'].includes(event));
    assert.deepEqual(failures, ['store_unavailable', 'store_available']);
  });
});
