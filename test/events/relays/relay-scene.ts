import assert from 'node:assert/strict';
import { type Api, createApi } from '../../../src/api.ts';
import { type Dispatch, startDispatch } from '../../../src/events/dispatch.ts';
import type { Broker, PublishResult, RelayMessage } from '../../../src/events/relays/broker.ts';
import { openRelays } from '../../../src/events/relays/compose-relays.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import { createIds } from '../../../src/platform/ids.ts';
import { createRandom } from '../../../src/platform/random.ts';
import type { Store } from '../../../src/stores/store.ts';
import { rawRequest, seen, type Seen } from '../../pipeline/support/api-under-test.ts';
import { openStoreUnderTest } from '../../pipeline/support/store-under-test.ts';

/** The relay of a scene, as a model declares it. */
const RELAY = { name: 'shop', nats: 'nats://127.0.0.1:4222', subject: 'shop.{type}' };

/** A broker in memory, which stores what it acknowledges. */
export class BrokerInMemory implements Broker {
  readonly address = '127.0.0.1:4222';
  readonly stored: RelayMessage[] = [];
  /** The number of messages of each call. */
  readonly calls: number[] = [];
  /** Messages that it takes before it fails; null for any number. */
  room: number | null = null;
  /** Called before each call is answered. */
  before: () => Promise<void> = () => Promise.resolve();
  isClosed = false;

  async publish(messages: readonly RelayMessage[]): Promise<PublishResult> {
    this.calls.push(messages.length);
    const taken = messages.slice(0, this.room ?? messages.length);
    if (this.room !== null) this.room -= taken.length;
    this.stored.push(...taken);
    await this.before();
    return { acknowledged: taken.length, problem: taken.length < messages.length ? 'the disk is full' : null };
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  get sequences(): readonly number[] {
    return this.stored.map(({ sequence }) => sequence);
  }
}

/** An API whose events are relayed to a broker in memory. */
export interface RelayScene extends AsyncDisposable {
  readonly api: Api;
  readonly store: Store;
  readonly observations: readonly Observation[];
  readonly clock: { now(): number; advance(milliseconds: number): void };
  send(method: string, path: string, body?: unknown): Promise<Seen>;
  /** Starts a process that relays to the broker. */
  start(broker: Broker): Promise<Dispatch>;
  /** The stored position of the relay. */
  readonly position: () => Promise<number | null>;
}

/** Opens an API. @param text the model in YAML @param relay members of its relay */
export async function relayScene(text: string, relay: object = {}): Promise<RelayScene> {
  const { model } = loadModel({ text: `${text}\nevents: ${JSON.stringify({ relays: [{ ...RELAY, ...relay }] })}` });
  let time = Date.parse('2026-05-01T12:00:00Z');
  const clock = { now: () => time, advance: (milliseconds: number) => void (time += milliseconds) };
  const random = createRandom();
  const observations: Observation[] = [];
  const observe = (observation: Observation): void => void observations.push(observation);
  const store = await openStoreUnderTest({ database: null, model, observe, clock, random });
  const dispatches: Dispatch[] = [];
  const onCommit = (): void => dispatches.forEach((dispatch) => dispatch.wake());
  const ids = createIds({ clock, random });
  const origin = (): string => 'https://api.example.com';
  const api = await createApi({ model, store, clock, random, ids, observe, onCommit, origin });
  return {
    api,
    store,
    observations,
    clock,
    send: async (method, path, body) =>
      seen(await api.handle(rawRequest({ send: `${method} /api/v1/${path}`, headers: {}, body }))),
    async start(broker) {
      const relays = await openRelays(api.relays, () => Promise.resolve(broker), clock);
      const dispatch = startDispatch({ store, subscribers: [], relays, clock, random, observe });
      dispatches.push(dispatch);
      return dispatch;
    },
    position: async () => (await store.deliveries.reader('relay:shop'))?.sequence ?? null,
    async [Symbol.asyncDispose]() {
      await Promise.all(dispatches.map((dispatch) => dispatch.stop(1_000)));
      await store.close();
    },
  };
}

/** Creates rows, one after another. */
export async function createNotes({ send }: Pick<RelayScene, 'send'>, count: number, text = 'note'): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const made = await send('POST', 'notes', { text: `${text} ${index}` });
    assert.equal(made.status, 201, made.text);
  }
}
