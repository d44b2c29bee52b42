import type { EventEnvelope } from '../conventions/event.ts';

/** Where events go: a hook of the application, and later a webhook or a broker. */
export interface Subscriber {
  /** By which its deliveries are known in the database: `after:products.created`. */
  readonly name: string;
  accepts(event: EventEnvelope): boolean;
  /** Rejects where the delivery failed: it is tried again. */
  deliver(event: EventEnvelope): Promise<void>;
}
