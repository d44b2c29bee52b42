import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Broker } from '../../src/events/relays/broker.ts';
import { openKafka } from '../../src/events/relays/brokers/kafka.ts';
import type { RelayTarget } from '../../src/model/relay-settings.ts';
import { skipWithoutFile } from '../installed-programs.ts';
import { createAuthority } from '../stores/postgres/driver/authority.ts';
import { TcpRelay } from '../tcp-relay.ts';
import { readTopic } from './kafka-reader.ts';
import { KAFKA, type KafkaServer, startKafka } from './kafka-server.ts';
import { drain, relayMessages, relayTarget, withoutRepeats } from './relay-driver.ts';

const sequences = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('the connections to Kafka', { skip: skipWithoutFile(KAFKA, 'Kafka is'), timeout: 120_000 }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-kafka-'));
  let proxy: TcpRelay;
  let server: KafkaServer;
  before(async () => {
    proxy = await TcpRelay.start({ host: '127.0.0.1', port: 0 });
    // The client uses the address that the broker announces.
    const announced = `advertised.listeners=PLAINTEXT://127.0.0.1:${proxy.port},SASL://127.0.0.1:${proxy.port}`;
    server = await startKafka(path.join(folder, 'cut'), [announced]);
    proxy.target = { host: '127.0.0.1', port: Number(new URL(server.url).port) };
  });
  after(async () => {
    await server.kill();
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (
    context: TestContext,
    target: Partial<RelayTarget> & { readonly url: string },
  ): Promise<Broker> => {
    const broker = await openKafka({
      target: relayTarget({ kind: 'kafka', destination: ['topic'], create: true, ...target }),
      timeout: 5_000,
    });
    context.after(() => broker.close());
    return broker;
  };

  it('[EVT-9b] stores each event once, in order, while connections are cut in the middle of an answer', async (context) => {
    const broker = await open(context, { url: `kafka://127.0.0.1:${proxy.port}` });
    let cuts = 0;
    let cut: Promise<void> = Promise.resolve();
    await drain(broker, relayMessages(4_000, 'cut'), {
      block: 200,
      async onResult({ problem }) {
        assert.equal(problem, null);
        await cut;
        cuts += 1;
        // The answer to a request for records names the topic.
        cut = proxy.cutAt('answer', 'cut');
      },
    });
    assert.equal(cuts, 20);
    const host = `127.0.0.1:${proxy.port}`;
    // The last cut would meet the consumer.
    await Promise.all([cut, broker.publish(relayMessages(1, 'cut', 4_001))]);
    const consumed = await readTopic(host, 'cut', 4_001);
    assert.deepEqual(
      consumed.map(({ sequence }) => sequence),
      sequences(4_001),
    );
  });

  it('[EVT-9b] has both ends prove themselves by certificates, also where the broker announces an address', async (context) => {
    const authority = createAuthority(path.join(folder, 'authority'));
    const broker = authority.issue('broker', ['DNS:localhost', 'IP:127.0.0.1']);
    const client = authority.issue('client');
    const keys = path.join(folder, 'broker.pem');
    writeFileSync(keys, readFileSync(broker.key, 'utf8') + readFileSync(broker.cert, 'utf8'));
    const encrypted = await startKafka(path.join(folder, 'tls'), [
      'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:SSL,SASL:SASL_PLAINTEXT',
      'ssl.keystore.type=PEM',
      `ssl.keystore.location=${keys}`,
      'ssl.truststore.type=PEM',
      `ssl.truststore.location=${authority.file}`,
      'ssl.client.auth=required',
    ]);
    context.after(() => encrypted.kill());
    const url = encrypted.url.replace('kafka://127.0.0.1', 'kafkas://localhost');
    const tls = { caFile: authority.file, certFile: client.cert, keyFile: client.key };
    const trusted = await open(context, { url, tls });
    assert.deepEqual(await trusted.publish(relayMessages(3, 'tls')), { acknowledged: 3, problem: null });
    const withoutCertificate = await open(context, { url, tls: { ...tls, certFile: null, keyFile: null } });
    assert.equal((await withoutCertificate.publish(relayMessages(3, 'tls', 4))).acknowledged, 0);
    const withoutAuthority = await open(context, { url, tls: { ...tls, caFile: null } });
    assert.match((await withoutAuthority.publish(relayMessages(3, 'tls', 4))).problem ?? '', /certificate/);
    const withoutTls = await open(context, { url: encrypted.url });
    assert.match((await withoutTls.publish(relayMessages(3, 'tls', 4))).problem ?? '', /requires TLS/);
  });

  it('[EVT-9b] keeps the order where two processes send the same events at a time', async (context) => {
    const messages = relayMessages(3_000, 'two');
    const url = `kafka://127.0.0.1:${proxy.port}`;
    const [one, two] = await Promise.all([open(context, { url }), open(context, { url })]);
    await Promise.all([drain(one, messages, { block: 300 }), drain(two, messages, { block: 77 })]);
    const consumed = await readTopic(`127.0.0.1:${proxy.port}`, 'two', 3_000);
    assert.deepEqual(withoutRepeats(consumed), sequences(3_000));
  });
});
