import { readIdempotencyKey } from '../conventions/headers/idempotency-key.ts';
import type { QueryParameter } from '../conventions/url/query.ts';
import { admitParameters, isDryRun, writeParameterRule } from '../plan/parameters.ts';
import type { Caller } from '../operations/caller.ts';
import type { RequestIdentity } from '../operations/write/idempotency.ts';
import { type RequestedWrite, requestWrite } from '../operations/write/write-request.ts';
import type { NegotiatedTarget } from './negotiate.ts';

/**
 * Plans a write to a collection or a resource (step 12), with everything that its header fields decide.
 *
 * @throws {ApiError} REQUEST_PARAMETER_*, QUERY_*, PAGINATION_*, IDEMPOTENCY_KEY_INVALID
 */
export function planWrite(
  caller: Caller,
  target: NegotiatedTarget,
  parameters: readonly QueryParameter[],
): RequestedWrite {
  const { route, method, body, reply } = target;
  const { preferences, preconditions, variant, exchange } = reply;
  if (route.kind !== 'collection' && route.kind !== 'item') throw new Error(`a ${route.kind} is never written`);
  const dry = isDryRun(admitParameters(parameters, writeParameterRule, preferences.handling === 'lenient'));
  const isKeyed = method === 'POST' || method === 'PATCH';
  return requestWrite(caller, {
    compiled: route.compiled,
    within: route.within,
    id: route.kind === 'item' ? route.id : null,
    method,
    preconditions,
    preferences,
    variant,
    body,
    expectsContinue: exchange.fields.get('expect') !== null,
    key: isKeyed ? readKey(target) : null,
    identity: readIdentity(target),
    dry,
  });
}

/** Reads the `Idempotency-Key` of a request; null without one. @throws {ApiError} IDEMPOTENCY_KEY_INVALID */
export function readKey({ reply }: NegotiatedTarget): string | null {
  return readIdempotencyKey(reply.exchange.fields.get('idempotency-key'));
}

/** Reads the parts of a request that distinguish it from others under one key. */
export function readIdentity({ received, method, reply }: NegotiatedTarget): RequestIdentity {
  const { exchange, contract } = reply;
  return {
    method,
    segments: received.segments,
    target: exchange.request.target,
    version: contract.version,
    contentType: exchange.fields.get('content-type'),
  };
}
