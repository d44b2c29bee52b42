import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { type Api, createApi } from '../../../src/api.ts';
import { type Dispatch, startDispatch } from '../../../src/events/dispatch.ts';
import { webhookSender } from '../../../src/events/webhooks/sender.ts';
import { RequestLoop } from '../../../src/events/webhooks/webhook-requests.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import { createIds } from '../../../src/platform/ids.ts';
import { createRandom, type Random } from '../../../src/platform/random.ts';
import type { Store } from '../../../src/stores/store.ts';
import { rawRequest, seen, type Seen } from '../../pipeline/support/api-under-test.ts';
import { callerTokens } from '../../pipeline/support/caller-tokens.ts';
import { openStoreUnderTest } from '../../pipeline/support/store-under-test.ts';

/** An API whose events are delivered to webhooks on this machine, at times that the test chooses. */
export interface WebhookScene extends AsyncDisposable {
  readonly api: Api;
  readonly store: Store;
  readonly observations: readonly Observation[];
  readonly clock: { now(): number; advance(milliseconds: number): void };
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Seen>;
  /** Creates a webhook. @returns its representation with its secret */
  webhook(body: object, headers?: Readonly<Record<string, string>>): Promise<Seen['body']>;
  /** Waits until so many deliveries to a webhook wait for their next attempt, which has a delay in milliseconds. */
  waiting(id: string, count: number, delay: number): Promise<void>;
  /** The deliveries of a webhook, the oldest first. */
  deliveries(id: string): Promise<readonly Seen['body'][]>;
}

export const START = Date.parse('2026-05-01T12:00:00Z');

/**
 * Opens an API.
 *
 * @param text the model in YAML
 * @param wrap makes the store that the API and its deliveries use from the opened one
 * @param jitter the source of the jitter of retries
 */
export async function webhookScene(
  text: string,
  wrap: (store: Store) => Store = (same) => same,
  database: string | null = null,
  jitter: Random = createRandom(),
): Promise<WebhookScene> {
  const { model } = loadModel({ text });
  assert.ok(model.webhooks !== null);
  let time = START;
  const clock = { now: () => time, advance: (milliseconds: number) => void (time += milliseconds) };
  const random = createRandom();
  const observations: Observation[] = [];
  const observe = (observation: Observation): void => void observations.push(observation);
  const opened = await openStoreUnderTest({ database, model, observe, clock, random });
  const store = wrap(opened);
  const sender = webhookSender(model.webhooks, { loopback: true });
  let wake = (): void => undefined;
  const api = await createApi({
    model,
    store,
    clock,
    random,
    ids: createIds({ clock, random }),
    observe,
    ...(model.auth === null ? {} : { tokens: callerTokens() }),
    onCommit: () => wake(),
    webhookSender: sender,
    origin: () => 'https://api.example.com',
  });
  assert.ok(api.webhooks !== null);
  const { subscriber, requests } = api.webhooks;
  const dispatch: Dispatch = startDispatch({ store, subscribers: [subscriber], clock, random: jitter, observe });
  const loop = new RequestLoop(requests, clock);
  wake = () => {
    dispatch.wake();
    loop.wake();
  };
  const send: WebhookScene['send'] = async (method, path, body, headers = {}) =>
    seen(
      await api.handle(
        rawRequest({ send: `${method} ${path.startsWith('/') ? path : `/api/v1/${path}`}`, headers, body }),
      ),
    );
  return {
    api,
    store,
    observations,
    clock: {
      now: clock.now,
      advance(milliseconds) {
        clock.advance(milliseconds);
        wake();
      },
    },
    send,
    async webhook(body, headers) {
      const made = await send('POST', 'webhooks', { event_types: ['*'], ...body }, headers);
      assert.equal(made.status, 201, made.text);
      return made.body;
    },
    waiting: (id, count, delay) =>
      until(async () => {
        const query = { endpoint: `webhook:${id}`, states: ['waiting'], limit: count + 1 } as const;
        const found = await store.deliveries.list(query);
        const isDelayed = (due: number): boolean => due >= time + delay && due <= time + 1.1 * delay;
        return found.length === count && found.every(({ due }) => isDelayed(due));
      }),
    async deliveries(id) {
      const page = await send('GET', `webhooks/${id}/deliveries?sort=id&limit=100`);
      assert.equal(page.status, 200, page.text);
      return page.body.data;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([dispatch.stop(1_000), loop.stop(1_000)]);
      sender.close();
      await opened.close();
    },
  };
}

/** Waits until a condition holds. */
export async function until(holds: () => boolean | Promise<boolean>, timeout = 5_000): Promise<void> {
  const end = performance.now() + timeout;
  while (!(await holds())) {
    if (performance.now() > end) assert.fail(`the condition did not hold within ${timeout} ms`);
    await setTimeout(2);
  }
}
