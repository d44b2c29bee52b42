import type { Broker, PublishResult, RelayMessage } from '../../src/events/relays/broker.ts';
import type { RelayTarget } from '../../src/model/relay-settings.ts';

/** Events of one relay, from a sequence on. */
export function relayMessages(count: number, destination: string, first = 1): readonly RelayMessage[] {
  return Array.from({ length: count }, (_, index) => relayMessage(first + index, destination));
}

/** The event of a sequence: the same id and bytes each time. */
export function relayMessage(sequence: number, destination: string): RelayMessage {
  const id = `0197f000-0000-7000-8000-${String(sequence).padStart(12, '0')}`;
  const data = { id: sequence, name: 'A teapot', note: 'x'.repeat(480) };
  return {
    id,
    sequence,
    type: 'product.created',
    destination,
    routingKey: '',
    key: `product/${String(sequence)}`,
    contentType: 'application/json',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    body: JSON.stringify({ id, type: 'product.created', sequence: String(sequence).padStart(20, '0'), data }),
  };
}

/** A target with the settings that a test names. */
export function relayTarget(
  target: Pick<RelayTarget, 'kind' | 'url' | 'destination'> & Partial<RelayTarget>,
): RelayTarget {
  return {
    credentialsFile: null,
    tls: { caFile: null, certFile: null, keyFile: null },
    routingKey: null,
    stream: null,
    create: false,
    partitions: 1,
    dropsUnroutable: false,
    ...target,
  };
}

/** Options of {@link drain}. */
interface DrainOptions {
  /** Messages in a call. */
  readonly block?: number;
  /** Called after each call, before the next one. */
  readonly onResult?: (result: PublishResult, sent: number) => void | Promise<void>;
}

/** Sends all messages, as the relay does: it begins each call with the first that is not acknowledged. */
export async function drain(
  broker: Broker,
  messages: readonly RelayMessage[],
  { block = 500, onResult = () => undefined }: DrainOptions = {},
): Promise<void> {
  let sent = 0;
  while (sent < messages.length) {
    const result = await broker.publish(messages.slice(sent, sent + block));
    sent += result.acknowledged;
    await onResult(result, sent);
  }
}

/** The sequences that a consumer sees if it leaves out repeated ids. */
export function withoutRepeats(entries: readonly { readonly id: string; readonly sequence: number }[]): number[] {
  const seen = new Set<string>();
  return entries.filter(({ id }) => !seen.has(id) && seen.add(id)).map(({ sequence }) => sequence);
}
