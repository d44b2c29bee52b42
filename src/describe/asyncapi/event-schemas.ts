import { SEQUENCE_PATTERN } from '../../conventions/events/event.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import type { Field, Model, Resource } from '../../model/model.ts';
import { toTypeName } from '../../model/type-names.ts';
import { readObject } from '../../model/values/access.ts';
import { publishedFields } from '../../model/event-types.ts';
import type { Components } from '../components.ts';
import { CALLER_SCHEMA } from '../event-caller-schema.ts';
import { eventTypeName, payloadSchemaName } from './data-schema.ts';
import { TRACEPARENT } from '../webhook-fields.ts';
import { ID_SCHEMA } from '../openapi/described-resource.ts';
import { memberSchemas, nullable } from '../value-schema.ts';

/** A type of event of a contract: `product.created`. */
export interface DescribedEventType {
  readonly resource: Resource;
  /** `created`, `updated`, `deleted`, `disabled` or `ping`. */
  readonly verb: string;
}

/** The context of the schemas of events. */
export interface EventSchemaContext {
  readonly model: Model;
  /** `1.4`. */
  readonly schemaVersion: string;
  readonly components: Components;
}

const TIME: JsonObject = { type: 'string', format: 'date-time' };

/** The type as events have it. */
export function typeText({ resource, verb }: DescribedEventType): string {
  return `${resource.singular}.${verb}`;
}

/** The start of the names of the schemas of a type: `ProductCreated`. */
function nameSchema(type: DescribedEventType): string {
  return eventTypeName(typeText(type));
}

/** The envelope of events of a type (EVT-2). */
export function envelopeSchema(type: DescribedEventType, context: EventSchemaContext): JsonObject {
  return context.components.ref('schemas', `${nameSchema(type)}Event`, () => ({
    type: 'object',
    required: ['id', 'type', 'payload', 'metadata'],
    properties: {
      id: EVENT_ID,
      type: { type: 'string', const: typeText(type) },
      payload: payloadSchema(type, context),
      metadata: metadataSchema(context),
    },
  }));
}

/** The same event as CloudEvents 1.0 has it, in the structured mode (EVT-10b). */
export function cloudEventSchema(type: DescribedEventType, context: EventSchemaContext): JsonObject {
  return context.components.ref('schemas', `${nameSchema(type)}CloudEvent`, () => {
    const properties: JsonObject = {
      specversion: { type: 'string', const: '1.0' },
      id: EVENT_ID,
      source: { type: 'string', format: 'uri', description: 'The URL of the API.' },
      type: { type: 'string', const: `${context.model.name}.${typeText(type)}` },
      subject: { type: 'string', description: 'The path of the resource.' },
      time: TIME,
      datacontenttype: { type: 'string', const: 'application/json' },
      dataschema: { type: 'string', format: 'uri', description: 'The schema of data in this description.' },
      data: payloadSchema(type, context),
      traceparent: TRACEPARENT,
      correlationid: { type: 'string' },
      sequence: SEQUENCE,
      schemaversion: { type: 'string', const: context.schemaVersion },
    };
    const caller = { callersubject: { type: 'string' }, callerissuer: { type: 'string' } };
    return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...caller } };
  });
}

const EVENT_ID: JsonObject = {
  type: 'string',
  format: 'uuid',
  description: 'The same in every delivery and replay: receivers recognize a repeated event by it.',
};

const SEQUENCE: JsonObject = {
  type: 'string',
  pattern: SEQUENCE_PATTERN,
  description: 'The place in the log: 20 digits, so that the order of texts is that of events. Zero for a ping.',
};

function payloadSchema(type: DescribedEventType, context: EventSchemaContext): JsonObject {
  const { resource, verb } = type;
  return context.components.ref('schemas', payloadSchemaName(typeText(type)), () => ({
    type: 'object',
    required: ['timestamp', 'resource', 'parents', 'changed_fields'],
    properties: {
      timestamp: TIME,
      resource: {
        type: 'object',
        required: ['type', 'id', 'url'],
        properties: {
          type: { type: 'string', const: resource.singular },
          id: ID_SCHEMA,
          url: { type: 'string', format: 'uri' },
        },
      },
      parents: parentsSchema(resource, context),
      changed_fields: changedFieldsSchema(type),
      ...(resource.events === 'thin' || verb === 'ping' ? {} : { data: dataSchema(resource, context) }),
    },
  }));
}

/** The rows above it, the nearest first. */
function parentsSchema(resource: Resource, { model }: EventSchemaContext): JsonObject {
  const above: string[] = [];
  for (let { parent } = resource; parent !== null; ) {
    const next: Resource | undefined = model.resources.get(parent.resource);
    above.push(next?.singular ?? parent.resource);
    parent = next?.parent ?? null;
  }
  if (above.length === 0) return { type: 'array', maxItems: 0 };
  return {
    type: 'array',
    minItems: above.length,
    maxItems: above.length,
    description: 'The resources above it, the nearest first.',
    items: {
      type: 'object',
      required: ['type', 'id'],
      properties: { type: { type: 'string', enum: above }, id: ID_SCHEMA },
    },
  };
}

/** Declared fields that the reader may read: all that are set on create, those that differ on update. */
function changedFieldsSchema({ resource, verb }: DescribedEventType): JsonObject {
  const names = publishedFields(resource)
    .map(({ name }) => name)
    .filter((name) => name !== resource.parent?.field);
  if (verb === 'deleted' || verb === 'ping' || names.length === 0) return { type: 'array', maxItems: 0 };
  return { type: 'array', uniqueItems: true, items: { type: 'string', enum: names } };
}

function dataSchema(resource: Resource, { components }: EventSchemaContext): JsonObject {
  return components.ref('schemas', `${toTypeName(resource.singular)}EventData`, () => eventDataSchema(resource));
}

/**
 * The row after the change, or before its deletion. A member is null where the event is older than it, and absent where
 * the reader may not read it.
 */
export function eventDataSchema(resource: Resource): JsonObject {
  const fields = publishedFields(resource);
  const schemas = memberSchemas(fields, resource.schema, 'response');
  return {
    type: 'object',
    required: ['id', ...knownFields(resource).map(({ name }) => name)],
    properties: {
      id: ID_SCHEMA,
      ...Object.fromEntries(fields.map(({ name }) => [name, nullable(readObject(schemas[name]))])),
    },
  };
}

/** The fields that the data of each event has: those that need no scope. */
export function knownFields(resource: Resource): readonly Field[] {
  return publishedFields(resource).filter(({ name }) => (resource.fieldAccess.get(name)?.read ?? null) === null);
}

function metadataSchema({ schemaVersion, components }: EventSchemaContext): JsonObject {
  return components.ref('schemas', 'EventMetadata', () => ({
    type: 'object',
    required: ['trace_id', 'correlation_id', 'schema_version', 'sequence', 'actor', 'caller'],
    properties: {
      trace_id: { type: 'string' },
      correlation_id: { type: 'string', description: 'Names the request in the log of the server.' },
      schema_version: {
        type: 'string',
        const: schemaVersion,
        description: 'Major and minor version of the contract that the reader has.',
      },
      sequence: SEQUENCE,
      actor: { type: ['string', 'null'], description: 'The subject of the caller; null without one.' },
      caller: CALLER_SCHEMA,
    },
  }));
}
