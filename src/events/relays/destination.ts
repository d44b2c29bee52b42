import type { EventEnvelope } from '../../conventions/events/event.ts';
import type { Json } from '../../conventions/json/json.ts';
import type { DestinationPart, DestinationTemplate } from '../../model/relay-settings.ts';

/** The values of an event that destinations can have. */
export interface DestinationValues {
  readonly event: EventEnvelope;
  /** The path segment of its collection. */
  readonly collection: string;
}

/** The part of a destination for a row without a value in its field. No value is written like this. */
const NO_VALUE = '_';

/** Writes the subject, stream, exchange, topic or routing key of an event. */
export function writeDestination(template: DestinationTemplate, values: DestinationValues): string {
  return template.map((part) => (typeof part === 'string' ? part : writePart(part, values))).join('');
}

/** Writes a template as the model has it: `shop.{collection}`. */
export function formatTemplate(template: DestinationTemplate): string {
  return template.map((part) => (typeof part === 'string' ? part : `{${formatPart(part)}}`)).join('');
}

function formatPart(part: DestinationPart): string {
  return part.kind === 'field' ? `data.${part.field}` : part.kind;
}

function writePart(part: DestinationPart, { event, collection }: DestinationValues): string {
  switch (part.kind) {
    case 'type':
      return event.type;
    case 'collection':
      return collection;
    case 'field':
      return encodeValue(event.payload.data?.[part.field]);
  }
}

/**
 * Writes a value with characters that every broker accepts in a name. Other bytes are `_` and two hexadecimal digits:
 * `a.b` is `a_2eb`. Two values never share a destination.
 */
function encodeValue(value: Json | undefined): string {
  if (value === null || value === undefined || value === '') return NO_VALUE;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/[^A-Za-z0-9-]/gu, encodeCharacter);
}

function encodeCharacter(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `_${byte.toString(16).padStart(2, '0')}`).join('');
}
