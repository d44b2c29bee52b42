import { type AsyncMessage, Connection } from 'rabbitmq-client';

/** A message as a consumer sees it. */
export interface ReadMessage {
  readonly id: string;
  readonly sequence: number;
  readonly message: AsyncMessage;
}

/** Connects as the user `guest`. */
export async function connectReader(url: string): Promise<Connection> {
  const connection = new Connection({ url, retryLow: 200, retryHigh: 400 });
  // Servers of tests are killed; the client connects again.
  connection.on('error', () => undefined);
  await connection.onConnect(0);
  return connection;
}

/** Declares a durable queue that takes routing keys of a topic exchange. */
export async function bindQueue(
  connection: Connection,
  { queue, exchange, routingKey = '#', type = 'quorum', limits = {} }: QueueOptions,
): Promise<void> {
  await connection.exchangeDeclare({ exchange, type: 'topic', durable: true });
  await connection.queueDeclare({ queue, durable: true, arguments: { 'x-queue-type': type, ...limits } });
  await connection.queueBind({ queue, exchange, routingKey });
}

interface QueueOptions {
  readonly queue: string;
  readonly exchange: string;
  readonly routingKey?: string;
  readonly type?: 'quorum' | 'classic';
  readonly limits?: Readonly<Record<string, string | number>>;
}

/** Reads all that a queue has, in its order, up to a sequence. */
export async function readQueue(connection: Connection, queue: string, last: number): Promise<readonly ReadMessage[]> {
  const read: ReadMessage[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const channel = await connection.acquire();
  await channel.basicConsume({ queue, noAck: true }, (message) => {
    const sequence = Number(message.headers?.['sequence']);
    read.push({ id: message.messageId ?? '', sequence, message });
    if (sequence === last) resolve();
  });
  await promise;
  await channel.close();
  return read;
}
