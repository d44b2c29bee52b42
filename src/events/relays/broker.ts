import type { RelayTarget } from '../../model/relay-settings.ts';

/** An event as a relay sends it: the same bytes at each attempt. */
export interface RelayMessage {
  /** The id of the event, by which consumers recognize a message that was sent again. */
  readonly id: string;
  /** The sequence of the event, from 1. */
  readonly sequence: number;
  readonly type: string;
  /** The subject, stream, exchange or topic. */
  readonly destination: string;
  /** The routing key of RabbitMQ; empty for the other brokers. */
  readonly routingKey: string;
  /** Names the resource of the event: `product/0197…`. Messages of one key are in one partition. */
  readonly key: string;
  /** The media type of the body. */
  readonly contentType: string;
  /** `traceparent` of the request that wrote. */
  readonly traceparent: string;
  /** JSON text: the envelope (EVT-2), or a CloudEvent in structured mode. */
  readonly body: string;
}

/** The result of sending messages. */
export interface PublishResult {
  /** The first messages that the broker has stored for certain, now or before. */
  readonly acknowledged: number;
  /** The reason why the next one was not acknowledged, without credentials; null if all were. */
  readonly problem: string | null;
}

/**
 * A message broker. It connects when it is first needed, and again whenever its connection is lost.
 *
 * Messages are in order of `sequence`, and each call begins after those that the broker has acknowledged, in this
 * process or another one. A message that is sent again has the same id.
 */
export interface Broker {
  /** The host and port of the URL, without credentials: for messages. */
  readonly address: string;
  /**
   * Sends messages in their order, many in flight: no message is stored before one that precedes it. A consumer that
   * leaves out repeated ids sees each event once and in order (EVT-9). Calls do not overlap.
   *
   * It never rejects, and settles within its time limit: what the broker has not acknowledged by then is not.
   */
  publish(messages: readonly RelayMessage[]): Promise<PublishResult>;
  /** Ends the connection; a call in progress settles. Never rejects. */
  close(): Promise<void>;
}

/** Options to open a broker. */
export interface BrokerOptions {
  readonly target: RelayTarget;
  /** Milliseconds in which a call of {@link Broker.publish} settles. */
  readonly timeout: number;
}

/** The package of a broker's client is not installed. */
export class BrokerPackageMissing extends Error {
  /** @param broker its display name @param packageName on npm */
  constructor(broker: string, packageName: string, cause: unknown) {
    super(`${broker} needs the package ${packageName}: run \`npm install ${packageName}\`.`, { cause });
    this.name = 'BrokerPackageMissing';
  }
}
