import { preflightHeaders } from '../conventions/headers/cors.ts';
import { ROUTES } from '../plan/routes/route-table.ts';
import { allowedMethods } from './access.ts';
import type { Authenticated } from './authenticate.ts';
import type { Contract } from '../contract/contract.ts';
import type { ApiResponse, BufferedResponse } from '../exchange/handler.ts';
import { optionsHeaders } from './negotiate.ts';
import type { Exchange, Received } from './receive.ts';
import { allow, type Routed } from './route.ts';
import { commonHeaders, uncachedResponse } from '../represent/response.ts';

/** One URL per resource (URL-1): method and body stay, hence 308. @param target the canonical path and query */
export function redirectResponse(exchange: Exchange, target: string, contract: Contract): BufferedResponse {
  const location = `${contract.model.publicUrl ?? ''}${target}`;
  return uncachedResponse(308, [...commonHeaders(exchange, contract), 'Location', location], null);
}

/** OPTIONS (MET-5): the methods that the caller may use. */
export function optionsResponse(authenticated: Authenticated): ApiResponse {
  const { exchange, contract, principal } = authenticated;
  const methods = allowedMethods(authenticated, principal.scopes).join(', ');
  const headers = [...commonHeaders(exchange, contract), 'Allow', methods, ...optionsHeaders(authenticated)];
  return uncachedResponse(204, headers, null);
}

/**
 * The response to a preflight (OPS-3): the methods of the target. Where there is none, every method, so that the page can send its request and read
 * the error or follow the redirect; a browser reports neither of a preflight.
 */
export function preflightResponse({ exchange }: Received, routed: Routed | null, contract: Contract): ApiResponse {
  const served = routed?.contract ?? contract;
  const { methods } = ROUTES[routed?.route.kind ?? 'server'];
  const common = commonHeaders(exchange, served);
  const headers = [...common, ...preflightHeaders(methods, served.model.cors?.maxAge ?? 0)];
  const target = routed === null ? [] : ['Allow', allow(routed.route), ...optionsHeaders(routed)];
  return uncachedResponse(204, [...headers, ...target], null);
}

/** `/livez`, and `/readyz` where nothing is amiss (OPS-2). */
export function healthResponse({ exchange, contract }: Routed): ApiResponse {
  const headers = [...commonHeaders(exchange, contract), 'Content-Type', 'application/json'];
  return uncachedResponse(200, headers, '{"status":"ok"}');
}
