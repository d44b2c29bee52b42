import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { Connection } from 'rabbitmq-client';
import { openRabbit } from '../../src/events/relays/brokers/rabbitmq.ts';
import type { Broker } from '../../src/events/relays/broker.ts';
import type { RelayTarget } from '../../src/model/relay-settings.ts';
import { skipWithoutFile } from '../installed-programs.ts';
import { drain, relayMessages, relayTarget, withoutRepeats } from './relay-driver.ts';
import { type RabbitServer, startRabbit } from './rabbitmq-server.ts';

const skip = skipWithoutFile('/usr/lib/rabbitmq/bin/rabbitmq-server', 'RabbitMQ is');
const folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
const server: RabbitServer | null = skip === false ? await startRabbit(folder) : null;
after(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Milliseconds in which a call settles. */
const TIMEOUT = 2_000;

function running(): RabbitServer {
  assert.ok(server !== null);
  return server;
}

/** Opens the broker for an exchange that is created. */
function open(exchange: string, changes: Partial<RelayTarget> = {}): Promise<Broker> {
  const target = relayTarget({
    kind: 'rabbitmq',
    url: running().url,
    destination: [exchange],
    routingKey: [{ kind: 'type' }],
    create: true,
    ...changes,
  });
  return openRabbit({ target, timeout: TIMEOUT });
}

/** Runs commands of another client. */
async function withClient<T>(use: (client: Connection) => Promise<T>): Promise<T> {
  const client = new Connection(running().url);
  client.on('error', () => undefined);
  try {
    return await use(client);
  } finally {
    client.unsafeDestroy();
  }
}

/** Declares a durable queue that takes everything of an exchange. */
function bindQueue(exchange: string, settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
  return withClient(async (client) => {
    await client.exchangeDeclare({ exchange, type: 'topic', durable: true });
    await client.queueDeclare({ queue: exchange, durable: true, arguments: settings });
    await client.queueBind({ exchange, queue: exchange, routingKey: '#' });
  });
}

interface Consumed {
  readonly id: string;
  readonly sequence: number;
  readonly type: string | undefined;
  readonly body: string;
}

/** Takes all messages from the queue of an exchange. */
function consumeAll(queue: string): Promise<readonly Consumed[]> {
  return withClient(async (client) => {
    const consumed: Consumed[] = [];
    for (;;) {
      const message = await client.basicGet({ queue, noAck: true });
      if (message === undefined) return consumed;
      const sequence = Number(message.headers?.['sequence']);
      consumed.push({ id: message.messageId ?? '', sequence, type: message.type, body: JSON.stringify(message.body) });
    }
  });
}

function routed(count: number, exchange: string, first = 1): ReturnType<typeof relayMessages> {
  return relayMessages(count, exchange, first).map((message) => ({ ...message, routingKey: message.type }));
}

function integers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe('a relay to RabbitMQ', { skip, timeout: 120_000 }, () => {
  it('[EVT-9c] publishes persistent messages in order, with the id of the event, and repeats them alike', async (context) => {
    await bindQueue('ordered');
    const broker = await open('ordered');
    context.after(() => broker.close());
    const messages = routed(1_000, 'ordered');
    await drain(broker, messages);
    assert.deepEqual(await broker.publish(messages.slice(990)), { acknowledged: 10, problem: null });
    const consumed = await consumeAll('ordered');
    assert.deepEqual(
      consumed.map(({ sequence }) => sequence),
      [...integers(1_000), ...integers(1_000).slice(990)],
    );
    const [first] = consumed;
    assert.deepEqual([first?.id, first?.type, first?.body], [messages[0]?.id, 'product.created', messages[0]?.body]);
  });

  it('[EVT-9c] waits where no queue takes a message, and goes on with it; `unroutable: drop` does not', async (context) => {
    const [waiting, dropping] = [await open('unbound'), await open('unbound', { dropsUnroutable: true })];
    context.after(() => Promise.all([waiting.close(), dropping.close()]));
    const messages = routed(20, 'unbound');
    const { acknowledged, problem } = await waiting.publish(messages);
    assert.equal(acknowledged, 0);
    assert.equal(
      problem,
      'no queue takes the routing key product.created of unbound; bind one, or set unroutable: drop',
    );
    assert.deepEqual(await dropping.publish(messages), { acknowledged: 20, problem: null });
    await bindQueue('unbound');
    await drain(waiting, messages);
    assert.deepEqual(withoutRepeats(await consumeAll('unbound')), integers(20));
  });

  it('[EVT-9c] says which exchange is missing; with `create` it is declared again after it was deleted', async (context) => {
    const [plain, creating] = [await open('absent', { create: false }), await open('again')];
    context.after(() => Promise.all([plain.close(), creating.close()]));
    const missing = { acknowledged: 0, problem: 'the exchange does not exist; declare it, or set create: true' };
    assert.deepEqual(await plain.publish(routed(3, 'absent')), missing);
    await bindQueue('again');
    await drain(creating, routed(5, 'again'));
    await withClient((client) => client.exchangeDelete({ exchange: 'again' }));
    const { acknowledged } = await creating.publish(routed(5, 'again', 6));
    assert.equal(acknowledged, 0);
    await bindQueue('again');
    await drain(creating, routed(5, 'again', 6));
    assert.deepEqual(withoutRepeats(await consumeAll('again')), integers(10));
  });

  it('[EVT-9c] reports wrong credentials without them', async (context) => {
    const broker = await open('refused', { url: running().url.replace('guest:guest', 'guest:wr0ng-secret') });
    context.after(() => broker.close());
    const { problem } = await broker.publish(routed(1, 'refused'));
    assert.match(problem ?? '', /refused the credentials/);
    assert.doesNotMatch(problem ?? '', /wr0ng/);
  });

  it('[EVT-9c] ends a call in its time while the broker is frozen, and loses and reorders nothing', async (context) => {
    await bindQueue('frozen');
    const broker = await open('frozen');
    context.after(() => broker.close());
    const messages = routed(2_000, 'frozen');
    await drain(broker, messages.slice(0, 500));
    running().signal('SIGSTOP');
    context.after(() => running().signal('SIGCONT'));
    const began = performance.now();
    const { acknowledged, problem } = await broker.publish(messages.slice(500, 1_000));
    assert.equal(acknowledged, 0);
    assert.match(problem ?? '', /did not confirm within 2000 ms/);
    assert.ok(performance.now() - began < TIMEOUT * 2);
    running().signal('SIGCONT');
    await drain(broker, messages.slice(500));
    assert.deepEqual(withoutRepeats(await consumeAll('frozen')), integers(2_000));
  });

  it('[EVT-9c] loses and reorders nothing while the broker is killed and started again under load', async (context) => {
    await bindQueue('killed');
    const broker = await open('killed');
    context.after(() => broker.close());
    let next = 2_000;
    await drain(broker, routed(8_000, 'killed'), {
      block: 200,
      async onResult(_, sent) {
        if (sent < next || sent === 8_000) return;
        next += 2_000;
        const restarted = running()
          .kill()
          .then(() => running().start());
        await broker.publish(routed(200, 'killed', sent + 1));
        await restarted;
      },
    });
    assert.deepEqual(withoutRepeats(await consumeAll('killed')), integers(8_000));
  });
});
