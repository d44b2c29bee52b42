import type { CompiledResource } from '../../contract/contract.ts';
import type { Variant } from '../../contract/variants.ts';
import { type Preconditions, UNCONDITIONAL } from '../../conventions/headers/preconditions.ts';
import type { Preferences } from '../../conventions/headers/prefer.ts';
import type { Method } from '../../conventions/methods.ts';
import type { AccessRule } from '../../model/model.ts';
import { type Caller, requireAccess } from '../caller.ts';
import { notFound } from '../failures.ts';
import { type CommitOptions, commitWrite } from './commit-write.ts';
import { createOperation } from './create.ts';
import { deleteOperation } from './delete.ts';
import { type Idempotency, keyRequired, type RequestIdentity } from './idempotency.ts';
import { parseBody, type ParsedBody, type SentBody } from './parsed-body.ts';
import { seesResult } from './row-access.ts';
import { updateOperation } from './update.ts';
import { recordableResult, withRevisions, withWrittenRow, type WriteResult } from './write-result.ts';
import type { CommitServices, WriteOperation, WriteTarget, WriteTerms } from './write.ts';
import { readListQuery } from '../../plan/list/list-query.ts';
import type { Ancestor } from '../../plan/plan.ts';
import type { StoredIdempotencyRecord } from '../../plan/write-unit.ts';

/** The target and header fields of a write: everything about it besides its caller. */
export interface WriteRequest {
  /** The resource in the caller's contract. */
  readonly compiled: CompiledResource;
  /** The rows above, nearest first. */
  readonly within: readonly Ancestor[];
  /** null for a collection. */
  readonly id: string | null;
  readonly method: Method;
  readonly preconditions: Preconditions;
  readonly preferences: Preferences;
  /** The form of the response, which the preconditions of a POST refer to. */
  readonly variant: Variant;
  readonly body: SentBody;
  /** True if the client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** The `Idempotency-Key`; null without one. */
  readonly key: string | null;
  readonly identity: RequestIdentity;
  /** True if the write is checked completely, and not stored (MET-14). */
  readonly dry: boolean;
}

/** A write that a caller requests. */
export interface RequestedWrite {
  readonly operation: WriteOperation;
  readonly request: WriteRequest;
  /** True if the model requires an `Idempotency-Key`. */
  readonly requiresKey: boolean;
}

const KEYED_METHODS: ReadonlySet<string> = new Set(['POST', 'PATCH']);

/** Plans the write of a caller (step 12). No row is read. */
export function requestWrite(caller: Caller, request: WriteRequest): RequestedWrite {
  const operation = makeOperation(caller, request);
  const isRequired = operation.systemResource.resource.idempotency === 'required';
  return { operation, request, requiresKey: isRequired && KEYED_METHODS.has(request.method) };
}

/**
 * Returns the same write without preconditions, for the lines of a body. They are judged once, so that no line fails by
 * the changes of earlier ones.
 */
export function withoutPreconditions({ operation, request, requiresKey }: RequestedWrite): RequestedWrite {
  const unconditional = { ...request, preconditions: UNCONDITIONAL };
  return { operation: makeOperation(operation.caller, unconditional), request: unconditional, requiresKey };
}

function makeOperation(caller: Caller, request: WriteRequest): WriteOperation {
  const { compiled, within, id, variant, method } = request;
  const target = writeTarget(caller, request);
  if (id === null) {
    // The collection as GET without parameters returns it.
    return createOperation(target, () => ({ query: readListQuery(compiled.list, within, [], false), variant }));
  }
  return method === 'DELETE' ? deleteOperation({ ...target, id }) : updateOperation({ ...target, id });
}

function writeTarget(caller: Caller, request: WriteRequest): WriteTarget {
  const { compiled, within } = request;
  const system = systemCaller(caller);
  const systemResource = system.contract.resourceOf(compiled.resource.name);
  return { caller, system, callerResource: compiled, systemResource, within, terms: writeTerms(request) };
}

/** Makes the caller in the newest contract with every field. */
function systemCaller(caller: Caller): Caller {
  const contract = caller.contract.unrestricted();
  return contract === caller.contract ? caller : { ...caller, contract, rows: caller.rows.stored() };
}

function writeTerms({ method, preconditions, preferences, body }: WriteRequest): WriteTerms {
  const lenient = preferences.handling === 'lenient';
  return { method, preconditions, lenient, isJsonPatch: body.type?.kind === 'json-patch' };
}

/** A write that is done, now or by an earlier request with the same idempotency key. */
export interface Written {
  readonly kind: 'written';
  readonly method: Method;
  readonly result: WriteResult;
  readonly replayed: boolean;
  readonly dry: boolean;
}

/** Services that run a write. */
export interface RunServices extends CommitServices {
  readonly idempotency: Idempotency;
}

/** Runs the one write of a request: steps 13 to 18. @throws {ApiError} 400 to 503 */
export async function runWrite(write: RequestedWrite, services: RunServices): Promise<Written> {
  const { operation, request } = write;
  const { dry, method } = request;
  const key = await recordName(write, services);
  if (request.expectsContinue) await checkBeforeBody(operation, key, services);
  const body = await readBody(write);
  // The time that the client took to send the body does not count.
  const since = services.sources.now();
  const written = await commitOnce(key, write, { body, dry, since }, services);
  return { kind: 'written', method, ...written, dry };
}

/**
 * Names the idempotency record of a write; null without a key, and for a dry run, which records nothing (MET-14).
 *
 * @throws {ApiError} IDEMPOTENCY_KEY_REQUIRED
 */
export async function recordName(
  { operation, request, requiresKey }: RequestedWrite,
  { idempotency }: Pick<RunServices, 'idempotency'>,
): Promise<string | null> {
  const { key, identity, dry } = request;
  if (requiresKey && key === null) throw keyRequired();
  return dry ? null : idempotency.name(key, identity, operation.caller.principal);
}

/** Reads the body of a write; null if it takes none. @throws {ApiError} 408, 413, 415 */
export async function readBody({ operation, request }: RequestedWrite): Promise<ParsedBody | null> {
  if (!operation.takesBody) return null;
  return parseBody(request.body, operation.callerResource, operation.system.contract.model.limits);
}

/**
 * Runs steps 14 to 16 for a client that waits with its body, unless its key has a record. The record is replayed even
 * if the target has changed since (step 13 before 14).
 *
 * @throws {ApiError} 404, 412, 428
 */
async function checkBeforeBody(operation: WriteOperation, key: string | null, services: RunServices): Promise<void> {
  try {
    await operation.precheck(services);
  } catch (refused) {
    if (key === null || (await services.idempotency.find(key)) === null) throw refused;
  }
}

/**
 * Commits one write; at most once if it has a key (MET-12).
 *
 * @param key the name of its idempotency record; null if it has none
 */
export async function commitOnce(
  key: string | null,
  { operation, request }: RequestedWrite,
  options: Omit<CommitOptions, 'record'>,
  services: RunServices,
): Promise<Pick<Written, 'result' | 'replayed'>> {
  const { idempotency } = services;
  if (key === null) {
    const outcome = await commitWrite(operation, { ...options, record: null }, services);
    if (outcome.kind === 'recorded') throw new Error('a write without a key was recorded');
    return { result: outcome.result, replayed: false };
  }
  const keyed = { name: key, request: idempotency.requestDigest(request.identity, bodyBytes(options.body)) };
  const record = (result: WriteResult) =>
    idempotency.record(keyed, (rows) =>
      recordableResult(withWrittenRow(result, rows), operation.systemResource.resource),
    );
  const run = async (): Promise<WriteResult | 'recorded'> => {
    const outcome = await commitWrite(operation, { ...options, record }, services);
    return outcome.kind === 'done' ? outcome.result : 'recorded';
  };
  const replay = (earlier: StoredIdempotencyRecord): Promise<WriteResult> => replayedResult(earlier, operation);
  const { value, replayed } = await idempotency.runOnce(keyed, run, replay);
  return { result: value, replayed };
}

/**
 * Reads the result of an earlier request. Its target is not looked up: it may have changed or be gone.
 *
 * @throws {ApiError} 403: the caller has lost a scope; 404: it would not see the row now, as it was then
 */
async function replayedResult(
  { outcome, revisions }: StoredIdempotencyRecord,
  { system, callerResource }: WriteOperation,
): Promise<WriteResult> {
  const result: WriteResult = JSON.parse(outcome);
  requireAccess(system, stateRules(result));
  if (!(await seesResult(system, result))) throw notFound(callerResource.resource);
  return withRevisions(result, { revisions });
}

/** Lists the rules that a replay must fulfil besides those of its operation: the rule of its change of state. */
export function stateRules({ scope }: Pick<WriteResult, 'scope'>): readonly AccessRule[] {
  return scope === undefined ? [] : [{ kind: 'scope', scope }];
}

/** Returns the bytes of a body; empty without a body. */
export function bodyBytes(body: ParsedBody | null): Uint8Array {
  return body?.bytes ?? new Uint8Array();
}
