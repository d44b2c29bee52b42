/** The brokers to which the event log can be relayed (EVT-9). */
export type BrokerKind = 'nats' | 'redis' | 'rabbitmq' | 'kafka';

/** A relay of the event log to a message broker (EVT-9). */
export interface RelaySettings {
  /** Names its position in the log; of the relays of a model each has another. */
  readonly name: string;
  readonly target: RelayTarget;
  /** Event types as the version of the relay has them: `*`, `product.*` or `product.created`. */
  readonly types: readonly string[];
  /** The JSON of a policy on the data of events; null for all events of the types. */
  readonly filter: string | null;
  /** The served version whose events it sends; null for the newest. */
  readonly version: string | null;
  readonly format: 'native' | 'cloudevents';
}

/** The broker of a relay, and where it sends to. Relative paths of files start at the folder of the model. */
export interface RelayTarget {
  readonly kind: BrokerKind;
  /** May contain credentials: never part of a message or a log entry. */
  readonly url: string;
  /** A file with the credentials, in place of those in the URL: `user:password`; of NATS also a `.creds` file. */
  readonly credentialsFile: string | null;
  readonly tls: BrokerTls;
  /** The subject of NATS, the stream of Redis, the exchange of RabbitMQ or the topic of Kafka. */
  readonly destination: DestinationTemplate;
  /** The routing key of RabbitMQ; null for the other brokers. */
  readonly routingKey: DestinationTemplate | null;
  /** The stream of NATS that stores the subjects; null for the one that does, and for the other brokers. */
  readonly stream: string | null;
  /** True if a missing stream, exchange or topic is created. */
  readonly create: boolean;
  /** Partitions of a topic of Kafka that is created. */
  readonly partitions: number;
  /** RabbitMQ: true if a message that no queue takes counts as sent; if not, the relay waits for a queue. */
  readonly dropsUnroutable: boolean;
}

/** Files in PEM; null for the certificate authorities of Node.js, and for no client certificate. */
export interface BrokerTls {
  readonly caFile: string | null;
  readonly certFile: string | null;
  readonly keyFile: string | null;
}

/** A name with parts that depend on the event: `shop.{collection}` is `['shop.', {kind: 'collection'}]`. */
export type DestinationTemplate = readonly (string | DestinationPart)[];

/** A part of a destination that depends on the event. */
export type DestinationPart =
  /** `{type}`, `{collection}` */
  | { readonly kind: 'type' | 'collection' }
  /** `{data.tenant_id}`: a field of the row. */
  | { readonly kind: 'field'; readonly field: string };
