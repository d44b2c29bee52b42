import { UNCONDITIONAL, type Preconditions } from '../../conventions/headers/preconditions.ts';
import type { Preferences } from '../../conventions/headers/prefer.ts';
import type { Method } from '../../conventions/methods.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import type { Variant } from '../../contract/variants.ts';
import { readListQuery } from '../../plan/list/list-query.ts';
import type { Ancestor } from '../../plan/plan.ts';
import type { Caller } from '../caller.ts';
import { createOperation } from './create.ts';
import { deleteOperation } from './delete.ts';
import type { RequestIdentity } from './idempotency.ts';
import type { SentBody } from './parsed-body.ts';
import { updateOperation } from './update.ts';
import type { WriteOperation, WriteTarget, WriteTerms } from './write.ts';

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
  /** Checked completely, and not stored (MET-14). */
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

/** The same write without preconditions, for the lines of a body: they are judged once, and no line fails by the changes of earlier ones. */
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

/** The caller in the newest contract with every field. */
function systemCaller(caller: Caller): Caller {
  const contract = caller.contract.unrestricted();
  return contract === caller.contract ? caller : { ...caller, contract, rows: caller.rows.stored() };
}

function writeTerms({ method, preconditions, preferences, body }: WriteRequest): WriteTerms {
  const lenient = preferences.handling === 'lenient';
  return { method, preconditions, lenient, isJsonPatch: body.type?.kind === 'json-patch' };
}
