import type { BatchedWrite, SettledWrite } from './batch-types.ts';
import type { CallOptions } from './client-types.ts';
import { describedFailure, FailedRequest, isRequestError } from './request-error.ts';
import { readJson, type Transport } from './transport.ts';
import { writeRequest } from './write-request.ts';

/** Options of a batch. */
export interface BatchOptions extends CallOptions {
  readonly atomic?: boolean;
}

/** The response to a batch (MET-13). */
interface BatchResults {
  readonly results: readonly { readonly status: number; readonly body?: unknown }[];
}

/**
 * Sends writes as one batch. @returns the bodies of the responses; of a batch that is not atomic what became of each
 * write
 */
export async function sendBatch(
  transport: Transport,
  operations: readonly BatchedWrite<unknown>[],
  options: BatchOptions,
  uniqueKey: () => string,
): Promise<readonly unknown[]> {
  if (operations.length === 0) return [];
  const { atomic = true } = options;
  const headers = { 'Content-Type': 'application/json' };
  const write = { method: 'POST', path: '/batches', headers, body: { atomic, operations } } as const;
  const { results } = await transport.send(writeRequest(write, options, uniqueKey), readJson<BatchResults>);
  return atomic ? results.map(({ body }) => valueOf(body)) : results.map(settled);
}

function settled({ status, body }: BatchResults['results'][number]): SettledWrite<unknown> {
  if (status < 400) return { status: 'fulfilled', value: valueOf(body) };
  const reason =
    describedFailure(body, null) ??
    new FailedRequest('CLIENT_RESPONSE_INVALID', 'An operation of the batch failed without an error.', { status });
  if (isRequestError(reason)) return { status: 'rejected', reason };
  throw reason;
}

/** The result of a write without a body, such as a deletion, is undefined. */
function valueOf(body: unknown): unknown {
  return body ?? undefined;
}
