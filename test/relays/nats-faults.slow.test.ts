import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, it } from 'node:test';
import { DiscardPolicy } from '@nats-io/jetstream';
import type { Broker } from '../../src/events/relays/broker.ts';
import { openNats } from '../../src/events/relays/brokers/nats.ts';
import type { RelayTarget } from '../../src/model/relay-settings.ts';
import { skipWithout } from '../installed-programs.ts';
import { TcpRelay } from '../tcp-relay.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { isWholeSuite } from '../extent.ts';
import { FREEZE, numbersBetween, sendThroughFreeze, sendThroughKills } from './broker-faults.ts';
import { type NatsReader, readNats } from './nats-reader.ts';
import { type NatsServer, natsPrograms, startNats } from './nats-server.ts';
import { drain, relayMessage, relayMessages, relayTarget, withoutRepeats } from './relay-driver.ts';

const TIMEOUT = 10_000;

async function openRelay(
  url: string,
  name: string,
  target: Partial<RelayTarget> = {},
  timeout = TIMEOUT,
): Promise<Broker> {
  const destination = [`${name}.`, { kind: 'collection' }] as const;
  return openNats({ target: relayTarget({ kind: 'nats', url, destination, create: true, ...target }), timeout });
}

const skip = skipWithout('nats-server');

// The newest server that is there; `RESTWRIGHT_WHOLE_SUITE=1` tests the others, too.
for (const { version, program } of natsPrograms().slice(isWholeSuite ? 0 : -1))
  describe(`a relay to JetStream of ${version}, under failures`, { skip, timeout: 120_000 }, () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'restwright-nats-'));
    let server: NatsServer;
    let operator: NatsReader;
    before(async () => {
      server = await startNats({ folder, program });
      operator = await readNats(server.url);
    });
    after(async () => {
      await operator.close();
      await server.kill();
      rmSync(folder, { recursive: true });
    });

    it('[EVT-9a] reports a missing stream and how to create it, also when it is deleted while running', async () => {
      const broker = await openRelay(server.url, 'missing', { create: false });
      const problem =
        'no stream stores the subject missing.product; create it (nats stream add MISSING --subjects "missing.>"), or set create: true';
      const messages = relayMessages(10, 'missing.product');
      assert.deepEqual(await broker.publish(messages), { acknowledged: 0, problem });
      await operator.manager.streams.add({ name: 'MISSING', subjects: ['missing.>'] });
      assert.deepEqual(await broker.publish(messages), { acknowledged: 10, problem: null });
      await operator.manager.streams.delete('MISSING');
      assert.deepEqual(await broker.publish(relayMessages(10, 'missing.product', 11)), { acknowledged: 0, problem });
      await broker.close();
    });

    it('[EVT-9a] creates the stream again when it is deleted while running', async () => {
      const broker = await openRelay(server.url, 'deleted');
      await drain(broker, relayMessages(10, 'deleted.product'));
      await operator.manager.streams.delete('DELETED');
      assert.deepEqual(await broker.publish(relayMessages(10, 'deleted.product', 11)), {
        acknowledged: 10,
        problem: null,
      });
      assert.deepEqual(withoutRepeats(await operator.read('DELETED')), numbersBetween(11, 20));
      await broker.close();
    });

    it('[EVT-9a] creates it again although another client listens to the subject, which hides that it is gone', async () => {
      const broker = await openRelay(server.url, 'heard', {}, 500);
      await drain(broker, relayMessages(10, 'heard.product'));
      operator.connection.subscribe('heard.>', { callback: () => undefined });
      await operator.connection.flush();
      await operator.manager.streams.delete('HEARD');
      const messages = relayMessages(10, 'heard.product', 11);
      assert.deepEqual(await broker.publish(messages), {
        acknowledged: 0,
        problem: 'NATS did not answer within 500 ms',
      });
      assert.deepEqual(await broker.publish(messages), { acknowledged: 10, problem: null });
      await broker.close();
    });

    it('[EVT-9a] keeps the order in a stream to which other clients write', async () => {
      const broker = await openRelay(server.url, 'shared');
      await drain(broker, relayMessages(1, 'shared.product'));
      const done = new AbortController();
      const others = (async () => {
        const client = operator.manager.jetstream();
        while (!done.signal.aborted) await client.publish('shared.other', 'theirs');
      })();
      await drain(broker, relayMessages(5_000, 'shared.product'));
      done.abort();
      await others;
      const stored = await operator.read('SHARED');
      assert.ok(stored.some(({ body }) => body === 'theirs'));
      const ours = stored.filter(({ body }) => body !== 'theirs');
      assert.deepEqual(
        ours.map(({ sequence }) => sequence),
        numbersBetween(1, 5_000),
      );
      await broker.close();
    });

    it('[EVT-9a] keeps the order of each stream in a block for several', async () => {
      for (const name of ['EVEN', 'ODD'])
        await operator.manager.streams.add({ name, subjects: [`several.${name.toLowerCase()}`] });
      const broker = await openRelay(server.url, 'several', { create: false });
      const messages = relayMessages(1_000, '').map((each) => ({
        ...each,
        destination: each.sequence % 2 === 0 ? 'several.even' : 'several.odd',
      }));
      await drain(broker, messages);
      for (const [name, rest] of [
        ['EVEN', 0],
        ['ODD', 1],
      ] as const)
        assert.deepEqual(
          (await operator.read(name)).map(({ sequence }) => sequence),
          numbersBetween(1, 1_000).filter((each) => each % 2 === rest),
        );
      await broker.close();
    });

    it('[EVT-9a] lets a process that wakes up late send old events again without disorder', async () => {
      await operator.manager.streams.add({ name: 'LATE', subjects: ['late.>'], duplicate_window: 100e6 });
      const [late, current] = [await openRelay(server.url, 'late'), await openRelay(server.url, 'late')];
      const messages = relayMessages(3_000, 'late.product');
      await Promise.all([
        drain(late, messages.slice(0, 1_500), { block: 70 }),
        drain(current, messages, { block: 110 }),
      ]);
      await operator.repeatAfterWindow('late.product', relayMessage(1_500, '').id);
      await drain(late, messages.slice(700, 900));
      const stored = await operator.read('LATE');
      // A message is stored again where the other process sends it after the duplicate window, of 100 ms.
      assert.ok(stored.length >= 3_201, `${stored.length}`);
      assert.deepEqual(withoutRepeats(stored), numbersBetween(1, 3_000));
      await Promise.all([late.close(), current.close()]);
    });

    it('[EVT-9a] recognizes stored events after the duplicate window, where the acknowledgement was lost', async () => {
      await operator.manager.streams.add({ name: 'LOST', subjects: ['lost.>'], duplicate_window: 100e6 });
      const first = await openRelay(server.url, 'lost');
      await drain(first, relayMessages(50, 'lost.product'));
      await first.close();
      await operator.repeatAfterWindow('lost.product', relayMessage(50, '').id);
      const second = await openRelay(server.url, 'lost');
      assert.deepEqual(await second.publish(relayMessages(60, 'lost.product')), { acknowledged: 60, problem: null });
      const stored = await operator.read('LOST');
      assert.equal(stored.length, 61);
      assert.deepEqual(withoutRepeats(stored), numbersBetween(1, 60));
      await second.close();
    });

    it('[EVT-9a] waits while a stream is full, and continues when it has room', async () => {
      const limited = { discard: DiscardPolicy.New, max_msgs: 30 };
      await operator.manager.streams.add({ name: 'FULL', subjects: ['full.>'], ...limited });
      const broker = await openRelay(server.url, 'full');
      const messages = relayMessages(100, 'full.product');
      assert.deepEqual(await broker.publish(messages), {
        acknowledged: 30,
        problem: 'the stream FULL refused an event: maximum messages exceeded',
      });
      await operator.manager.streams.purge('FULL', { keep: 10 });
      assert.equal((await broker.publish(messages.slice(30))).acknowledged, 20);
      await operator.manager.streams.update('FULL', { max_msgs: -1 });
      assert.deepEqual(await broker.publish(messages.slice(50)), { acknowledged: 50, problem: null });
      assert.deepEqual(
        (await operator.read('FULL')).map(({ sequence }) => sequence),
        numbersBetween(21, 100),
      );
      await broker.close();
    });

    it('[EVT-9a] sends the rest after a connection is cut in the middle of an acknowledgement', async () => {
      const relay = await TcpRelay.start({ host: '127.0.0.1', port: server.port });
      const broker = await openRelay(`nats://127.0.0.1:${relay.port}`, 'cut');
      const messages = relayMessages(2_000, 'cut.product');
      await drain(broker, messages.slice(0, 10));
      const problems: string[] = [];
      void relay.cutAt('answer', '"seq":200');
      await drain(broker, messages.slice(10), {
        onResult: ({ problem }, sent) => {
          if (problem !== null) problems.push(problem);
          void relay.cutAt('answer', `"seq":${sent + 300}`);
        },
      });
      assert.ok(problems.includes('the connection was lost'), problems.join());
      assert.deepEqual(
        (await operator.read('CUT')).map(({ sequence }) => sequence),
        numbersBetween(1, 2_000),
      );
      await broker.close();
      await relay.close();
    });

    it('[EVT-9a] settles in time while the server is frozen, and continues afterwards', async () => {
      const broker = await openRelay(server.url, 'frozen', {}, FREEZE.timeout);
      const problems = await sendThroughFreeze(broker, relayMessages(1_500, 'frozen.product'), server.pid);
      assert.deepEqual([...new Set(problems)], [`NATS did not answer within ${FREEZE.timeout} ms`]);
      assert.deepEqual(
        (await operator.read('FROZEN')).map(({ sequence }) => sequence),
        numbersBetween(1, 1_500),
      );
      await broker.close();
    });

    it('[EVT-9a] loses and disorders nothing while the server is killed under load 20 times', async (context) => {
      const data = temporaryDirectory(context);
      let killed = await startNats({ folder: data, program });
      context.after(() => killed.kill());
      const broker = await openRelay(killed.url, 'killed');
      const problems = await sendThroughKills(broker, relayMessages(40_000, 'killed.product'), async () => {
        await killed.kill();
        killed = await startNats({ folder: data, port: killed.port, program });
      });
      assert.ok(problems.length > 0);
      const reader = await readNats(killed.url);
      assert.deepEqual(withoutRepeats(await reader.read('KILLED')), numbersBetween(1, 40_000));
      await reader.close();
      await broker.close();
    });

    it('[EVT-9a] reports revoked credentials without them, and reads rotated ones from the file', async (context) => {
      const data = temporaryDirectory(context);
      const configuration = path.join(data, 'server.conf');
      const credentialsFile = path.join(data, 'credentials');
      const allow = (password: string): void =>
        writeFileSync(configuration, `authorization { user: relay, password: "${password}" }\n`);
      allow('first-secret');
      writeFileSync(credentialsFile, 'relay:first-secret\n');
      let guarded = await startNats({ folder: data, configuration, program });
      context.after(() => guarded.kill());
      const broker = await openRelay(guarded.url, 'guarded', { credentialsFile });
      await drain(broker, relayMessages(10, 'guarded.product'));
      allow('second-secret');
      process.kill(guarded.pid, 'SIGHUP');
      let sequence = 11;
      let refused: string | null = null;
      // The server reads its configuration in its own time.
      while (refused === null || !refused.includes('Authorization')) {
        const { acknowledged, problem } = await broker.publish(relayMessages(1, 'guarded.product', sequence));
        sequence += acknowledged;
        refused = problem;
      }
      assert.equal(refused, 'Authorization Violation');
      writeFileSync(credentialsFile, 'relay:second-secret\n');
      // JetStream of 2.9 does not answer after it has read other users.
      await guarded.kill();
      guarded = await startNats({ folder: data, configuration, port: guarded.port, program });
      assert.deepEqual(await broker.publish(relayMessages(10, 'guarded.product', sequence)), {
        acknowledged: 10,
        problem: null,
      });
      const wrong = await openRelay(guarded.url.replace('//', '//relay:wrong-secret@'), 'guarded');
      const { problem } = await wrong.publish(relayMessages(1, 'guarded.product'));
      assert.equal(problem, 'Authorization Violation');
      await Promise.all([broker.close(), wrong.close()]);
    });

    it('[EVT-9a] waits while the disk of the server is full, and continues when it has room', async (context) => {
      const data = temporaryDirectory(context);
      const configuration = path.join(data, 'server.conf');
      writeFileSync(configuration, `jetstream { max_file_store: 1MB }\n`);
      const small = await startNats({ folder: data, configuration, program });
      context.after(() => small.kill());
      const reader = await readNats(small.url);
      context.after(() => reader.close());
      const broker = await openRelay(small.url, 'small');
      const messages = relayMessages(3_000, 'small.product');
      const consumed: number[] = [];
      const problems = new Set<string>();
      await drain(broker, messages, {
        async onResult({ problem }) {
          if (problem === null) return;
          problems.add(problem);
          consumed.push(...withoutRepeats(await reader.read('SMALL')));
          await reader.manager.streams.purge('SMALL');
        },
      });
      assert.deepEqual([...problems], ['the stream SMALL refused an event: insufficient resources']);
      consumed.push(...withoutRepeats(await reader.read('SMALL')));
      assert.deepEqual(consumed, numbersBetween(1, 3_000));
      await broker.close();
    });
  });
