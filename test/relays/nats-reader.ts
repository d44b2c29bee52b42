import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, connect } from '@nats-io/transport-node';

/** A stored message, as a consumer reads it. */
export interface StoredNatsMessage {
  readonly id: string;
  readonly sequence: number;
  /** Headers of the event: those that only control how it is stored are left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The operator of a server, who reads and changes its streams. */
export interface NatsReader {
  readonly manager: JetStreamManager;
  readonly connection: NatsConnection;
  /** Reads all messages of a stream, in order. */
  read(stream: string): Promise<readonly StoredNatsMessage[]>;
  /** Lets a stream refuse larger messages; -1 for none. */
  limitMessageSize(stream: string, bytes: number): Promise<void>;
  /** Stores a message with an id that the stream has, when its duplicate window has ended. */
  repeatAfterWindow(subject: string, id: string): Promise<void>;
  close(): Promise<void>;
}

export async function readNats(url: string): Promise<NatsReader> {
  const connection = await connect({ servers: url });
  const manager = await jetstreamManager(connection);
  return {
    manager,
    connection,
    read: (stream) => readMessages(manager, stream),
    async limitMessageSize(stream, bytes) {
      await manager.streams.update(stream, { max_msg_size: bytes });
    },
    async repeatAfterWindow(subject, id) {
      const client = manager.jetstream();
      while ((await client.publish(subject, 'repeated', { msgID: id })).duplicate);
    },
    close: () => connection.close(),
  };
}

async function readMessages(manager: JetStreamManager, stream: string): Promise<readonly StoredNatsMessage[]> {
  const { state } = await manager.streams.info(stream);
  const stored: StoredNatsMessage[] = [];
  if (state.messages === 0) return stored;
  const consumer = await manager.jetstream().consumers.get(stream);
  for await (const message of await consumer.consume()) {
    const fields = [...(message.headers ?? [])].map(([name, [value = '']]) => [name, value] as const);
    const headers = Object.fromEntries(fields.filter(([name]) => !name.startsWith('Nats-Expected-')));
    stored.push({
      id: headers['Nats-Msg-Id'] ?? '',
      sequence: Number(headers['sequence']),
      headers,
      body: message.string(),
    });
    if (stored.length === state.messages) break;
  }
  return stored;
}
