import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Broker } from '../../src/events/relays/broker.ts';
import { openNats } from '../../src/events/relays/brokers/nats.ts';
import { openRedis } from '../../src/events/relays/brokers/redis.ts';
import type { BrokerTls } from '../../src/model/relay-settings.ts';
import { freePort } from '../free-port.ts';
import { skipWithout } from '../installed-programs.ts';
import { startRedis } from '../redis-server.ts';
import { createAuthority } from '../stores/postgres/driver/authority.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { startNats } from './nats-server.ts';
import { relayMessages, relayTarget } from './relay-driver.ts';

const timeout = 10_000;
const NO_FILES: BrokerTls = { caFile: null, certFile: null, keyFile: null };

async function publishOnce(broker: Broker, destination: string): ReturnType<Broker['publish']> {
  const result = await broker.publish(relayMessages(3, destination));
  await broker.close();
  return result;
}

describe('relays over TLS, with a certificate of the client', { skip: skipWithout('openssl') }, () => {
  it('[EVT-9a] sends to NATS, and not to a server of another authority', {
    skip: skipWithout('nats-server'),
  }, async (context) => {
    const folder = temporaryDirectory(context);
    const authority = createAuthority(path.join(folder, 'ca'));
    const { cert, key } = authority.issue('server', ['IP:127.0.0.1']);
    const client = authority.issue('client');
    const configuration = path.join(folder, 'server.conf');
    writeFileSync(
      configuration,
      `tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${authority.file}", verify: true }\n`,
    );
    const server = await startNats({ folder, configuration });
    context.after(() => server.kill());
    const send = async (url: string, tls: BrokerTls): ReturnType<Broker['publish']> => {
      const target = relayTarget({ kind: 'nats', url, destination: ['safe.product'], create: true, tls });
      return publishOnce(await openNats({ target, timeout }), 'safe.product');
    };
    const files = { caFile: authority.file, certFile: client.cert, keyFile: client.key };
    const encrypted = server.url.replace('nats:', 'tls:');
    for (const url of [encrypted, server.url])
      assert.deepEqual(await send(url, files), { acknowledged: 3, problem: null });
    assert.match((await send(encrypted, NO_FILES)).problem ?? '', /certificate/);
    const missing = await send(encrypted, { ...files, caFile: path.join(folder, 'missing.pem') });
    assert.match(missing.problem ?? '', /^the file of certificate authorities cannot be read: ENOENT/);
  });

  it('[EVT-9d] sends to Redis, and not to a server of another authority', {
    skip: skipWithout('redis-server'),
  }, async (context) => {
    const folder = temporaryDirectory(context);
    const authority = createAuthority(path.join(folder, 'ca'));
    const { cert, key } = authority.issue('server', ['IP:127.0.0.1']);
    const client = authority.issue('client');
    const port = await freePort();
    const settings = ['--port', '0', '--tls-port', String(port), '--tls-cert-file', cert, '--tls-key-file', key];
    const server = await startRedis(undefined, [...settings, '--tls-ca-cert-file', authority.file]);
    context.after(() => server.kill());
    const send = async (tls: BrokerTls): ReturnType<Broker['publish']> => {
      const url = `rediss://127.0.0.1:${port}`;
      const target = relayTarget({ kind: 'redis', url, destination: ['safe'], create: true, tls });
      return publishOnce(await openRedis({ target, timeout }), 'safe');
    };
    const files = { caFile: authority.file, certFile: client.cert, keyFile: client.key };
    assert.deepEqual(await send(files), { acknowledged: 3, problem: null });
    assert.match((await send(NO_FILES)).problem ?? '', /certificate/);
    assert.equal((await send({ ...files, certFile: null, keyFile: null })).acknowledged, 0);
  });
});
