import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RelayRows, type RelayState } from '../../../src/events/relays/relay-rows.ts';
import { VisibleRows } from '../../../src/operations/visible-rows.ts';
import type { Row } from '../../../src/plan/plan.ts';
import { load } from '../../model/loading.ts';
import { openStoreUnderTest } from '../../pipeline/support/store-under-test.ts';
import { createRandom } from '../../../src/platform/random.ts';

const MODEL = `
name: shop
events: { relays: [{ name: shop, nats: 'nats://127.0.0.1:4222' }] }
resources: { items: { schema: { type: object } } }
`;
const START = Date.parse('2026-01-02T03:04:05.678Z');

const STATE: RelayState = {
  name: 'shop',
  broker: 'nats',
  address: '127.0.0.1:4222',
  destination: 'shop.{type}',
  format: 'native',
  version: '1.0.0',
  types: ['*'],
  position: 0,
  lag: 3,
  state: 'running',
  lastError: null,
  sentAt: null,
};

interface Scene extends AsyncDisposable {
  readonly relays: RelayRows;
  readonly find: (name: string) => Promise<Row | null>;
}

async function openScene(): Promise<Scene> {
  const { model } = load(MODEL);
  const clock = { now: () => START };
  const store = await openStoreUnderTest({
    database: null,
    model,
    observe: () => undefined,
    clock,
    random: createRandom(),
  });
  const rows = VisibleRows.unrestricted(store);
  return {
    relays: new RelayRows({ model, resource: 'relays', store, clock }),
    find: async (id) => rows.item({ resource: 'relays', id, within: [] }),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

describe('the rows of relays', () => {
  it('[EVT-9e] have the state of each relay, with its position as events have their sequence', async () => {
    await using scene = await openScene();
    await scene.relays.write(STATE);
    const error = { lastError: { text: 'connection refused', at: START }, sentAt: START - 1_000 };
    await scene.relays.write({ ...STATE, ...error, position: 42, lag: 0, state: 'failing' });
    const row = await scene.find('shop');
    assert.deepEqual(
      { ...row },
      {
        id: 'shop',
        broker: 'nats',
        address: '127.0.0.1:4222',
        destination: 'shop.{type}',
        format: 'native',
        version: '1.0.0',
        types: ['*'],
        position: '00000000000000000042',
        lag: 0,
        state: 'failing',
        last_error: 'connection refused',
        last_error_at: '2026-01-02T03:04:05.678Z',
        sent_at: '2026-01-02T03:04:04.678Z',
        created_at: '2026-01-02T03:04:05.678Z',
        updated_at: '2026-01-02T03:04:05.678Z',
        revision: row?.revision,
      },
    );
  });

  it('[EVT-9e] are written only when something has changed', async () => {
    await using scene = await openScene();
    const revisions: unknown[] = [];
    for (const lag of [3, 3, 4, 4]) {
      await scene.relays.write({ ...STATE, lag });
      revisions.push((await scene.find('shop'))?.revision);
    }
    const [first, second, third, fourth] = revisions;
    assert.deepEqual([first, third], [second, fourth]);
    assert.notEqual(second, third);
  });

  it('[EVT-9e] show the last error and the last acknowledgement of an earlier process', async () => {
    await using scene = await openScene();
    await scene.relays.write({ ...STATE, lastError: { text: 'refused', at: START }, sentAt: START });
    await scene.relays.write({ ...STATE, state: 'running' });
    const row = await scene.find('shop');
    assert.deepEqual(
      [row?.['state'], row?.['last_error'], row?.['sent_at']],
      ['running', 'refused', '2026-01-02T03:04:05.678Z'],
    );
  });

  it('[EVT-9e] are deleted with the relays that the model no longer has, however many', async () => {
    await using scene = await openScene();
    for (let index = 0; index < 101; index += 1) await scene.relays.write({ ...STATE, name: `old-${index}` });
    await scene.relays.write(STATE);
    await scene.relays.removeOthers(['shop']);
    assert.equal(await scene.find('old-0'), null);
    assert.equal(await scene.find('old-99'), null);
    assert.notEqual(await scene.find('shop'), null);
  });
});
