import { apiError } from '../conventions/errors.ts';
import { isCrossOriginWrite, serializedOrigin } from '../conventions/headers/origin.ts';
import type { Authenticated } from './authenticate.ts';

/** A request that is not a write by a page from an unknown site. */
export interface OriginChecked extends Authenticated {
  readonly isOriginChecked: true;
}

/**
 * Refuses writes by pages of unknown sites (between steps 7 and 8). Browsers send requests of any page to any address
 * that they reach, this machine included (AUTH-11).
 *
 * @throws {ApiError} AUTH_ORIGIN_FORBIDDEN
 */
export function checkOrigin(authenticated: Authenticated): OriginChecked {
  const { routed, principal } = authenticated;
  const { method, exchange, contract, received } = routed;
  const { fields } = exchange;
  const host = received.client.host ?? fields.get('host');
  // Code of the page attaches a bearer token. The browser itself attaches a cookie, which a gateway may have accepted.
  if (principal.source === 'bearer' || !isCrossOriginWrite(method, fields, host))
    return { ...authenticated, isOriginChecked: true };
  const origin = serializedOrigin(fields.get('origin') ?? '');
  if (origin !== null && contract.model.cors?.origins.has(origin) === true)
    return { ...authenticated, isOriginChecked: true };
  const message =
    'A page of another site sent this request; send it from the origin of the API, or name the origin of the page in cors.origins of the model.';
  throw apiError('AUTH_ORIGIN_FORBIDDEN', message, {
    details: [{ field: 'Origin', message: 'must be the origin of the API, or one that the model allows' }],
  });
}
