import type { JsonObject } from '../../conventions/json/json.ts';
import type { Model } from '../../model/model.ts';

/** The name of the only way to authenticate: a bearer token, which API keys are, too (AUTH-1, AUTH-8). */
export const SECURITY_SCHEME = 'bearer';

/** Describes the authentication of callers. */
export function securityScheme({ auth }: Model): JsonObject {
  const issuers = (auth?.issuers ?? []).map(({ issuer }) => issuer);
  const tokens = issuers.length === 0 ? [] : [`A token of ${issuers.join(' or ')}.`];
  const keys = (auth?.apiKeys ?? null) === null ? [] : ['An API key of this API.'];
  return {
    type: 'http',
    scheme: 'bearer',
    description: [
      ...tokens,
      ...keys,
      'The scopes of an operation are those that the token has to have (RFC 8725).',
    ].join(' '),
  };
}
