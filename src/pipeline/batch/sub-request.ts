import { headerFields } from '../../conventions/header-fields.ts';
import { writeJson } from '../../formats/json.ts';
import type { BatchOperation } from './batch-body.ts';
import type { RawRequest } from '../exchange.ts';
import { bufferedBody } from '../buffered-body.ts';
import { type Negotiated, negotiate } from '../negotiate.ts';
import { receive } from '../receive.ts';
import { route, versionedBase } from '../route.ts';
import type { Surroundings } from '../surroundings.ts';

const ENCODER = new TextEncoder();

/**
 * An operation of a batch as the request that it stands for, brought through the same steps as any other (1 to 11). The caller, the version
 * and the form of links are the batch's.
 *
 * @throws {ApiError} 400 to 415, as the operation would get alone
 */
export function subRequest(operation: BatchOperation, batch: Negotiated, surroundings: Surroundings): Negotiated {
  const { compiled } = surroundings;
  const raw = rawRequest(operation, batch, versionedBase(compiled, '').prefix);
  const exchange = {
    ...batch.exchange,
    request: raw,
    fields: headerFields(raw.headers),
    note: { route: null, errorCode: null },
    versionInPath: true,
  };
  const received = receive(exchange, raw, compiled, true);
  const routed = route(received, compiled);
  const caller = { ...routed, principal: batch.principal, credentials: batch.credentials };
  const negotiated = negotiate(caller, compiled.model, compiled.offers);
  return {
    ...negotiated,
    exchange: { ...exchange, versionInPath: batch.exchange.versionInPath },
    base: batch.base,
    version: batch.version,
  };
}

function rawRequest({ method, path, headers, body }: BatchOperation, batch: Negotiated, prefix: string): RawRequest {
  const named = headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  const type = body === undefined || named ? [] : ['Content-Type', 'application/json'];
  return {
    method,
    target: prefix + path,
    headers: ['Host', batch.exchange.fields.get('host') ?? 'localhost', ...type, ...headers],
    body: body === undefined ? null : bufferedBody(ENCODER.encode(writeJson(body))),
    httpVersion: batch.request.httpVersion,
    peer: batch.request.peer,
  };
}
