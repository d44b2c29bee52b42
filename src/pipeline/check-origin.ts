import { apiError } from '../conventions/errors.ts';
import { isCrossOriginWrite, serializedOrigin } from '../conventions/headers/origin.ts';
import type { Authenticated } from './authenticate.ts';

/** A request that no page of a site that the model does not name has sent to change something. */
export interface OriginChecked extends Authenticated {
  /** The other site whose page sent this write, which the model allows; null for every other request. */
  readonly allowedOrigin: string | null;
}

/**
 * Between steps 7 and 8: a browser sends requests of any page to any address that it reaches, this machine included (AUTH-11).
 *
 * @throws {ApiError} AUTH_ORIGIN_FORBIDDEN
 */
export function checkOrigin(authenticated: Authenticated): OriginChecked {
  const { method, exchange, contract, principal, client } = authenticated;
  const { fields } = exchange;
  const host = client.host ?? fields.get('host');
  // A bearer token is attached by code of the page, never by the browser itself. The cookie that a gateway may have accepted is.
  if (principal.source === 'bearer' || !isCrossOriginWrite(method, fields, host))
    return { ...authenticated, allowedOrigin: null };
  const origin = serializedOrigin(fields.get('origin') ?? '');
  if (origin !== null && contract.model.cors?.origins.has(origin) === true)
    return { ...authenticated, allowedOrigin: origin };
  const message =
    'A page of another site sent this request; send it from the origin of the API, or name the origin of the page in cors.origins of the model.';
  throw apiError('AUTH_ORIGIN_FORBIDDEN', message, {
    details: [{ field: 'Origin', message: 'must be the origin of the API, or one that the model allows' }],
  });
}
