import { channels, type DeliveryContext, publish } from '../platform/trace-channels.ts';
import type { AttemptResult, Delivery, Subscriber } from './subscriber.ts';

/** An attempt that has ended. */
export interface Attempted {
  readonly result: AttemptResult;
  /** What the subscriber rejected with; null where it did not. */
  readonly error: unknown;
  /** Milliseconds, with fractions. */
  readonly duration: number;
}

/** Delivers an event, for as long as the subscriber may take. Never rejects. @param elapsed monotonic milliseconds */
export async function attemptDelivery(
  subscriber: Pick<Subscriber, 'deliver' | 'timeout'>,
  delivery: Delivery,
  elapsed: () => number,
): Promise<Attempted> {
  const began = elapsed();
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`${delivery.subscription.name} took more than ${subscriber.timeout / 1_000} s`)),
    subscriber.timeout,
  );
  try {
    const delivered = publishAttempt(delivery, () => subscriber.deliver(delivery));
    const result = await Promise.race([delivered, expired]);
    return { result, error: null, duration: elapsed() - began };
  } catch (error) {
    return { result: { kind: 'failed' }, error, duration: elapsed() - began };
  } finally {
    clearTimeout(timer);
  }
}

/** Publishes an attempt to the subscribers of its channel, if there are any. */
async function publishAttempt(
  { subscription, event: { event }, attempt }: Delivery,
  run: () => Promise<AttemptResult>,
): Promise<AttemptResult> {
  if (!channels.delivery.hasSubscribers) return run();
  const { id: eventId, type: eventType } = event;
  const context: DeliveryContext = { endpoint: subscription.name, eventId, eventType, attempt, result: null };
  return publish(channels.delivery, context, run, ({ kind }) => (context.result = kind));
}
