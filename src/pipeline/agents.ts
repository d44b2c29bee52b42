import { NO_STORE } from '../conventions/headers/cache-control.ts';
import { serializedOrigin } from '../conventions/headers/origin.ts';
import type { AgentEndpoint } from '../exchange/agent-endpoint.ts';
import type { ApiResponse } from '../exchange/handler.ts';
import { commonHeaders } from '../represent/response.ts';
import type { Authorized } from './authorize.ts';
import type { Routed } from './route.ts';

/** Hands a message of an agent to the endpoint of agents, whose requests run all stages again (OPS-8). */
export async function agentResponse({ routed }: Authorized, endpoint: AgentEndpoint | null): Promise<ApiResponse> {
  if (endpoint === null) throw new Error('an API without agents has no route of theirs');
  const { exchange, received } = routed;
  const { request } = received;
  const { correlationId, fields } = exchange;
  const answer = await endpoint({ request, fields, correlationId, isAllowedOrigin: isAllowedOrigin(routed) });
  return { ...answer, headers: [...commonHeaders(exchange), ...answer.headers, 'Cache-Control', NO_STORE] };
}

/** Judges the page of a message, with a token too: the protocol requires it of every server. */
function isAllowedOrigin({ exchange: { fields }, received: { client }, contract: { model } }: Routed): boolean {
  const sent = fields.get('origin');
  if (sent === null) return true;
  const origin = serializedOrigin(sent);
  if (origin === null) return false;
  const host = (client.host ?? fields.get('host'))?.toLowerCase();
  return origin.replace(/^[^:]*:\/\//, '') === host || model.cors?.origins.has(origin) === true;
}
