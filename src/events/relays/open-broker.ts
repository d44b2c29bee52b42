import path from 'node:path';
import type { BrokerKind, RelayTarget } from '../../model/relay-settings.ts';
import type { Broker, BrokerOptions } from './broker.ts';
import { PUBLISH_TIMEOUT } from './relay-reader.ts';

type OpenBroker = (options: BrokerOptions) => Promise<Broker>;

/** Each broker is a module of its own, which is loaded where a relay needs it. */
const BROKERS: Readonly<Record<BrokerKind, () => Promise<OpenBroker>>> = {
  nats: async () => (await import('./brokers/nats.ts')).openNats,
  redis: async () => (await import('./brokers/redis.ts')).openRedis,
  rabbitmq: async () => (await import('./brokers/rabbitmq.ts')).openRabbit,
  kafka: async () => (await import('./brokers/kafka.ts')).openKafka,
};

/**
 * Opens the broker of a relay, without waiting for it.
 *
 * @param folder where relative paths of files start
 * @throws {BrokerPackageMissing}
 */
export async function openBroker(target: RelayTarget, folder: string): Promise<Broker> {
  const open = await BROKERS[target.kind]();
  return open({ target: resolveFiles(target, folder), timeout: PUBLISH_TIMEOUT });
}

function resolveFiles(target: RelayTarget, folder: string): RelayTarget {
  const { credentialsFile, tls } = target;
  const resolve = (file: string | null): string | null => (file === null ? null : path.resolve(folder, file));
  const { caFile, certFile, keyFile } = tls;
  return {
    ...target,
    credentialsFile: resolve(credentialsFile),
    tls: { caFile: resolve(caFile), certFile: resolve(certFile), keyFile: resolve(keyFile) },
  };
}
