import { Consumer, MessagesStreamModes } from '@platformatic/kafka';

/** A message as a consumer sees it. */
export interface ConsumedMessage {
  readonly id: string;
  readonly sequence: number;
  readonly partition: number;
}

/** Reads a topic from its start until a sequence. */
export async function readTopic(host: string, topic: string, last: number): Promise<readonly ConsumedMessage[]> {
  const consumer = new Consumer({ groupId: `reader-of-${topic}`, clientId: 'test', bootstrapBrokers: [host] });
  const stream = await consumer.consume({ topics: [topic], mode: MessagesStreamModes.EARLIEST, autocommit: false });
  const consumed: ConsumedMessage[] = [];
  for await (const { headers, partition } of stream) {
    const fields = new Map([...headers].map(([name, value]) => [String(name), String(value)]));
    const sequence = Number(fields.get('sequence'));
    consumed.push({ id: fields.get('message-id') ?? '', sequence, partition });
    if (sequence === last) break;
  }
  await consumer.close(true);
  return consumed;
}
