import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@redis/client';
import type { Broker } from '../../src/events/relays/broker.ts';
import { openRedis } from '../../src/events/relays/brokers/redis.ts';
import type { RelayTarget } from '../../src/model/relay-settings.ts';
import { skipWithout } from '../installed-programs.ts';
import { type RedisServer, startRedis } from '../redis-server.ts';
import { TcpRelay } from '../tcp-relay.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { FREEZE, numbersBetween, sendThroughFreeze, sendThroughKills } from './broker-faults.ts';
import { drain, relayMessage, relayMessages, relayTarget } from './relay-driver.ts';

const TIMEOUT = 10_000;

async function openRelay(url: string, target: Partial<RelayTarget> = {}, timeout = TIMEOUT): Promise<Broker> {
  return openRedis({
    target: relayTarget({ kind: 'redis', url, destination: [{ kind: 'collection' }], create: true, ...target }),
    timeout,
  });
}

async function readSequences(url: string, stream: string): Promise<readonly number[]> {
  const client = createClient({ url });
  await client.connect();
  const entries = (await client.xRange(stream, '-', '+')) ?? [];
  client.destroy();
  return entries.map(({ message }) => Number(message['sequence']));
}

describe('a relay to Redis Streams, under failures', { skip: skipWithout('redis-server'), timeout: 120_000 }, () => {
  let server: RedisServer;
  let operator: ReturnType<typeof createClient>;
  before(async () => {
    server = await startRedis();
    operator = createClient({ url: server.url });
    await operator.connect();
  });
  after(async () => {
    operator.destroy();
    await server.kill();
  });

  it('[EVT-9d] reports a missing stream and how to create it, also when it is deleted while running', async () => {
    const broker = await openRelay(server.url, { create: false });
    const problem =
      'the stream missing does not exist; create it (XGROUP CREATE missing GROUP $ MKSTREAM), or set create: true';
    const messages = relayMessages(10, 'missing');
    assert.deepEqual(await broker.publish(messages), { acknowledged: 0, problem });
    await operator.xGroupCreate('missing', 'GROUP', '$', { MKSTREAM: true });
    assert.deepEqual(await broker.publish(messages), { acknowledged: 10, problem: null });
    await operator.del('missing');
    assert.deepEqual(await broker.publish(relayMessages(10, 'missing', 11)), { acknowledged: 0, problem });
    await broker.close();
  });

  it('[EVT-9d] creates the stream again when it is deleted while running', async () => {
    const broker = await openRelay(server.url);
    await drain(broker, relayMessages(10, 'deleted'));
    await operator.del('deleted');
    await drain(broker, relayMessages(10, 'deleted', 11));
    assert.deepEqual(await readSequences(server.url, 'deleted'), numbersBetween(11, 20));
    await broker.close();
  });

  it('[EVT-9d] acknowledges the events of several streams up to the first that is not stored', async () => {
    const broker = await openRelay(server.url);
    const messages = relayMessages(10, 'odd').map((each) =>
      each.sequence % 2 === 0 ? { ...each, destination: 'even' } : each,
    );
    await operator.set('even', 'no stream');
    assert.deepEqual(await broker.publish(messages), {
      acknowledged: 1,
      problem: 'WRONGTYPE Operation against a key holding the wrong kind of value',
    });
    await operator.del('even');
    assert.deepEqual(await broker.publish(messages.slice(1)), { acknowledged: 9, problem: null });
    assert.deepEqual(await readSequences(server.url, 'odd'), [1, 3, 5, 7, 9]);
    assert.deepEqual(await readSequences(server.url, 'even'), [2, 4, 6, 8, 10]);
    await broker.close();
  });

  it('[EVT-9d] counts events as sent that a consumer has removed since', async () => {
    const broker = await openRelay(server.url);
    const messages = relayMessages(20, 'removed');
    await drain(broker, messages);
    await operator.xDel(
      'removed',
      numbersBetween(1, 20).map((each) => `${each}-0`),
    );
    assert.deepEqual(await broker.publish(relayMessages(20, 'removed', 5)), { acknowledged: 20, problem: null });
    assert.deepEqual(await readSequences(server.url, 'removed'), [21, 22, 23, 24]);
    await broker.close();
  });

  it('[EVT-9d] reports a stream with entries of other writers', async () => {
    const broker = await openRelay(server.url);
    const { id } = relayMessage(1, 'theirs');
    await operator.xAdd('theirs', '*', { any: 'entry' });
    const last = await operator.xAdd('theirs', '*', { any: 'entry' });
    await operator.xDel('theirs', last);
    const refused = await broker.publish(relayMessages(5, 'theirs'));
    assert.deepEqual(refused, {
      acknowledged: 0,
      problem: 'the stream theirs has entries after 1-0, and not 1-0: relay to a stream without other writers',
    });
    await operator.xAdd('mixed', '1-0', { id: `not-${id}` });
    assert.deepEqual(await broker.publish(relayMessages(5, 'mixed')), {
      acknowledged: 0,
      problem: 'the stream mixed has another event as 1-0: relay to a stream without other writers',
    });
    await broker.close();
  });

  it('[EVT-9d] waits while Redis has no memory, and continues in order when it has', async () => {
    const broker = await openRelay(server.url);
    const messages = relayMessages(20_000, 'memory');
    await drain(broker, messages.slice(0, 4));
    const used = /used_memory:(\d+)/.exec(await operator.info('memory'))?.[1];
    await operator.configSet({ maxmemory: String(Number(used) + 4_000_000), 'maxmemory-policy': 'noeviction' });
    const problems = new Set<string>();
    await drain(broker, messages.slice(4), {
      async onResult({ problem, acknowledged }) {
        if (problem === null) return;
        problems.add(problem);
        assert.equal(acknowledged, 0);
        await operator.configSet('maxmemory', '0');
      },
    });
    assert.deepEqual([...problems], ["OOM command not allowed when used memory > 'maxmemory'."]);
    assert.deepEqual(await readSequences(server.url, 'memory'), numbersBetween(1, 20_000));
    await broker.close();
  });

  it('[EVT-9d] sends the rest after a connection is cut in the middle of an acknowledgement', async () => {
    const relay = await TcpRelay.start({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
    const broker = await openRelay(`redis://127.0.0.1:${relay.port}`);
    const messages = relayMessages(3_000, 'cut');
    await drain(broker, messages.slice(0, 100), { block: 100 });
    const problems: string[] = [];
    void relay.cutAt('answer', '*3\r\n');
    await drain(broker, messages.slice(100), {
      onResult({ problem }, sent) {
        if (problem !== null) problems.push(problem);
        else if (sent < 2_000) void relay.cutAt('answer', '*3\r\n');
      },
      block: 200,
    });
    assert.ok(problems.length > 5);
    assert.equal(problems[0], 'Socket closed unexpectedly');
    assert.deepEqual(await readSequences(server.url, 'cut'), numbersBetween(1, 3_000));
    await broker.close();
    await relay.close();
  });

  it('[EVT-9d] settles in time while Redis is frozen, and continues afterwards', async () => {
    const broker = await openRelay(server.url, {}, FREEZE.timeout);
    const problems = await sendThroughFreeze(broker, relayMessages(1_500, 'frozen'), server.pid);
    assert.deepEqual([...new Set(problems)], [`Redis did not answer within ${FREEZE.timeout} ms`]);
    assert.deepEqual(await readSequences(server.url, 'frozen'), numbersBetween(1, 1_500));
    await broker.close();
  });

  it('[EVT-9d] loses and disorders nothing while Redis is killed under load 20 times', async (context) => {
    const data = temporaryDirectory(context);
    const settings = ['--dir', data, '--appendonly', 'yes', '--appendfsync', 'always'];
    let killed = await startRedis(undefined, settings);
    context.after(() => killed.kill());
    const broker = await openRelay(killed.url);
    const problems = await sendThroughKills(broker, relayMessages(40_000, 'killed'), async () => {
      await killed.kill();
      killed = await startRedis(Number(new URL(killed.url).port), settings);
    });
    assert.ok(problems.length > 0);
    assert.deepEqual(await readSequences(killed.url, 'killed'), numbersBetween(1, 40_000));
    await broker.close();
  });

  it('[EVT-9d] reports revoked credentials without them, and reads rotated ones from the file', async (context) => {
    const credentialsFile = path.join(temporaryDirectory(context), 'credentials');
    const allow = (password: string): Promise<unknown> =>
      operator.aclSetUser('relay', ['reset', 'on', `>${password}`, '~*', '+@all']);
    await allow('first-secret');
    writeFileSync(credentialsFile, 'relay:first-secret\n');
    const broker = await openRelay(server.url, { credentialsFile });
    await drain(broker, relayMessages(10, 'guarded'));
    await allow('second-secret');
    await operator.sendCommand(['CLIENT', 'KILL', 'USER', 'relay']);
    const messages = relayMessages(10, 'guarded', 11);
    await broker.publish(messages);
    const problem = 'WRONGPASS invalid username-password pair or user is disabled.';
    assert.deepEqual(await broker.publish(messages), { acknowledged: 0, problem });
    writeFileSync(credentialsFile, 'relay:second-secret\n');
    assert.deepEqual(await broker.publish(messages), { acknowledged: 10, problem: null });
    const wrong = await openRelay(server.url.replace('//', '//relay:wrong-secret@'));
    assert.deepEqual(await wrong.publish(messages), { acknowledged: 0, problem });
    await Promise.all([broker.close(), wrong.close()]);
  });
});
