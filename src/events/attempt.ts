import type { Clock } from '../platform/clock.ts';
import { channels, type DeliveryContext, publish } from '../platform/trace-channels.ts';
import type { AttemptResult, Delivery, Subscriber } from './subscriber.ts';

/** An attempt that has ended. */
export interface Attempted {
  readonly result: AttemptResult;
  /** What the subscriber rejected with; null where it did not. */
  readonly error: unknown;
  /** When it began: milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds, with fractions. */
  readonly duration: number;
}

interface AttemptSources {
  readonly clock: Clock;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
}

const MAX_EXCERPT = 1_024;

/** Delivers an event, for as long as the subscriber may take. Never rejects. */
export async function attemptDelivery(
  subscriber: Pick<Subscriber, 'deliver' | 'timeout'>,
  delivery: Delivery,
  { clock, elapsed }: AttemptSources,
): Promise<Attempted> {
  const at = clock.now();
  const began = elapsed();
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`${delivery.subscription.name} took more than ${subscriber.timeout / 1_000} s`)),
    subscriber.timeout,
  );
  try {
    const delivered = publishAttempt(delivery, () => subscriber.deliver(delivery));
    const result = await Promise.race([delivered, expired]);
    return { result, error: null, at, duration: elapsed() - began };
  } catch (error) {
    const excerpt = (error instanceof Error ? error.message : String(error)).slice(0, MAX_EXCERPT);
    return { result: { kind: 'failed', excerpt }, error, at, duration: elapsed() - began };
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
