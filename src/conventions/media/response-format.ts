import { type Offer, vendorOffers } from './negotiation.ts';
import type { SupportedVersion } from '../versioning.ts';

/** The format of a response body (NEG-1). */
export type ResponseFormat =
  | 'json'
  | 'xml'
  | 'text'
  | 'csv'
  | 'ndjson'
  | 'html'
  /** One event as CloudEvents 1.0 has it, and a batch of them (EVT-10). */
  | 'cloudevent'
  | 'cloudevents'
  /** Server-sent events (EVT-8). */
  | 'event-stream';

/** A media type that can be sent, with its format. */
export interface FormatOffer extends Offer {
  readonly format: ResponseFormat;
  /** Value of `Content-Type`. */
  readonly contentType: string;
}

const PLAIN_OFFERS: Readonly<Record<ResponseFormat, FormatOffer>> = {
  json: { type: 'application', subtype: 'json', format: 'json', contentType: 'application/json' },
  xml: { type: 'application', subtype: 'xml', format: 'xml', contentType: 'application/xml' },
  text: { type: 'text', subtype: 'plain', format: 'text', contentType: 'text/plain; charset=utf-8' },
  csv: {
    type: 'text',
    subtype: 'csv',
    parameters: new Map([['header', 'present']]),
    format: 'csv',
    contentType: 'text/csv; charset=utf-8; header=present',
  },
  ndjson: { type: 'application', subtype: 'x-ndjson', format: 'ndjson', contentType: 'application/x-ndjson' },
  html: { type: 'text', subtype: 'html', format: 'html', contentType: 'text/html; charset=utf-8' },
  cloudevent: {
    type: 'application',
    subtype: 'cloudevents+json',
    format: 'cloudevent',
    contentType: 'application/cloudevents+json; charset=utf-8',
  },
  cloudevents: {
    type: 'application',
    subtype: 'cloudevents-batch+json',
    format: 'cloudevents',
    contentType: 'application/cloudevents-batch+json; charset=utf-8',
  },
  'event-stream': {
    type: 'text',
    subtype: 'event-stream',
    format: 'event-stream',
    contentType: 'text/event-stream; charset=utf-8',
  },
};

/** The format that every resource has, whatever is in it. */
export const JSON_OFFER: FormatOffer = PLAIN_OFFERS.json;

/** The formats that have a vendor type; its structured syntax suffix names the format (RFC 6839). */
const VENDOR_FORMATS: ReadonlySet<ResponseFormat> = new Set<ResponseFormat>(['json', 'xml']);

/** The media types without a version, the default first. */
export function plainOffers(formats: readonly ResponseFormat[]): readonly FormatOffer[] {
  return formats.map((format) => PLAIN_OFFERS[format]);
}

/**
 * The media types of a response: the plain ones, the default first, then the vendor types with the version (NEG-1).
 *
 * @param name the name of the API, `shop`
 */
export function formatOffers(
  name: string,
  version: SupportedVersion,
  formats: readonly ResponseFormat[],
): readonly FormatOffer[] {
  const vendors = formats.flatMap((format) =>
    VENDOR_FORMATS.has(format)
      ? vendorOffers(name, version, format).map((offer) => ({
          ...offer,
          format,
          contentType: `${offer.type}/${offer.subtype}`,
        }))
      : [],
  );
  return [...plainOffers(formats), ...vendors];
}
