import type { StoredIdempotencyRecord } from '../../plan/plan.ts';
import type { AccessRule } from '../../model/model.ts';
import { requireAccess } from '../../pipeline/authorize.ts';
import type { Services, WriteServices } from '../../pipeline/services.ts';
import { type CommitOptions, commitWrite } from './commit-write.ts';
import { type ParsedBody, parseBody } from './parsed-body.ts';
import type { RequestedWrite } from './requested-write.ts';
import type { WriteOperation } from './write.ts';
import { notFound } from '../read/item.ts';
import { seesResult } from './row-access.ts';
import { recordedResult, withRevisions, type WriteResult } from './write-result.ts';

/** A write that is done, now or by an earlier request with the same idempotency key. */
export interface Written {
  readonly kind: 'written';
  readonly result: WriteResult;
  readonly replayed: boolean;
  readonly dry: boolean;
}

/** What running a write needs. */
export type RunServices = WriteServices & Pick<Services, 'commits' | 'idempotency'>;

const KEYED_METHODS: ReadonlySet<string> = new Set(['POST', 'PATCH']);

/** Runs the one write of a request: steps 13 to 18. @throws {ApiError} 400 to 503 */
export async function runWrite({ operation, dry }: RequestedWrite, services: RunServices): Promise<Written> {
  const { request, compiled, shown, takesBody } = operation;
  const isKeyed = KEYED_METHODS.has(request.method);
  const name = isKeyed ? services.idempotency.name(request, compiled.resource.idempotency === 'required') : null;
  // A dry run checks the key, too (MET-14), and records nothing under it.
  const key = dry ? null : name;
  if (request.expectsContinue) await checkBeforeBody(operation, key, services);
  const body = takesBody ? await parseBody(request, shown) : null;
  // The time that the client took to send the body is not the write's.
  const since = services.sources.now();
  const written = await commitOnce(key, operation, { body, dry, since }, services);
  return { kind: 'written', ...written, dry };
}

/**
 * Steps 14 to 16 for a client that waits with its body, unless its key has a record: that is replayed, whatever became of the target since
 * (step 13 before 14).
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
 * Commits one write, and at most once where it has a key (MET-12).
 *
 * @param key the name of its idempotency record; null where it has none
 */
export async function commitOnce(
  key: string | null,
  operation: WriteOperation,
  options: Omit<CommitOptions, 'record'>,
  services: RunServices,
): Promise<Pick<Written, 'result' | 'replayed'>> {
  const { idempotency } = services;
  if (key === null) {
    const outcome = await commitWrite(operation, { ...options, record: null }, services);
    if (outcome.kind === 'recorded') throw new Error('a write without a key was recorded');
    return { result: outcome.result, replayed: false };
  }
  const keyed = {
    name: key,
    request: idempotency.requestDigest({ ...operation.request, contract: operation.contract }, bodyBytes(options.body)),
  };
  const record = (result: WriteResult) =>
    idempotency.record(keyed, recordedResult(result, operation.compiled.resource));
  const run = async (): Promise<WriteResult | 'recorded'> => {
    const outcome = await commitWrite(operation, { ...options, record }, services);
    return outcome.kind === 'done' ? outcome.result : 'recorded';
  };
  const replay = (earlier: StoredIdempotencyRecord): Promise<WriteResult> => replayedResult(earlier, operation);
  const { value, replayed } = await idempotency.runOnce(keyed, run, replay);
  return { result: value, replayed };
}

/**
 * The result of an earlier request. Its target is not looked up: it may have changed or be gone.
 *
 * @throws {ApiError} 403 where the caller has lost a scope; 404 where it would not see the row now, as it was then
 */
async function replayedResult(
  { outcome, revisions }: StoredIdempotencyRecord,
  { request, shown }: Pick<WriteOperation, 'request' | 'shown'>,
): Promise<WriteResult> {
  const result: WriteResult = JSON.parse(outcome);
  requireAccess(request, stateRules(result));
  if (!(await seesResult(request, result))) throw notFound(shown.resource);
  return withRevisions(result, revisions);
}

/** What a replay needs besides the scope of its operation: that of the change of its state. */
export function stateRules({ scope }: Pick<WriteResult, 'scope'>): readonly AccessRule[] {
  return scope === undefined ? [] : [{ kind: 'scope', scope }];
}

/** The bytes of a body, none where there is none. */
export function bodyBytes(body: ParsedBody | null): Uint8Array {
  return body?.bytes ?? new Uint8Array();
}
