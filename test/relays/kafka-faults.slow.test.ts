import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Broker } from '../../src/events/relays/broker.ts';
import { openKafka } from '../../src/events/relays/brokers/kafka.ts';
import type { RelayTarget } from '../../src/model/relay-settings.ts';
import { skipWithoutFile } from '../installed-programs.ts';
import { smallDisk } from '../small-disk.ts';
import { readTopic } from './kafka-reader.ts';
import { KAFKA, type KafkaServer, startKafka } from './kafka-server.ts';
import { drain, relayMessage, relayMessages, relayTarget, withoutRepeats } from './relay-driver.ts';

/** The number of times that the server is killed. Each start takes four seconds. */
const KILLS = process.env['RESTWRIGHT_WHOLE_SUITE'] === undefined ? 3 : 20;

const sequences = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('a relay to a Kafka that fails', { skip: skipWithoutFile(KAFKA, 'Kafka is'), timeout: 900_000 }, () => {
  let server: KafkaServer;
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-kafka-'));
  before(async () => {
    server = await startKafka(folder);
  });
  after(async () => {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (context: TestContext, target: Partial<RelayTarget>): Promise<Broker> => {
    const settings = relayTarget({ kind: 'kafka', url: server.url, destination: ['topic'], create: true, ...target });
    const broker = await openKafka({ target: settings, timeout: 3_000 });
    context.after(() => broker.close());
    return broker;
  };
  const read = (topic: string, last: number): ReturnType<typeof readTopic> =>
    readTopic(server.url.slice('kafka://'.length), topic, last);

  it('[EVT-9b] reports refused credentials without them, and reads rotated ones', async (context) => {
    const credentialsFile = path.join(folder, 'credentials');
    writeFileSync(credentialsFile, 'relay:wrong-secret\n');
    const broker = await open(context, { url: server.saslUrl, credentialsFile });
    const refused = await broker.publish(relayMessages(3, 'secured'));
    assert.equal(refused.acknowledged, 0);
    assert.match(refused.problem ?? '', /refused the credentials/);
    assert.doesNotMatch(refused.problem ?? '', /secret/);
    writeFileSync(credentialsFile, 'relay:right-secret\n');
    assert.deepEqual(await broker.publish(relayMessages(3, 'secured')), { acknowledged: 3, problem: null });
    const url = server.saslUrl.replace('//', '//relay:right-secret@');
    const byUrl = await open(context, { url });
    assert.deepEqual(await byUrl.publish(relayMessages(3, 'secured', 4)), { acknowledged: 3, problem: null });
  });

  it('[EVT-9b] sends blocks that are larger than a batch, and names an event that no batch takes', async (context) => {
    const broker = await open(context, {});
    const large = relayMessages(50, 'large').map((each) => ({ ...each, body: JSON.stringify('x'.repeat(100_000)) }));
    assert.deepEqual(await broker.publish(large), { acknowledged: 50, problem: null });
    const enormous = { ...relayMessage(53, 'large'), body: JSON.stringify('x'.repeat(2_000_000)) };
    const { acknowledged, problem } = await broker.publish([...relayMessages(2, 'large', 51), enormous]);
    assert.equal(acknowledged, 2);
    assert.match(problem ?? '', new RegExp(enormous.id));
    assert.deepEqual(withoutRepeats(await read('large', 52)), sequences(52));
  });

  it('[EVT-9b] sends what precedes a missing topic', async (context) => {
    await (await open(context, {})).publish(relayMessages(1, 'present'));
    const broker = await open(context, { create: false });
    const { acknowledged, problem } = await broker.publish([relayMessage(2, 'present'), relayMessage(3, 'missing')]);
    assert.equal(acknowledged, 1);
    assert.match(problem ?? '', /^the topic missing does not exist/);
  });

  it('[EVT-9b] goes on where the disk was full', async (context) => {
    const disk = smallDisk(context, 64);
    if (disk === null) return;
    const full = await startKafka(path.join(disk, 'kafka'));
    context.after(() => full.kill());
    const broker = await open(context, { url: full.url });
    const messages = relayMessages(6_000, 'disk');
    await drain(broker, messages.slice(0, 1_000));
    const ballast = path.join(disk, 'ballast');
    fillDisk(ballast);
    let problems = 0;
    await drain(broker, messages.slice(1_000), {
      async onResult({ problem }) {
        if (problem === null) return;
        problems += 1;
        if (problems !== 2) return;
        rmSync(ballast);
        await full.kill();
        await full.start();
      },
    });
    assert.ok(problems >= 2);
    const consumed = await readTopic(full.url.slice('kafka://'.length), 'disk', 6_000);
    assert.deepEqual(withoutRepeats(consumed), sequences(6_000));
  });

  it('[EVT-9b] loses and reorders nothing while it is killed in the middle of a request', async (context) => {
    const broker = await open(context, {});
    const messages = relayMessages(KILLS * 4_000, 'killed');
    let kills = 0;
    let restart: Promise<void> = Promise.resolve();
    await drain(broker, messages, {
      async onResult({ problem }, sent) {
        if (problem !== null) {
          await restart;
        } else if (sent >= kills * 4_000 + 2_000 && kills < KILLS) {
          kills += 1;
          restart = restartAfter(server, kills * 3);
        }
      },
    });
    await restart;
    assert.equal(kills, KILLS);
    assert.deepEqual(withoutRepeats(await read('killed', messages.length)), sequences(messages.length));
  });
});

/** Writes a file until its disk is full. */
function fillDisk(file: string): void {
  const chunk = Buffer.alloc(65_536);
  try {
    for (;;) writeFileSync(file, chunk, { flag: 'a' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

/** Kills the server, and starts it again. @param delay milliseconds until then: it is under load */
async function restartAfter(server: KafkaServer, delay: number): Promise<void> {
  await setTimeout(delay);
  await server.kill();
  await server.start();
}
