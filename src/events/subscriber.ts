import type { EventEnvelope } from '../conventions/event.ts';

/** Receives events: a hook of the application, later also a webhook or a broker. */
export interface Subscriber {
  /** The name of its deliveries in the database: `after:products.created`. */
  readonly name: string;
  accepts(event: EventEnvelope): boolean;
  /** Rejects if the delivery failed. It is then retried. */
  deliver(event: EventEnvelope): Promise<void>;
}
