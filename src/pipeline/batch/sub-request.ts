import { headerFields } from '../../conventions/header-fields.ts';
import { writeJson } from '../../formats/json.ts';
import type { Contracts } from '../contract.ts';
import { bufferedBody, type RawRequest } from '../exchange.ts';
import { type Negotiated, negotiate } from '../negotiate.ts';
import { receive } from '../receive.ts';
import { route } from '../route.ts';
import type { BatchOperation } from './batch-body.ts';

const ENCODER = new TextEncoder();

/**
 * An operation of a batch as a request of its own, passed through the same stages as any other (steps 1 to 11). Caller, rows, contract and the
 * form of links are the batch's.
 *
 * @throws {ApiError} 400 to 415, as the request would be refused alone
 */
export function subRequest(operation: BatchOperation, batch: Negotiated): Negotiated {
  const { contract, principal, credentials, quota, permission, rows, version, base } = batch;
  const raw = rawRequest(operation, batch);
  const exchange = {
    ...batch.exchange,
    request: raw,
    fields: headerFields(raw.headers),
    note: { route: null, errorCode: null },
    versionInPath: true,
  };
  const received = receive(exchange, raw, contract, true);
  const routed = route(received, contractsOf(batch));
  const negotiated = negotiate({ ...routed, principal, credentials, quota, permission, rows });
  return { ...negotiated, exchange: { ...exchange, versionInPath: batch.exchange.versionInPath }, base, version };
}

/** The batch's contract alone: the path of an operation names it. */
function contractsOf({ contract }: Negotiated): Contracts {
  return { current: contract, versions: [contract.model.version], of: () => contract };
}

function rawRequest({ method, path, headers, body }: BatchOperation, batch: Negotiated): RawRequest {
  const hasType = headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  const type = body === undefined || hasType ? [] : ['Content-Type', 'application/json'];
  const { basePath, version } = batch.contract.model;
  return {
    method,
    target: `${basePath}/v${version.major}${path}`,
    headers: ['Host', batch.exchange.fields.get('host') ?? 'localhost', ...type, ...headers],
    body: body === undefined ? null : bufferedBody(ENCODER.encode(writeJson(body))),
    httpVersion: batch.request.httpVersion,
    peer: batch.request.peer,
  };
}
