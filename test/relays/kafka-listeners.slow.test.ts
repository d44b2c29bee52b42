import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openKafka } from '../../src/events/relays/brokers/kafka.ts';
import { skipWithoutFile } from '../installed-programs.ts';
import { createAuthority } from '../stores/postgres/driver/authority.ts';
import { KAFKA, type KafkaServer, startKafka } from './kafka-server.ts';
import { relayMessages, relayTarget } from './relay-driver.ts';

const NO_SASL = 'the listener of Kafka has no SASL: remove the credentials, or name the port of a listener with SASL';
const SASL = 'Kafka closed the connection: if its listener requires SASL, set credentials (SASL/PLAIN)';
const NO_TLS = 'Kafka closed the connection before TLS began: if its listener has no TLS, write kafka:// in the URL';
const TLS = 'the listener of Kafka requires TLS: write kafkas:// in the URL';
const PERHAPS_TLS =
  'Kafka closed the connection before it took the credentials: if its listener requires TLS, write kafkas:// in the URL';

/** The problem of each client, without and with TLS and credentials, at each listener; null for none. */
const CLIENTS = ['kafka://', 'kafka://relay:right-secret@', 'kafkas://', 'kafkas://relay:right-secret@'] as const;
const LISTENERS = {
  PLAINTEXT: [null, NO_SASL, NO_TLS, NO_TLS],
  SASL_PLAINTEXT: [SASL, null, NO_TLS, NO_TLS],
  SSL: [TLS, PERHAPS_TLS, null, NO_SASL],
  SASL_SSL: [TLS, PERHAPS_TLS, SASL, null],
} as const;

describe('a listener of Kafka of another kind than the URL', { skip: skipWithoutFile(KAFKA, 'Kafka is') }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-kafka-'));
  const authority = createAuthority(path.join(folder, 'authority'));
  const servers: KafkaServer[] = [];
  const urls = new Map<string, string>();
  before(async () => {
    const { key, cert } = authority.issue('broker', ['IP:127.0.0.1']);
    const keys = path.join(folder, 'broker.pem');
    writeFileSync(keys, readFileSync(key, 'utf8') + readFileSync(cert, 'utf8'));
    const open = await startKafka(path.join(folder, 'open'));
    servers.push(open);
    const encrypted = await startKafka(path.join(folder, 'tls'), [
      'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:SSL,SASL:SASL_SSL',
      'ssl.keystore.type=PEM',
      `ssl.keystore.location=${keys}`,
      'ssl.truststore.type=PEM',
      `ssl.truststore.location=${authority.file}`,
    ]);
    servers.push(encrypted);
    urls.set('PLAINTEXT', open.url).set('SASL_PLAINTEXT', open.saslUrl);
    urls.set('SSL', encrypted.url).set('SASL_SSL', encrypted.saslUrl);
  });
  after(async () => {
    for (const server of servers) await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [listener, problems] of Object.entries(LISTENERS))
    it(`[EVT-9b] is named as the likely reason, with what to write: ${listener}`, async (context) => {
      for (const [index, client] of CLIENTS.entries()) {
        const url = (urls.get(listener) ?? '').replace('kafka://', client);
        const tls = { caFile: authority.file, certFile: null, keyFile: null };
        const target = relayTarget({ kind: 'kafka', url, destination: ['topic'], create: true, tls });
        const broker = await openKafka({ target, timeout: 10_000 });
        context.after(() => broker.close());
        const { problem } = await broker.publish(relayMessages(2, `by-${index}`));
        assert.equal(problem, problems[index], client);
      }
    });
});
