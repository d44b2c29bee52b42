import { apiError } from '../conventions/errors.ts';
import { writeJson } from '../formats/json.ts';
import type { AccessRule, Model, Resource } from '../model/model.ts';
import { METRICS_SCOPE } from './access.ts';
import type { Contracts } from '../contract/contract.ts';
import type { BufferedResponse } from '../exchange/handler.ts';
import { eventsRule } from '../plan/events/event-rules.ts';
import { METADATA_PATH } from '../plan/routes/route-table.ts';
import type { Routed } from './route.ts';
import { commonHeaders } from '../represent/response.ts';

/** Where the API is, for what names it outside of its responses. */
export interface ResourceIdentity {
  /** The origin of the API: its public URL, or the loopback address that it listens on; null where neither is known (AUTH-8). */
  readonly resource: () => string | null;
}

/** The URL of the metadata; null where the origin of the API is not known. */
export function metadataUrl({ resource }: ResourceIdentity): string | null {
  const origin = resource();
  return origin === null ? null : `${origin}/${METADATA_PATH}`;
}

/**
 * The metadata of a protected resource (RFC 9728 2): who issues its tokens, and which scopes there are. It needs no credentials.
 *
 * @throws {ApiError} REQUEST_ROUTE_NOT_FOUND where the origin of the API is not known
 */
export function metadataResponse(
  { contract, exchange }: Routed,
  identity: ResourceIdentity,
  { servesMetrics }: Pick<Contracts, 'servesMetrics'>,
): BufferedResponse {
  const { model } = contract;
  const resource = identity.resource();
  if (resource === null) {
    throw apiError(
      'REQUEST_ROUTE_NOT_FOUND',
      'This API does not know its public URL; declare public_url in the model.',
    );
  }
  const body = writeJson({
    resource,
    authorization_servers: [...new Set((model.auth?.issuers ?? []).map(({ issuer }) => issuer))],
    bearer_methods_supported: ['header'],
    scopes_supported: scopesOf(model, [...scopeOf(eventsRule(model)), ...(servesMetrics ? [METRICS_SCOPE] : [])]),
    resource_name: model.title,
  });
  const headers = [
    ...commonHeaders(exchange, contract),
    'Content-Type',
    'application/json',
    'Cache-Control',
    'no-cache',
  ];
  return { status: 200, headers, body };
}

/** Every scope that the model names, and others, each once, in order. */
function scopesOf({ resources }: Model, others: readonly string[]): readonly string[] {
  return [...new Set([...[...resources.values()].flatMap(scopesOfResource), ...others])].sort();
}

function scopesOfResource({ access, state }: Resource): readonly string[] {
  const transitions = [...(state?.scopes.values() ?? [])].flatMap((targets) => [...targets.values()]);
  return [...Object.values(access).flatMap(scopeOf), ...transitions];
}

function scopeOf(rule: AccessRule): readonly string[] {
  return rule.kind === 'scope' ? [rule.scope] : [];
}
