import type { WritePlan } from '../../plan/plan.ts';
import type { IdempotencyRecord, Refusal } from '../../plan/write-unit.ts';
import { rowKey } from '../../plan/row-address.ts';
import type { CommitTiming } from './commits.ts';
import type { ParsedBody } from './parsed-body.ts';
import { isJudgedByOwnRows } from './row-access.ts';
import type { CommitServices, WriteOperation } from './write.ts';
import { olderContractError } from './refusals/older-contract-error.ts';
import { type RefusedWrite, writeRefusal } from './refusals/write-refusal.ts';
import { withRevisions, type WriteResult } from './write-result.ts';

/** Maximum attempts of a write that loses races to other processes. */
export const MAX_ATTEMPTS = 16;

/** Options of {@link commitWrite}. */
export interface CommitOptions extends CommitTiming {
  readonly body: ParsedBody | null;
  /** True if the write is checked completely, and not stored (MET-14). */
  readonly dry: boolean;
  /** Makes the idempotency record that is stored with the write; null without a key. */
  readonly record: ((result: WriteResult) => IdempotencyRecord) | null;
}

/** The end of a write: its result, or that a record of its name exists already. */
export type CommitOutcome = { readonly kind: 'done'; readonly result: WriteResult } | { readonly kind: 'recorded' };

/**
 * Commits one write: prepares it, writes it, and starts again if its rows have changed meanwhile (steps 14 to 18).
 *
 * @throws {ApiError} 400 to 503
 */
export function commitWrite(
  operation: WriteOperation,
  options: CommitOptions,
  services: CommitServices,
): Promise<CommitOutcome> {
  return inOrder(operation, services, () => attempts(operation, options, services));
}

/**
 * Runs a write after earlier writes to its row. If its hooks read other rows, or rows of its own resource judge it, it
 * also runs after all such writes to its resource. Of concurrent ones only one could commit. The reads of hooks are
 * known once they have run, so the first such writes of a process start again here.
 */
async function inOrder(
  operation: WriteOperation,
  { commits }: CommitServices,
  write: () => Promise<CommitOutcome | 'contended'>,
): Promise<CommitOutcome> {
  const { systemResource, within, id } = operation;
  const { resource } = systemResource;
  if (isJudgedByOwnRows(operation)) commits.readsRows(resource.name);
  const afterRow = (): Promise<CommitOutcome | 'contended'> =>
    id === null ? write() : commits.runExclusive(rowKey(resource, { id, within }), write);
  for (;;) {
    const outcome = await commits.afterReaders([resource.name], afterRow);
    if (outcome !== 'contended') return outcome;
  }
}

async function attempts(
  operation: WriteOperation,
  options: CommitOptions,
  services: CommitServices,
): Promise<CommitOutcome | 'contended'> {
  const { body, dry, record } = options;
  const { commits } = services;
  const { name } = operation.systemResource.resource;
  const isFirst = !commits.isReader(name);
  if (!dry) await operation.clear?.(services, options);
  for (let attempt = 1; ; attempt++) {
    const { plans, expectStamps, judgedBy, result } = await operation.prepare(body, 0, services);
    if (expectStamps.length > 0) commits.readsRows(name);
    const records = record === null || dry ? [] : [record(result)];
    if (plans.length + records.length === 0) return { kind: 'done', result };
    const outcome = await commits.commit(
      { plans, expectStamps: [...expectStamps, ...judgedBy], records, dry },
      options,
    );
    if (outcome.kind === 'committed') return { kind: 'done', result: withRevisions(result, outcome) };
    if (outcome.kind === 'recorded') return { kind: 'recorded' };
    if (!isRetryable(outcome, operation) || attempt === MAX_ATTEMPTS) {
      throw olderContractError(writeRefusal(outcome, refusedWrite(outcome, plans, operation)), operation);
    }
    if (isFirst && expectStamps.length > 0) return 'contended';
  }
}

/**
 * Finds the resource whose write was refused: a hook may have added writes to others. Dependents are those of the
 * operation itself.
 */
export function refusedWrite(refusal: Refusal, plans: readonly WritePlan[], operation: WriteOperation): RefusedWrite {
  const plan = 'plan' in refusal && refusal.kind !== 'dependents' ? plans[refusal.plan] : undefined;
  if (plan === undefined) return operation;
  const { caller, system } = operation;
  return { caller, system, systemResource: system.contract.resourceOf(plan.resource) };
}

/** True if a refusal means only that the rows have changed. */
export function isRetryable({ kind }: Refusal, { terms: { method } }: WriteOperation): boolean {
  if (kind === 'stale') return true;
  if (kind === 'exists') return method === 'PUT';
  return kind === 'dependents' && method === 'DELETE';
}
