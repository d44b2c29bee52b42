import { ApiError, apiError } from '../conventions/errors.ts';
import { headerFields } from '../conventions/headers/header-fields.ts';
import type { Contract, Contracts } from '../contract/contract.ts';
import { bufferedBody, type RawRequest } from '../exchange/handler.ts';
import { writeJson } from '../formats/json.ts';
import type { BatchOperation, OperationError, ReceivedOperation } from '../operations/batch/batch-body.ts';
import { type Caller, requireAccess } from '../operations/caller.ts';
import type { RequestedWrite } from '../operations/write/write-request.ts';
import { accessRules } from './access.ts';
import { negotiate, type NegotiatedTarget } from './negotiate.ts';
import { planWrite } from './plan-write.ts';
import { newNote, type Received, receive } from './receive.ts';
import { route } from './route.ts';

const ENCODER = new TextEncoder();

/** The types that the body of an operation can have, because it is part of a JSON document. */
const JSON_BODIES: ReadonlySet<string> = new Set(['json', 'merge-patch', 'json-patch']);

/** Reads an operation of a batch as a request (step 1). */
export function receiveOperation(
  operation: BatchOperation,
  batch: NegotiatedTarget,
): ReceivedOperation | OperationError {
  const { exchange, contract } = batch.reply;
  const raw = rawRequest(operation, batch);
  const own = { ...exchange, request: raw, fields: headerFields(raw.headers), note: newNote(), versionInPath: true };
  try {
    const received = receive(own, raw, contract, 'any');
    const path = received.belowBase?.slice(1) ?? [];
    if (path[0] === contract.model.system.batches) {
      return { part: 'path', message: 'names batches; a batch cannot contain another' };
    }
    return { plan: (caller) => planOperation(caller, received, batch) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { part: error.code.startsWith('REQUEST_URI_') ? 'path' : 'headers', message: error.message };
  }
}

/**
 * Plans an operation of a batch as a request of its own, by the same stages as any other (steps 4 to 12). Its scopes
 * are checked too. Caller, rows, contract and the form of links are those of the batch.
 *
 * @throws {ApiError} 400 to 415, as the request would be refused alone
 */
function planOperation(caller: Caller, received: Received, { reply, findVariants }: NegotiatedTarget): RequestedWrite {
  const routed = route(received, onlyContract(caller.contract));
  requireAccess(caller, accessRules(routed));
  const { base, credentials } = reply;
  const { target } = negotiate({ routed: { ...routed, base }, caller, credentials }, findVariants);
  const { type } = target.body;
  if (type !== null && !JSON_BODIES.has(type.kind)) {
    throw apiError(
      'REQUEST_MEDIA_TYPE_UNSUPPORTED',
      'The body of an operation is JSON; send other types in requests of their own.',
    );
  }
  return planWrite(caller, target, received.parameters);
}

/** Restricts an operation to the batch's contract, which its path names. */
function onlyContract(contract: Contract): Contracts {
  const versions = [contract.model.version];
  return {
    current: contract,
    all: [contract],
    versions,
    servesMetrics: false,
    servesAgents: false,
    consoleFiles: null,
    findOriginRoute: () => null,
    caches: {},
    of: () => contract,
  };
}

function rawRequest(
  { method, path, headers, body }: BatchOperation,
  { received, reply }: NegotiatedTarget,
): RawRequest {
  const hasType = headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  const type = body === undefined || hasType ? [] : ['Content-Type', 'application/json'];
  const { basePath, version } = reply.contract.model;
  return {
    method,
    target: `${basePath}/v${version.major}${path}`,
    headers: ['Host', reply.exchange.fields.get('host') ?? 'localhost', ...type, ...headers],
    body: body === undefined ? null : bufferedBody(ENCODER.encode(writeJson(body))),
    httpVersion: received.request.httpVersion,
    peer: received.request.peer,
  };
}
