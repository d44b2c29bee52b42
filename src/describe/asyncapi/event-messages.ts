import type { JsonObject } from '../../conventions/json/json.ts';
import { exampleError } from '../openapi/api-examples.ts';
import { apiSchema } from '../openapi/api-schemas.ts';
import { WEBHOOK_FIELDS } from '../webhook-fields.ts';
import { cloudEventExample, feedExample, nativeExample } from './event-examples.ts';
import {
  cloudEventSchema,
  envelopeSchema,
  type EventSchemaContext,
  type DescribedEventType,
  typeText,
} from './event-schemas.ts';

/** The location of the correlation id of an event. */
const CORRELATION_ID: JsonObject = {
  location: '$message.payload#/metadata/correlation_id',
  description: 'Names the request that made the change.',
};

const CLOUD_CORRELATION_ID: JsonObject = { ...CORRELATION_ID, location: '$message.payload#/correlationid' };

/** References to messages by name. */
export type MessageReferences = Readonly<Record<string, JsonObject>>;

/** The requests of webhooks for a type: in the native format, and as a CloudEvent (EVT-5, EVT-10b). */
export function webhookMessages(type: DescribedEventType, context: EventSchemaContext): MessageReferences {
  const { components } = context;
  const name = typeText(type);
  const headers = webhookHeaders(context);
  return {
    [name]: components.ref('messages', name, () => ({
      name,
      title: title(type),
      summary: 'The signed request of a webhook with the format native.',
      contentType: 'application/json',
      correlationId: CORRELATION_ID,
      headers,
      payload: envelopeSchema(type, context),
      examples: [nativeExample(type, context)],
    })),
    [`${name}.cloudevent`]: components.ref('messages', `${name}.cloudevent`, () => ({
      name: `${name}.cloudevent`,
      title: `${title(type)}, as a CloudEvent`,
      summary: 'The signed request of a webhook with the format cloudevents: CloudEvents 1.0, structured mode.',
      contentType: 'application/cloudevents+json',
      correlationId: CLOUD_CORRELATION_ID,
      headers,
      payload: cloudEventSchema(type, context),
      examples: [cloudEventExample(type, context)],
    })),
  };
}

/** The event of a type in the live feed (EVT-8b). */
export function feedMessages(type: DescribedEventType, context: EventSchemaContext): MessageReferences {
  const name = `${typeText(type)}.feed`;
  return {
    [name]: context.components.ref('messages', name, () => ({
      name,
      title: `${title(type)}, in the feed`,
      summary: 'A server-sent event: the payload is its data, the headers are its other fields.',
      contentType: 'text/event-stream',
      correlationId: CORRELATION_ID,
      headers: {
        type: 'object',
        required: ['id', 'event'],
        properties: {
          id: { type: 'string', description: 'The sequence: the value of Last-Event-ID from which a feed continues.' },
          event: { type: 'string', const: typeText(type) },
        },
      },
      payload: envelopeSchema(type, context),
      examples: [feedExample(type, context)],
    })),
  };
}

/** The last message of a feed that the server ends: why. */
export function feedError({ components }: EventSchemaContext): MessageReferences {
  return {
    'feed.error': components.ref('messages', 'feed.error', () => ({
      name: 'feed.error',
      title: 'The end of a feed',
      summary: 'Why the server ends the feed; the reader may continue after its last event.',
      contentType: 'text/event-stream',
      headers: {
        type: 'object',
        required: ['event'],
        properties: { event: { type: 'string', const: 'error' } },
      },
      payload: apiSchema('ApiError', components),
      examples: [{ headers: { event: 'error' }, payload: exampleError(401, 'AUTH_TOKEN_EXPIRED') }],
    })),
  };
}

function title({ resource, verb }: DescribedEventType): string {
  return `${resource.singular.replaceAll('_', ' ')} ${verb}`;
}

function webhookHeaders({ components }: EventSchemaContext): JsonObject {
  return components.ref('schemas', 'WebhookHeaders', () => ({
    type: 'object',
    required: Object.keys(WEBHOOK_FIELDS),
    properties: WEBHOOK_FIELDS,
  }));
}
