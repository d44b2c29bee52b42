import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { BrokerKind } from '../../src/model/relay-settings.ts';
import { bindQueue, connectReader } from '../../test/relays/rabbitmq-reader.ts';
import { startKafka } from '../../test/relays/kafka-server.ts';
import { startNats } from '../../test/relays/nats-server.ts';
import { startRabbit } from '../../test/relays/rabbitmq-server.ts';
import { startRedis } from '../../test/redis-server.ts';

/** A broker of this machine, on loopback. */
export interface StartedBroker {
  readonly kind: BrokerKind;
  readonly url: string;
  /** Makes what takes the messages of a relay with a name, which `create` does not. */
  readonly prepare: (name: string) => Promise<void>;
  readonly end: () => Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

/** Starts a broker as its tests do, with its files in a folder. */
export async function startBroker(kind: BrokerKind, parent: string): Promise<StartedBroker> {
  const folder = path.join(parent, kind);
  mkdirSync(folder);
  switch (kind) {
    case 'nats': {
      const { url, kill } = await startNats({ folder });
      return { kind, url, prepare: nothing, end: kill };
    }
    case 'redis': {
      const settings = ['--dir', folder, '--appendonly', 'yes', '--appendfsync', 'everysec'];
      const { url, kill } = await startRedis(undefined, settings);
      return { kind, url, prepare: nothing, end: kill };
    }
    case 'rabbitmq': {
      const { url, end } = await startRabbit(folder);
      const connection = await connectReader(url);
      const close = async (): Promise<void> => {
        await connection.close();
        await end();
      };
      const prepare = (name: string): Promise<void> => bindQueue(connection, { queue: name, exchange: name });
      return { kind, url, prepare, end: close };
    }
    case 'kafka': {
      const { url, kill } = await startKafka(folder, ['log.flush.interval.messages=9223372036854775807']);
      return { kind, url, prepare: nothing, end: kill };
    }
  }
}

/** A model whose relay has a name, which names its stream, exchange or topic, too. @param broker null for no relay */
export function benchModel(name: string, broker: Pick<StartedBroker, 'kind' | 'url'> | null): string {
  const relay =
    broker === null ? '' : `events: { relays: [{ name: bench, ${broker.kind}: '${broker.url}', create: true }] }\n`;
  return `name: ${name}
${relay}limits: { rate: false }
resources:
  products:
    schema: { type: object, required: [name], properties: { name: { type: string }, price: { type: integer } } }
`;
}
