import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Connection } from 'rabbitmq-client';
import type { Broker } from '../../src/events/relays/broker.ts';
import { openRabbit } from '../../src/events/relays/brokers/rabbitmq.ts';
import type { RelayTarget } from '../../src/model/relay-settings.ts';
import { skipWithout } from '../installed-programs.ts';
import { TcpRelay } from '../tcp-relay.ts';
import { FREEZE, sendThroughFreeze } from './broker-faults.ts';
import { bindQueue, connectReader, readQueue } from './rabbitmq-reader.ts';
import { type RabbitServer, startRabbit } from './rabbitmq-server.ts';
import { drain, relayMessage, relayMessages, relayTarget, withoutRepeats } from './relay-driver.ts';

/** The number of times that the server is killed. Each start takes four seconds. */
const KILLS = process.env['RESTWRIGHT_WHOLE_SUITE'] === undefined ? 2 : 20;

const QUEUE_TYPES = ['quorum', 'classic'] as const;

const sequences = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('the relay to RabbitMQ', { skip: skipWithout('rabbitmq-server', 'epmd'), timeout: 900_000 }, () => {
  let folder: string;
  let server: RabbitServer;
  let connection: Connection;
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'restwright-rabbitmq-'));
    server = await startRabbit(folder);
    connection = await connectReader(server.url);
    // RabbitMQ forgets a quorum queue that is declared just before it is killed.
    for (const type of QUEUE_TYPES)
      await bindQueue(connection, { queue: `killed-${type}`, exchange: `killed-${type}`, type });
  });
  after(async () => {
    await connection.close();
    await server.end();
    rmSync(folder, { recursive: true });
  });

  const open = async (
    context: TestContext,
    { timeout = 5_000, ...target }: Partial<RelayTarget> & { readonly timeout?: number } = {},
  ): Promise<Broker> => {
    const broker = await openRabbit({
      target: relayTarget({ kind: 'rabbitmq', url: server.url, destination: ['shop'], ...target }),
      timeout,
    });
    context.after(() => broker.close());
    return broker;
  };

  it('[EVT-9c] publishes persistent messages with their properties, in order', async (context) => {
    const broker = await open(context);
    await bindQueue(connection, { queue: 'properties', exchange: 'properties' });
    const messages = relayMessages(1_000, 'properties');
    await drain(broker, messages);
    const read = await readQueue(connection, 'properties', 1_000);
    assert.deepEqual(
      read.map(({ sequence }) => sequence),
      sequences(1_000),
    );
    const [{ message } = assert.fail('no message')] = read;
    const { body, ...properties } = messages[0] ?? assert.fail('no message');
    assert.deepEqual(message.body, JSON.parse(body));
    assert.equal(message.messageId, properties.id);
    assert.equal(message.type, 'product.created');
    assert.equal(message.contentType, 'application/json');
    assert.equal(message.durable, true);
    assert.equal(message.timestamp, undefined);
    assert.deepEqual(message.headers, {
      sequence: '00000000000000000001',
      traceparent: properties.traceparent,
    });
  });

  it('[EVT-9c] reports a missing exchange, and sends what precedes it', async (context) => {
    await bindQueue(connection, { queue: 'present', exchange: 'present' });
    const messages = [relayMessage(1, 'present'), relayMessage(2, 'missing'), relayMessage(3, 'present')];
    assert.deepEqual(await (await open(context)).publish(messages), {
      acknowledged: 1,
      problem: 'the exchange missing does not exist; create it as a durable topic exchange, or set create: true',
    });
    assert.deepEqual(withoutRepeats(await readQueue(connection, 'present', 1)), [1]);
  });

  it('[EVT-9c] creates an exchange that is missing, also after it is deleted', async (context) => {
    const broker = await open(context, { create: true, dropsUnroutable: true });
    assert.deepEqual(await broker.publish(relayMessages(2, 'created')), { acknowledged: 2, problem: null });
    await withChannel(connection, (channel) => channel.exchangeDelete({ exchange: 'created' }));
    const deleted = await broker.publish(relayMessages(2, 'created', 3));
    assert.equal(deleted.acknowledged, 0);
    assert.match(deleted.problem ?? '', /^the exchange created does not exist/);
    assert.deepEqual(await broker.publish(relayMessages(2, 'created', 3)), { acknowledged: 2, problem: null });
  });

  it('[EVT-9c] waits for a queue, and sends nothing behind an unroutable message', async (context) => {
    const broker = await open(context);
    await bindQueue(connection, { queue: 'routed', exchange: 'routes', routingKey: 'a' });
    const messages = relayMessages(20, 'routes').map((each) => ({
      ...each,
      routingKey: each.sequence === 5 ? 'b' : 'a',
    }));
    const expected = {
      acknowledged: 4,
      problem: 'no queue takes the routing key b of the exchange routes; bind one, or set unroutable: drop',
    };
    assert.deepEqual(await broker.publish(messages), expected);
    await connection.queueBind({ queue: 'routed', exchange: 'routes', routingKey: 'b' });
    assert.deepEqual(await broker.publish(messages.slice(4)), { acknowledged: 16, problem: null });
    assert.deepEqual(withoutRepeats(await readQueue(connection, 'routed', 20)), sequences(20));
  });

  it('[EVT-9c] sends one message at a time after a queue has refused one', async (context) => {
    const broker = await open(context);
    const limits = { 'x-max-length': 5, 'x-overflow': 'reject-publish' };
    await bindQueue(connection, { queue: 'full', exchange: 'full', type: 'classic', limits });
    const messages = relayMessages(400, 'full');
    const first = await broker.publish(messages.slice(0, 10));
    assert.deepEqual(first, {
      acknowledged: 5,
      problem: 'a queue of the exchange full refused a message; it is full, or has failed',
    });
    // Takes messages while others arrive: the queue is full now and then.
    const read: { readonly id: string; readonly sequence: number }[] = [];
    const reading = (async () => {
      while (read.at(-1)?.sequence !== 400) {
        const oldest = await connection.basicGet({ queue: 'full', noAck: true });
        const sequence = Number(oldest?.headers?.['sequence']);
        if (oldest !== undefined) read.push({ id: oldest.messageId ?? '', sequence });
      }
    })();
    await drain(broker, messages.slice(first.acknowledged), { block: 20 });
    await reading;
    assert.deepEqual(withoutRepeats(read), sequences(400));
  });

  it('[EVT-9c] reports refused credentials without them, and reads rotated ones', async (context) => {
    await server.control('add_user', 'rotated', 'first-secret');
    await server.control('set_permissions', 'rotated', '', '.*', '');
    await bindQueue(connection, { queue: 'rotated', exchange: 'rotated' });
    const credentialsFile = path.join(folder, 'credentials');
    writeFileSync(credentialsFile, 'rotated:first-secret\n');
    const broker = await open(context, { credentialsFile });
    assert.deepEqual(await broker.publish(relayMessages(1, 'rotated')), { acknowledged: 1, problem: null });
    await server.control('delete_user', 'rotated');
    const revoked = await drainUntilProblem(broker);
    assert.match(revoked, /refuses the credentials|no connection|may not use/);
    assert.doesNotMatch(revoked, /secret/);
    assert.match((await broker.publish(relayMessages(1, 'rotated'))).problem ?? '', /refuses the credentials$/);
    await server.control('add_user', 'renewed', 'second-secret');
    await server.control('set_permissions', 'renewed', '', '.*', '');
    writeFileSync(credentialsFile, 'renewed:second-secret\n');
    assert.deepEqual(await broker.publish(relayMessages(1, 'rotated', 2)), { acknowledged: 1, problem: null });
  });

  it('[EVT-9c] settles in time while RabbitMQ is frozen, and then goes on', async (context) => {
    await bindQueue(connection, { queue: 'frozen', exchange: 'frozen' });
    const broker = await open(context, { timeout: FREEZE.timeout });
    const problems = await sendThroughFreeze(broker, relayMessages(3_000, 'frozen'), server.pid());
    const silent = `RabbitMQ at 127.0.0.1:${server.port} did not answer within ${FREEZE.timeout} ms`;
    assert.deepEqual([...new Set(problems)], [silent]);
    assert.deepEqual(withoutRepeats(await readQueue(connection, 'frozen', 3_000)), sequences(3_000));
  });

  it('[EVT-9c] settles in time while RabbitMQ is low on memory, and repeats nothing then', async (context) => {
    await bindQueue(connection, { queue: 'low', exchange: 'low' });
    const broker = await open(context, { timeout: 500 });
    await broker.publish(relayMessages(10, 'low'));
    await server.control('set_vm_memory_high_watermark', '0.00001');
    const messages = relayMessages(500, 'low', 11);
    for (let attempt = 0; attempt < 3; attempt += 1)
      assert.deepEqual(await broker.publish(messages), {
        acknowledged: 0,
        problem: `RabbitMQ at 127.0.0.1:${server.port} takes no messages: low on memory`,
      });
    await server.control('set_vm_memory_high_watermark', '0.4');
    await drain(broker, messages, { onResult: () => setTimeout(20) });
    const read = await readQueue(connection, 'low', 510);
    assert.deepEqual(
      read.map(({ sequence }) => sequence),
      sequences(510),
    );
  });

  it('[EVT-9c] goes on where a connection is cut in the middle of the confirms', async (context) => {
    await bindQueue(connection, { queue: 'cut', exchange: 'cut' });
    const relay = await TcpRelay.start({ host: '127.0.0.1', port: server.port });
    context.after(() => relay.close());
    const broker = await open(context, { url: `amqp://127.0.0.1:${relay.port}` });
    let cuts = 0;
    let problems = 0;
    await drain(broker, relayMessages(4_000, 'cut'), {
      onResult({ problem }) {
        if (problem !== null) {
          assert.match(problem, /^no connection to /);
          problems += 1;
        }
        // The class and the method of `basic.ack`.
        if (cuts < 5) void relay.cutAt('answer', '\u0000\u003c\u0000\u0050');
        cuts += 1;
      },
    });
    assert.equal(problems, 5);
    assert.deepEqual(withoutRepeats(await readQueue(connection, 'cut', 4_000)), sequences(4_000));
  });

  for (const type of QUEUE_TYPES)
    it(`[EVT-9c] loses nothing while RabbitMQ with a ${type} queue is killed again and again`, async (context) => {
      const broker = await open(context, { timeout: 2_000 });
      const messages = relayMessages(KILLS * 4_000, `killed-${type}`);
      let kills = 0;
      let restart: Promise<void> = Promise.resolve();
      await drain(broker, messages, {
        async onResult({ problem }, sent) {
          if (problem !== null) {
            await restart;
            await setTimeout(50);
          } else if (sent >= kills * 4_000 + 2_000 && kills < KILLS) {
            kills += 1;
            restart = restartAfter(server, 7);
          }
        },
      });
      assert.equal(kills, KILLS);
      const read = await readQueue(connection, `killed-${type}`, messages.length);
      assert.deepEqual(withoutRepeats(read), sequences(messages.length));
    });
});

async function withChannel(
  connection: Connection,
  use: (channel: Awaited<ReturnType<Connection['acquire']>>) => Promise<unknown>,
): Promise<void> {
  const channel = await connection.acquire();
  await use(channel);
  await channel.close();
}

/** Kills the server, and starts it again. @param delay milliseconds until then: it is under load */
async function restartAfter(server: RabbitServer, delay: number): Promise<void> {
  await setTimeout(delay);
  await server.kill();
  await server.start();
}

async function drainUntilProblem(broker: Broker): Promise<string> {
  for (;;) {
    const { problem } = await broker.publish(relayMessages(1, 'rotated'));
    if (problem !== null) return problem;
  }
}
