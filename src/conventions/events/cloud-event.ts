import { writeTraceparent } from '../headers/correlation.ts';
import type { EventEnvelope, EventPayload } from './event.ts';

/** An event as CloudEvents 1.0 has it, in the structured mode of JSON (EVT-10). */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  /** The URL of the API. */
  readonly source: string;
  /** `shop.product.created`. */
  readonly type: string;
  /** The path of the resource. */
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** The absolute URI of the schema of `data`. */
  readonly dataschema: string;
  readonly data: EventPayload;
  /** Extensions: names of attributes have lower-case letters and digits only. */
  readonly traceparent: string;
  readonly correlationid: string;
  readonly sequence: string;
  /** Major and minor version of the contract of `data`. */
  readonly schemaversion: string;
  /** Absent without a caller: an attribute has no null. */
  readonly callersubject?: string;
  readonly callerissuer?: string;
}

/** The media type of the structured mode. */
export const CLOUD_EVENT_TYPE = 'application/cloudevents+json; charset=utf-8';

/** The attributes of a CloudEvent besides its envelope. */
export interface CloudEventSource {
  /** The name of the API. */
  readonly name: string;
  /** The URL of the API. */
  readonly source: string;
  /** The absolute URI of the schema of its payload. */
  readonly dataschema: string;
}

const SPAN_DIGITS = 16;

/** The `traceparent` of what delivers an event. The span follows from the event, so that it is always the same. */
export function eventTraceparent({ id, metadata }: EventEnvelope): string {
  const span = id.replaceAll('-', '').slice(-SPAN_DIGITS);
  return writeTraceparent({ traceId: metadata.trace_id, parentId: null, sampled: true }, span);
}

/** The CloudEvent of an event. */
export function cloudEvent(event: EventEnvelope, { name, source, dataschema }: CloudEventSource): CloudEvent {
  const { id, type, payload, metadata } = event;
  const { issuer, subject } = metadata.caller;
  return {
    specversion: '1.0',
    id,
    source,
    type: `${name}.${type}`,
    subject: new URL(payload.resource.url, source).pathname,
    time: payload.timestamp,
    datacontenttype: 'application/json',
    dataschema,
    data: payload,
    traceparent: eventTraceparent(event),
    correlationid: metadata.correlation_id,
    sequence: metadata.sequence,
    schemaversion: metadata.schema_version,
    ...(subject === null ? {} : { callersubject: subject }),
    ...(issuer === null ? {} : { callerissuer: issuer }),
  };
}
