import { ApiError, type ErrorDetail } from '../conventions/errors.ts';
import { headerFields } from '../conventions/headers/header-fields.ts';
import { writeJson } from '../formats/json.ts';
import { accessRules } from './access.ts';
import { requireAccess } from './authorize.ts';
import type { Contracts } from '../contract/contract.ts';
import { bufferedBody, type RawRequest } from '../exchange/handler.ts';
import { type Negotiated, negotiate } from './negotiate.ts';
import { newNote, type Received, receive } from './receive.ts';
import { route } from './route.ts';
import { type Batch, type BatchOperation, invalidBatch } from '../operations/batch/batch-body.ts';

const ENCODER = new TextEncoder();

/** A batch whose operations are well-formed requests. */
export interface ReceivedBatch {
  readonly atomic: boolean;
  readonly operations: readonly Received[];
}

/**
 * Reads the operations of a batch as requests (step 1). One that could not be sent alone is an error of the document, whether the batch is
 * atomic or not: it would fail in the same way each time.
 *
 * @throws {ApiError} BATCH_INVALID with all errors
 */
export function receiveBatch({ atomic, operations }: Batch, request: Negotiated): ReceivedBatch {
  const errors: ErrorDetail[] = [];
  const received = operations.map((operation, index) => {
    const outcome = receiveOperation(operation, request);
    if ('part' in outcome) errors.push({ field: `operations[${index}].${outcome.part}`, message: outcome.message });
    return outcome;
  });
  if (errors.length > 0) throw invalidBatch(errors);
  return { atomic, operations: received.flatMap((outcome) => ('part' in outcome ? [] : [outcome])) };
}

/** Why an operation is not a well-formed request, and which of its members is the cause. */
interface OperationError {
  readonly part: 'path' | 'headers';
  readonly message: string;
}

function receiveOperation(operation: BatchOperation, batch: Negotiated): Received | OperationError {
  const { contract } = batch;
  const raw = rawRequest(operation, batch);
  const exchange = {
    ...batch.exchange,
    request: raw,
    fields: headerFields(raw.headers),
    note: newNote(),
    versionInPath: true,
  };
  try {
    const received = receive(exchange, raw, contract, 'any');
    const path = received.belowBase?.slice(1) ?? [];
    if (path[0] !== contract.model.system.batches) return { ...received, client: batch.client };
    return { part: 'path', message: 'names batches; a batch cannot contain another' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { part: error.code.startsWith('REQUEST_URI_') ? 'path' : 'headers', message: error.message };
  }
}

/**
 * An operation of a batch as a request of its own, passed through the same stages as any other (steps 4 to 11), its scopes included. Caller, rows,
 * contract and the form of links are the batch's.
 *
 * @throws {ApiError} 400 to 415, as the request would be refused alone
 */
export function subRequest(received: Received, batch: Negotiated): Negotiated {
  const { principal, credentials, allowedOrigin, quota, searchWeight, permission, rows, accessError } = batch;
  const { version, base } = batch;
  const { exchange } = received;
  const routed = route(received, contractsOf(batch));
  requireAccess(batch, accessRules(routed));
  const caller = { principal, credentials, allowedOrigin, quota, searchWeight, permission, rows, accessError };
  const negotiated = negotiate({ ...routed, ...caller });
  return { ...negotiated, exchange: { ...exchange, versionInPath: batch.exchange.versionInPath }, base, version };
}

/** The batch's contract alone: the path of an operation names it. */
function contractsOf({ contract }: Negotiated): Contracts {
  const versions = [contract.model.version];
  return { current: contract, all: [contract], versions, servesMetrics: false, of: () => contract };
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
