import { hash, timingSafeEqual } from 'node:crypto';
import type { HeaderFields } from '../conventions/headers/header-fields.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import type { VerifiedToken } from './token-verifier.ts';

/** The issuer of the callers that a gateway names (AUTH-9). No issuer of a model has this name. */
export const GATEWAY_ISSUER = 'gateway';

const SECRET = 'x-auth-secret';
const SUBJECT = 'x-auth-subject';
const CLIENT = 'x-auth-client';
const SCOPES = 'x-auth-scopes';

/** The header fields by which a gateway names a caller. */
export const GATEWAY_FIELDS: readonly string[] = [SECRET, SUBJECT, CLIENT, SCOPES];

/** The caller that the fields of a gateway name. */
export type GatewayVerdict =
  /** The request is not the gateway's, or the gateway names no caller. */
  | { readonly kind: 'none' }
  | { readonly kind: 'caller'; readonly token: VerifiedToken }
  /** The gateway sent a field that is no name, or passed on one of the client in addition to its own. */
  | { readonly kind: 'malformed'; readonly field: string; readonly message: string };

/** A gateway that authenticates callers itself (AUTH-6). */
export interface Gateway {
  /**
   * The caller that the gateway names.
   *
   * @param byProxy whether the peer is a trusted proxy: the fields of any other are dropped, like those with a wrong
   *   secret
   */
  caller(fields: HeaderFields, byProxy: boolean): GatewayVerdict;
}

const NONE: GatewayVerdict = { kind: 'none' };
/** As in OpenID Connect, `sub` has at most 255 ASCII characters; header fields have no encoding for others. */
const NAME = /^[\x20-\x7e]{1,255}$/;

/** @param secret what the gateway sends as `X-Auth-Secret` */
export function createGateway(secret: string): Gateway {
  const expected = hash('sha256', secret, 'buffer');
  return {
    caller(fields, byProxy) {
      const sent = fields.get(SECRET);
      // Digests have one length, so that the time of the comparison depends on neither the secret nor its length.
      if (!byProxy || sent === null || !timingSafeEqual(hash('sha256', sent, 'buffer'), expected)) return NONE;
      return namedCaller(fields);
    },
  };
}

function namedCaller(fields: HeaderFields): GatewayVerdict {
  const repeated = [SUBJECT, CLIENT, SCOPES].find((name) => fields.lines(name).length > 1);
  if (repeated !== undefined) return malformed(repeated, 'must be sent once');
  const [subject = '', client = '', scopes = ''] = [SUBJECT, CLIENT, SCOPES].map((name) => fields.get(name)?.trim());
  if (subject === '') return NONE;
  if (!NAME.test(subject)) return malformed(SUBJECT, 'must be 1 to 255 ASCII characters');
  if (client !== '' && !NAME.test(client)) return malformed(CLIENT, 'must be 1 to 255 ASCII characters');
  const granted = scopes.split(' ').filter((scope) => scope !== '');
  const claims: JsonObject = {
    sub: subject,
    ...(client === '' ? {} : { client_id: client }),
    scope: granted.join(' '),
  };
  const token = {
    issuer: GATEWAY_ISSUER,
    subject,
    client: client === '' ? null : client,
    scopes: new Set(granted),
    claims,
  };
  return { kind: 'caller', token };
}

function malformed(name: string, message: string): GatewayVerdict {
  const field = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return { kind: 'malformed', field, message };
}
