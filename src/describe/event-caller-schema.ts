import type { JsonObject } from '../conventions/json/json.ts';

/** The caller that wrote. Its members are null where they are unknown (EVT-2). */
export const CALLER_SCHEMA: JsonObject = {
  type: 'object',
  required: ['issuer', 'subject', 'client'],
  description: 'The caller that wrote; each member is null where it has none, or where it is unknown.',
  properties: {
    issuer: {
      type: ['string', 'null'],
      description: 'The name of the issuer, since two issuers may have one subject.',
    },
    subject: { type: ['string', 'null'] },
    client: { type: ['string', 'null'] },
  },
};
