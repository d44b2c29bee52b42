import type { Contract } from '../contract.ts';
import type { ApiResponse } from '../exchange.ts';
import { optionsHeaders } from '../negotiate.ts';
import type { Exchange } from '../receive.ts';
import { allow, type Routed } from '../route.ts';
import { commonHeaders, uncachedResponse } from './response.ts';

/** One URL per resource (URL-1): method and body stay, hence 308. @param target the canonical path and query */
export function redirectResponse(exchange: Exchange, target: string, { model, version }: Contract): ApiResponse {
  const location = `${model.publicUrl ?? ''}${target}`;
  return uncachedResponse(308, [...commonHeaders(exchange, version), 'Location', location], null);
}

/** OPTIONS (MET-5). */
export function optionsResponse(routed: Routed): ApiResponse {
  const common = commonHeaders(routed.exchange, routed.contract.version);
  return uncachedResponse(204, [...common, 'Allow', allow(routed.route), ...optionsHeaders(routed)], null);
}

/** `/livez`, and `/readyz` where nothing is amiss (OPS-2). */
export function healthResponse({ exchange, contract }: Routed): ApiResponse {
  const headers = [...commonHeaders(exchange, contract.version), 'Content-Type', 'application/json'];
  return uncachedResponse(200, headers, '{"status":"ok"}');
}
