import { type CloudEvent, cloudEvent, eventTraceparent } from '../../conventions/events/cloud-event.ts';
import { type EventEnvelope, sequenceText } from '../../conventions/events/event.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from '../example-value.ts';
import { exampleMember, sampleId } from '../openapi/examples.ts';
import { listAncestors, versionedPath } from '../surface/placed-resource.ts';
import { dataSchemaUri } from './data-schema.ts';
import { type DescribedEventType, type EventSchemaContext, knownFields, typeText } from './event-schemas.ts';

const EXAMPLE_CALLER = { issuer: 'id.example.com', subject: 'ann', client: 'shop-web' };
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const ORIGIN = 'https://api.example.com';
const SEQUENCE = 42;
/** 32 bytes in base64. */
const SIGNATURE = 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=';

/** An event of a type (EVT-2). Its members follow from the model alone. */
function exampleEvent(type: DescribedEventType, { model, schemaVersion }: EventSchemaContext): EventEnvelope {
  const { resource, verb } = type;
  const above = listAncestors(resource, model);
  const path = [...above.toReversed(), resource].map((each) => `${each.collection}/${sampleId(each)}`).join('/');
  const fields = knownFields(resource);
  const changed = fields.map(({ name }) => name).filter((name) => name !== resource.parent?.field);
  const data: JsonObject = {
    id: sampleId(resource),
    ...Object.fromEntries(fields.map((field) => [field.name, exampleMember(field, resource)])),
    ...(verb === 'disabled' ? { status: 'disabled' } : {}),
  };
  return {
    id: EXAMPLE_ID,
    type: typeText(type),
    payload: {
      timestamp: EXAMPLE_TIME,
      resource: {
        type: resource.singular,
        id: sampleId(resource),
        url: `${model.publicUrl ?? ORIGIN}${versionedPath(model)}/${path}`,
      },
      parents: above.map((each) => ({ type: each.singular, id: sampleId(each) })),
      changed_fields: exampleChanges(verb, changed),
      ...(resource.events === 'thin' || verb === 'ping' ? {} : { data }),
    },
    metadata: {
      trace_id: TRACE_ID,
      correlation_id: EXAMPLE_ID,
      schema_version: schemaVersion,
      sequence: sequenceText(verb === 'ping' ? 0 : SEQUENCE),
      actor: EXAMPLE_CALLER.subject,
      caller: EXAMPLE_CALLER,
    },
  };
}

function exampleChanges(verb: string, names: readonly string[]): readonly string[] {
  if (verb === 'disabled') return ['status'];
  if (verb === 'created') return names;
  return verb === 'updated' ? names.slice(0, 1) : [];
}

/** The request that delivers an event in the native format. */
export function nativeExample(type: DescribedEventType, context: EventSchemaContext): JsonObject {
  const event = exampleEvent(type, context);
  return { headers: webhookHeaders(event), payload: toJson(event) };
}

/** The request that delivers it in the structured mode of CloudEvents. */
export function cloudEventExample(type: DescribedEventType, context: EventSchemaContext): JsonObject {
  const event = exampleEvent(type, context);
  const { name, publicUrl, basePath } = context.model;
  const source = `${publicUrl ?? ORIGIN}${basePath}`;
  const payload = toJson(cloudEvent(event, { name, source, dataschema: dataSchemaUri(source, event) }));
  return { headers: webhookHeaders(event), payload };
}

/** It in the live feed. */
export function feedExample(type: DescribedEventType, context: EventSchemaContext): JsonObject {
  const event = exampleEvent(type, context);
  return { headers: { id: event.metadata.sequence, event: event.type }, payload: toJson(event) };
}

function webhookHeaders(event: EventEnvelope): JsonObject {
  return {
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(Date.parse(EXAMPLE_TIME) / 1_000)),
    'webhook-signature': SIGNATURE,
    traceparent: eventTraceparent(event),
  };
}

function toJson(event: EventEnvelope | CloudEvent): JsonObject {
  return JSON.parse(JSON.stringify(event));
}
