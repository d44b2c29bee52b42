import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifyWebhook } from '../../../src/client/verify-webhook.ts';
import type { Store } from '../../../src/stores/store.ts';
import { type ReceivedRequest, startReceiver, status } from './receiver.ts';
import { until, type WebhookScene, webhookScene } from './scene.ts';
import { replaced } from './watched-lists.ts';

const HOUR = 3_600_000;
const MODEL = `
name: shop
webhooks: { retry: [0s, 5s, 5m, 30m] }
resources:
  products:
    events: full
    schema: { type: object, required: [name], properties: { name: { type: string }, price: { type: integer } } }
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

const create = (scene: WebhookScene, name: string, price = 1): Promise<unknown> =>
  scene.send('POST', 'products', { name, price });
const namesOf = (requests: readonly ReceivedRequest[]): readonly unknown[] =>
  requests.map(({ event }) => event.payload.data?.['name']);

describe('deliveries to webhooks', () => {
  it('[EVT-3a] [EVT-5a] are signed POSTs of the envelopes', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { secret } = await scene.webhook({ url: receiver.url });
    await create(scene, 'a');
    await until(() => receiver.requests.length === 1);
    const [request] = receiver.requests;
    assert.ok(request !== undefined);
    const [logged] = await scene.store.events.after(0, 1);
    assert.equal(request.body, JSON.stringify(logged));
    const { headers, body } = request;
    assert.equal(headers['webhook-id'], logged?.id);
    assert.equal(headers['webhook-timestamp'], String(scene.clock.now() / 1_000));
    assert.match(String(headers['content-type']), /^application\/json/);
    assert.match(String(headers['user-agent']), /^Restwright\//);
    assert.match(String(headers['traceparent']), new RegExp(`^00-${logged?.metadata.trace_id}-[0-9a-f]{16}-01$`));
    assert.deepEqual(await verifyWebhook({ headers, body }, { secret, now: () => scene.clock.now() }), logged);
  });

  it('[EVT-4a] are those of the patterns and the filter, since the webhook was created', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    await create(scene, 'before');
    await scene.webhook({ url: receiver.url, event_types: ['product.created'], filter: '{"price":{"gt":5}}' });
    await create(scene, 'cheap', 5);
    await create(scene, 'dear', 6);
    await scene.send('PUT', 'notes/a', { text: 'x' });
    await create(scene, 'dearer', 7);
    await until(() => receiver.requests.length === 2);
    assert.deepEqual(namesOf(receiver.requests), ['dear', 'dearer']);
  });

  it('[EVT-4a] are none of what is logged while a webhook is disabled, however soon it is enabled again', async () => {
    await using receiver = await startReceiver();
    let gate: Promise<void> | null = null;
    await using scene = await webhookScene(MODEL, (store) => {
      // The dispatcher reads the stamps of webhooks and replays together: it learns of changes when the gate opens.
      const resourceStamps: Store['stamps']['resourceStamps'] = async (resources) => {
        if (resources.length === 3) await gate;
        return store.stamps.resourceStamps(resources);
      };
      return replaced(store, 'stamps', replaced(store.stamps, 'resourceStamps', resourceStamps));
    });
    const { id } = await scene.webhook({ url: receiver.url, event_types: ['product.created'] });
    await create(scene, 'a');
    await until(() => receiver.requests.length === 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    for (const state of ['disabled', 'enabled']) {
      const { status: code } = await scene.send('PATCH', `webhooks/${id}`, { status: state }, MERGE);
      assert.equal(code, 200);
      if (state === 'disabled') await create(scene, 'b');
    }
    gate = null;
    resolve();
    await create(scene, 'c');
    await until(() => receiver.requests.length === 2);
    assert.deepEqual(namesOf(receiver.requests), ['a', 'c']);
  });

  it('[EVT-4c] are listed with their attempts', async () => {
    await using receiver = await startReceiver(status(500));
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url });
    await create(scene, 'a');
    await until(async () => (await scene.deliveries(id)).length === 1);
    const [first] = await scene.deliveries(id);
    assert.deepEqual(
      [first.status, first.type, first.event_id],
      ['retrying', 'product.created', receiver.requests[0]?.event.id],
    );
    const delay = Date.parse(first.next_attempt_at) - scene.clock.now();
    assert.ok(delay >= 5_000 && delay <= 5_500, String(delay));
    const { duration, ...attempt } = first.attempts[0];
    assert.deepEqual(attempt, {
      at: new Date(scene.clock.now()).toISOString(),
      status_code: 500,
      response: 'status 500',
      error: null,
    });
    assert.ok(duration >= 0);
    await scene.waiting(id, 1, 5_000);
    receiver.respond = status(204);
    scene.clock.advance(6_000);
    await until(async () => (await scene.deliveries(id))[0].status === 'succeeded');
    const [done] = await scene.deliveries(id);
    assert.deepEqual(
      done.attempts.map((each: { status_code: number }) => each.status_code),
      [500, 204],
    );
    assert.equal(done.next_attempt_at, null);
    assert.equal((await scene.deliveries(id)).length, 1);
  });

  it('[EVT-4c] are listed with the time at which their next attempt is made, to the millisecond', async () => {
    await using receiver = await startReceiver(status(500));
    const text = MODEL.replace('5s, 5m, 30m', '24h');
    const jitter = { hex: (bytes: number) => 'c0'.repeat(bytes) };
    await using scene = await webhookScene(text, undefined, null, jitter);
    const { id } = await scene.webhook({ url: receiver.url, event_types: ['product.*'] });
    await create(scene, 'a');
    await scene.waiting(id, 1, 24 * HOUR);
    const [{ next_attempt_at: next }] = await scene.deliveries(id);
    const due = scene.clock.now() + Math.round(24 * HOUR * (1 + (0.1 * 0xc0_c0_c0_c0) / 2 ** 32));
    assert.equal(next, new Date(due).toISOString());
    const [stored] = await scene.store.deliveries.list({ endpoint: `webhook:${id}`, states: ['waiting'], limit: 1 });
    assert.equal(stored?.due, due);
    receiver.respond = status(204);
    scene.clock.advance(due - 1 - scene.clock.now());
    await create(scene, 'b');
    await until(async () => (await scene.deliveries(id)).length === 2);
    assert.deepEqual(namesOf(receiver.requests), ['a', 'b']);
    scene.clock.advance(1);
    await until(async () => (await scene.deliveries(id))[0].status === 'succeeded');
    const [{ attempts }] = await scene.deliveries(id);
    assert.deepEqual([attempts.length, attempts[1].at], [2, next]);
  });

  it('[EVT-4c] list an attempt of a process that was killed before it was counted, with those that follow', async () => {
    await using receiver = await startReceiver(status(500));
    await using scene = await webhookScene(MODEL, (store) => {
      // State after such a process: its list is stored, its results are not.
      const due: Store['deliveries']['due'] = async (query) =>
        (await store.deliveries.due(query)).map((each) => ({ ...each, attempts: 0 }));
      return replaced(store, 'deliveries', replaced(store.deliveries, 'due', due));
    });
    const { id } = await scene.webhook({ url: receiver.url });
    await create(scene, 'a');
    await scene.waiting(id, 1, 5_000);
    receiver.respond = status(204);
    scene.clock.advance(6_000);
    await until(() => receiver.requests.length === 2);
    await until(async () => (await scene.deliveries(id)).some((each) => each.status === 'succeeded'));
    assert.deepEqual(
      (await scene.deliveries(id)).map((each) => [each.status, each.attempts.length]),
      [['succeeded', 2]],
    );
  });

  it('[EVT-6a] [EVT-4e] die after the schedule, are found by their status, and are all delivered by a replay', async () => {
    await using receiver = await startReceiver(status(503));
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url });
    for (const name of ['a', 'b', 'c']) await create(scene, name);
    for (const [index, delay] of [5_000, 300_000, 1_800_000].entries()) {
      const attempts = index + 1;
      await scene.waiting(id, 3, delay);
      const listed = await scene.deliveries(id);
      assert.ok(listed.length === 3 && listed.every((each) => each.attempts.length === attempts));
      scene.clock.advance(1.1 * delay);
    }
    await until(async () => (await scene.deliveries(id)).every((each) => each.status === 'dead'));
    assert.equal(receiver.requests.length, 12);
    const dead = await scene.send('GET', `webhooks/${id}/deliveries?status=dead`);
    assert.equal(dead.body.data.length, 3);
    receiver.respond = status(200);
    const first = receiver.requests.slice(0, 3).map(({ body }) => body);
    const replay = await scene.send('POST', `webhooks/${id}/replays`, {
      from: '2026-05-01T00:00:00Z',
      to: '2026-05-02T00:00:00Z',
    });
    assert.equal(replay.status, 201, replay.text);
    await until(() => receiver.requests.length === 15);
    assert.deepEqual(new Set(receiver.requests.slice(12).map(({ body }) => body)), new Set(first));
    await until(async () => {
      const { body } = await scene.send('GET', `webhooks/${id}/replays/${replay.body.id}`);
      return body.status === 'finished';
    });
    const again = (await scene.deliveries(id)).filter((each) => each.replay_id === replay.body.id);
    assert.deepEqual(
      again.map((each) => each.status),
      ['succeeded', 'succeeded', 'succeeded'],
    );
  });

  it('[EVT-5b] wait for Retry-After', async () => {
    await using receiver = await startReceiver(status(429, { 'retry-after': '3600' }));
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url });
    await create(scene, 'a');
    await scene.waiting(id, 1, HOUR);
    const [{ next_attempt_at: next }] = await scene.deliveries(id);
    assert.equal(next, new Date(scene.clock.now() + HOUR).toISOString());
    receiver.respond = status(204);
    scene.clock.advance(10 * 60_000);
    await scene.send('PUT', 'notes/a', {});
    await until(() => receiver.requests.length === 2);
    assert.equal(receiver.requests[1]?.event.type, 'note.created');
    scene.clock.advance(HOUR);
    await until(() => receiver.requests.length === 3);
  });

  it('[EVT-5b] [EVT-6b] end with 410: the webhook is disabled, with an event', async () => {
    await using receiver = await startReceiver(status(410));
    await using other = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url, event_types: ['product.*'] });
    await scene.webhook({ url: other.url, event_types: ['webhook.disabled'] });
    await create(scene, 'a');
    await until(() => other.requests.length === 1);
    assert.equal(other.requests[0]?.event.payload.resource.id, id);
    const { body } = await scene.send('GET', `webhooks/${id}`);
    assert.deepEqual([body.status, body.disabled_reason], ['disabled', 'gone']);
    assert.equal((await scene.deliveries(id))[0].status, 'dead');
    await create(scene, 'b');
    receiver.respond = status(200);
    assert.equal((await scene.send('PATCH', `webhooks/${id}`, { status: 'enabled' }, MERGE)).status, 200);
    await create(scene, 'c');
    await until(() => receiver.requests.length === 2);
    assert.deepEqual(namesOf(receiver.requests), ['a', 'c']);
  });

  it('[EVT-6b] end where all have failed for 120 hours', async () => {
    await using receiver = await startReceiver(status(500));
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url });
    const state = async (): Promise<readonly unknown[]> => {
      const { body } = await scene.send('GET', `webhooks/${id}`);
      return [body.status, body.disabled_reason, body.failing_since];
    };
    const since = new Date(scene.clock.now()).toISOString();
    await create(scene, 'a');
    await scene.waiting(id, 1, 5_000);
    assert.equal((await state())[2], since);
    scene.clock.advance(119 * HOUR);
    await scene.waiting(id, 1, 300_000);
    assert.equal((await state())[0], 'enabled');
    scene.clock.advance(HOUR);
    await until(async () => (await state())[0] === 'disabled');
    assert.equal((await state())[1], 'failing');
  });

  it('[EVT-6b] go on where one has succeeded within 120 hours', async () => {
    await using receiver = await startReceiver(status(500));
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url });
    const since = async (): Promise<unknown> => (await scene.send('GET', `webhooks/${id}`)).body.failing_since;
    await create(scene, 'a');
    await scene.waiting(id, 1, 5_000);
    assert.notEqual(await since(), null);
    receiver.respond = status(204);
    scene.clock.advance(119 * HOUR);
    await until(async () => (await since()) === null);
  });

  it('[EVT-4d] are repeated on request, and a ping tests a receiver', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { id, secret } = await scene.webhook({ url: receiver.url });
    await create(scene, 'a');
    await until(async () => (await scene.deliveries(id)).length === 1);
    const [{ event_id: event }] = await scene.deliveries(id);
    const again = await scene.send('POST', `webhooks/${id}/deliveries`, { event_id: event });
    assert.equal(again.status, 201, again.text);
    await until(() => receiver.requests.length === 2);
    assert.equal(receiver.requests[0]?.body, receiver.requests[1]?.body);
    assert.equal(receiver.requests[1]?.headers['webhook-id'], event);
    const ping = await scene.send('POST', `webhooks/${id}/deliveries`, { type: 'webhook.ping' });
    await until(() => receiver.requests.length === 3);
    const pinged = receiver.requests[2];
    assert.ok(pinged !== undefined);
    assert.deepEqual([pinged.event.type, pinged.event.payload.resource.id], ['webhook.ping', id]);
    const { headers, body } = pinged;
    await verifyWebhook({ headers, body }, { secret, now: () => scene.clock.now() });
    const statusOf = async (delivery: string): Promise<string> =>
      (await scene.send('GET', `webhooks/${id}/deliveries/${delivery}`)).body.status;
    await until(async () => (await statusOf(ping.body.id)) === 'succeeded');
    assert.equal(await statusOf(again.body.id), 'succeeded');
  });

  it('[EVT-4c] are listed for 7 days where they succeeded, and for 30 where they are dead', async () => {
    await using receiver = await startReceiver(({ event }, response) => {
      response.writeHead(event.payload.data?.['name'] === 'bad' ? 410 : 204).end();
    });
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url });
    await create(scene, 'good');
    await until(async () => (await scene.deliveries(id)).length === 1);
    await create(scene, 'bad');
    const states = async (): Promise<readonly string[]> => (await scene.deliveries(id)).map((each) => each.status);
    await until(async () => (await states()).length === 2);
    assert.deepEqual(await states(), ['succeeded', 'dead']);
    scene.clock.advance(7 * 24 * HOUR - 60_000);
    await scene.api.webhooks?.requests.run();
    assert.deepEqual(await states(), ['succeeded', 'dead']);
    scene.clock.advance(120_000);
    await until(async () => (await states()).length === 1);
    assert.deepEqual(await states(), ['dead']);
    scene.clock.advance(23 * 24 * HOUR - 120_000);
    await scene.api.webhooks?.requests.run();
    assert.deepEqual(await states(), ['dead']);
    scene.clock.advance(120_000);
    await until(async () => (await states()).length === 0);
  });

  it('[EVT-4b] are signed by both secrets for a day after a rotation', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { id, secret: first } = await scene.webhook({ url: receiver.url });
    const { secret: second } = (await scene.send('POST', `webhooks/${id}/secrets`, {})).body;
    const verifies = async (secret: string): Promise<boolean> => {
      const request = receiver.requests.at(-1);
      assert.ok(request !== undefined);
      try {
        await verifyWebhook(request, { secret, now: () => scene.clock.now() });
        return true;
      } catch {
        return false;
      }
    };
    await create(scene, 'a');
    await until(() => receiver.requests.length === 1);
    assert.deepEqual([await verifies(first), await verifies(second)], [true, true]);
    scene.clock.advance(24 * HOUR - 1);
    await create(scene, 'b');
    await until(() => receiver.requests.length === 2);
    assert.deepEqual([await verifies(first), await verifies(second)], [true, true]);
    scene.clock.advance(1);
    await create(scene, 'c');
    await until(() => receiver.requests.length === 3);
    assert.deepEqual([await verifies(first), await verifies(second)], [false, true]);
    const signatures = String(receiver.requests[2]?.headers['webhook-signature']).split(' ');
    assert.equal(signatures.length, 1);
  });

  it('[EVT-3c] [EVT-6c] are in order for each resource where the webhook is ordered, whatever fails', async () => {
    const failed = new Set<string>();
    await using receiver = await startReceiver(({ event }, response) => {
      const isFirst = event.type === 'note.created' && !failed.has(event.id);
      failed.add(event.id);
      response.writeHead(isFirst ? 500 : 204).end();
    });
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url, ordered: true, event_types: ['note.*'] });
    await scene.send('PUT', 'notes/a', { text: '0' });
    for (const text of ['1', '2', '3']) await scene.send('PATCH', 'notes/a', { text }, MERGE);
    await scene.send('PUT', 'notes/b', { text: '0' });
    await scene.waiting(id, 2, 5_000);
    assert.equal(receiver.requests.length, 2);
    scene.clock.advance(6_000);
    await until(() => receiver.requests.length === 7);
    const ofA = receiver.requests.slice(2).filter(({ event }) => event.payload.resource.id === 'a');
    const sequences = ofA.map(({ event }) => event.metadata.sequence);
    assert.deepEqual(sequences, sequences.toSorted());
    assert.equal(sequences.length, 4);
  });
});

const MERGE = { 'Content-Type': 'application/merge-patch+json' };
