import type { JsonObject } from '../../conventions/json/json.ts';
import { EVENT_PATTERN } from '../../conventions/events/event-pattern.ts';

/** Partitions of a topic of Kafka at most. */
const MAX_PARTITIONS = 10_000;

const TEMPLATE_PARTS = '{type}, {collection} and {data.FIELD} are those of the event';

function text(description: string): JsonObject {
  return { type: 'string', minLength: 1, description };
}

/** No keyword but `type` stands for a URL, which may contain a password: no message may quote it. */
function brokerUrl(description: string): JsonObject {
  return { type: 'string', description };
}

const TLS: JsonObject = {
  type: 'object',
  description: 'Files in PEM, relative to the model: {ca_file, cert_file, key_file}',
  properties: {
    ca_file: text('The certificate authorities of the broker'),
    cert_file: text('The certificate of the client'),
    key_file: text('The key of the certificate of the client'),
  },
  additionalProperties: false,
};

/** The schema of an entry of `events.relays` (EVT-9). */
export const relaySchema: JsonObject = {
  type: 'object',
  description: 'A message broker that receives events: one of nats, redis, rabbitmq and kafka, with its URL',
  properties: {
    nats: brokerUrl('The URL of NATS, such as nats://127.0.0.1:4222; tls:// for TLS; several with commas'),
    redis: brokerUrl('The URL of Redis, such as redis://127.0.0.1:6379; rediss:// for TLS'),
    rabbitmq: brokerUrl('The URL of RabbitMQ, such as amqp://127.0.0.1:5672; amqps:// for TLS'),
    kafka: brokerUrl('The URL of Kafka, such as kafka://127.0.0.1:9092; kafkas:// for TLS; several hosts with commas'),
    name: {
      type: 'string',
      pattern: '^[a-z][a-z0-9-]{0,40}$',
      description: 'A name of lower-case letters, digits and hyphens; default: nats, redis, rabbitmq or kafka',
    },
    types: {
      type: 'array',
      items: { type: 'string', pattern: EVENT_PATTERN },
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      default: ['*'],
      description: 'Types of events, such as product.created, product.* or *',
    },
    filter: {
      type: ['boolean', 'object'],
      description: 'A policy on the data of events, such as {status: ACTIVE}; default: all events of the types',
    },
    version: {
      type: 'string',
      pattern: '^(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})$',
      description: 'The version of the contract whose events it sends, such as 1.4.0; default: the newest',
    },
    format: {
      type: 'string',
      enum: ['native', 'cloudevents'],
      default: 'native',
      description: 'The form of a message: the envelope of the event, or a CloudEvent',
    },
    credentials_file: text('A file with user:password, relative to the model, in place of those in the URL'),
    tls: TLS,
    create: { type: 'boolean', default: false, description: 'Create the stream, exchange or topic if it is missing' },
    subject: text(`The subject of NATS, such as shop.{collection}.{type}: ${TEMPLATE_PARTS}`),
    stream: text('The stream of NATS that stores the subjects, or the stream of Redis, such as shop:{data.tenant_id}'),
    exchange: text(`The exchange of RabbitMQ, such as shop: ${TEMPLATE_PARTS}`),
    routing_key: text(`The routing key of RabbitMQ, such as {type}: ${TEMPLATE_PARTS}`),
    unroutable: {
      type: 'string',
      enum: ['wait', 'drop'],
      default: 'wait',
      description: 'RabbitMQ: wait for a queue that takes the message, or drop it',
    },
    topic: text(`The topic of Kafka, such as shop.events: ${TEMPLATE_PARTS}`),
    partitions: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_PARTITIONS,
      default: 1,
      description: 'Partitions of a topic of Kafka that is created; one keeps the order of sequence',
    },
  },
  additionalProperties: false,
};
