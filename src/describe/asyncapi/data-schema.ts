import type { EventEnvelope } from '../../conventions/events/event.ts';
import { toTypeName } from '../../model/type-names.ts';
import { ORIGIN_NAMES } from '../../conventions/url/origin-names.ts';

/** Names the schemas of a type of events: `ProductCreated`. @param type `product.created` */
export function eventTypeName(type: string): string {
  const at = type.lastIndexOf('.');
  return toTypeName(type.slice(0, at)) + toTypeName(type.slice(at + 1));
}

/** Names the schema of the payload of a type of events. */
export function payloadSchemaName(type: string): string {
  return `${eventTypeName(type)}Payload`;
}

/**
 * Makes the URI of the schema of an event's payload, in the description of the version that its reader has (EVT-10b).
 *
 * @param source the URL of the API
 */
export function dataSchemaUri(source: string, { type, metadata }: EventEnvelope): string {
  const [major = ''] = metadata.schema_version.split('.');
  const description = new URL(`/${ORIGIN_NAMES.asyncapi}?api_version=${major}`, source);
  return `${description.href}#/components/schemas/${payloadSchemaName(type)}`;
}
