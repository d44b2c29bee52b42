import { apiError, type ErrorDetail } from '../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { isDryRun, writeDryQuery } from './arguments.ts';
import { matchRequired, nameRequest, readMatch, requireConfirmation, requireKey } from './guards.ts';
import type { AgentName, AgentSession } from './session.ts';
import { type ToolResult, writeResult } from './tool-result.ts';

/** Operations of a batch that need no confirmation, unless one deletes. */
const FEW = 10;

const MEMBERS: readonly string[] = ['method', 'path', 'body', 'if_match'];

/**
 * Runs a batch (MET-13). Its operations are guarded as single writes are.
 *
 * @throws {ApiError} IDEMPOTENCY_KEY_REQUIRED, REQUEST_PRECONDITION_REQUIRED, REQUEST_PARAMETER_INVALID
 */
export async function runBatchTool(session: AgentSession, given: JsonObject, agent: AgentName): Promise<ToolResult> {
  const { operations: listed, atomic = true } = given;
  const isDry = isDryRun(given);
  const read: readonly Json[] = Array.isArray(listed) ? listed : [];
  const operations = read.map((operation, at) => readOperation(operation, at));
  const headers = isDry ? [] : ['Idempotency-Key', requireKey(given)];
  const isLarge = operations.length > FEW || operations.some(({ method }) => method === 'DELETE');
  const confirm = isLarge ? session.api.confirm(nameRequest(['batch', atomic, ...operations])) : null;
  if (confirm !== null && !isDry) requireConfirmation(given, confirm);
  const answer = await session.send(
    {
      method: 'POST',
      path: `/${session.api.model.system.batches}`,
      query: writeDryQuery(given),
      headers,
      body: { atomic, operations },
    },
    agent,
  );
  return writeResult(answer, isDry, confirm);
}

/** Reads an operation as the API has it: `if_match` becomes a header field. */
function readOperation(operation: Json, at: number): JsonObject {
  const place = `operations[${at}]`;
  if (!isJsonObject(operation)) throw invalidOperation([{ field: place, message: 'must be an object' }]);
  const unknown = Object.keys(operation).filter((name) => !MEMBERS.includes(name));
  if (unknown.length > 0)
    throw invalidOperation(
      unknown.map((name) => ({ field: `${place}.${name}`, message: `is unknown; use ${MEMBERS.join(', ')}` })),
    );
  const { method: named, path, body, if_match: version } = operation;
  const method = typeof named === 'string' ? named.toUpperCase() : (named ?? null);
  const match = readMatch(version, `${place}.if_match`);
  if (match === null && method !== 'POST') throw matchRequired(`${place}.if_match`);
  return {
    method,
    path: typeof path === 'string' && !path.startsWith('/') ? `/${path}` : (path ?? null),
    ...(match === null ? {} : { headers: { 'If-Match': match } }),
    ...(body === undefined ? {} : { body }),
  };
}

function invalidOperation(details: readonly ErrorDetail[]): Error {
  const list = details.map(({ field, message }) => `${field} ${message}`).join('; ');
  return apiError('REQUEST_PARAMETER_INVALID', `Invalid operations: ${list}.`, { details });
}
