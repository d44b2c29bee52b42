import { EXPOSITION_TYPE } from '../observe/metrics/exposition.ts';
import type { Authorized } from './authorize.ts';
import type { ApiResponse } from '../exchange/handler.ts';
import { commonHeaders, uncachedResponse } from '../represent/response.ts';

/** `/metrics` (OPS-2), in the text format of Prometheus, whatever is accepted. @param text all metrics */
export async function metricsResponse(
  { exchange, contract }: Authorized,
  text: () => Promise<string>,
): Promise<ApiResponse> {
  const body = await text();
  return uncachedResponse(200, [...commonHeaders(exchange, contract), 'Content-Type', EXPOSITION_TYPE], body);
}
