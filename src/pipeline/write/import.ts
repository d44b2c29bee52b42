import { ApiError, type ErrorDetail } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json.ts';
import type { EventOrigin } from '../../plan/change-event.ts';
import { importDraft, type ImportedRow } from '../../plan/import-draft.ts';
import type { Ancestor, Bookmark, CreatePlan } from '../../plan/plan.ts';
import { createPlan } from '../../plan/write-plan.ts';
import { ancestorsOf } from '../read/ancestors.ts';
import type { CompiledResource } from '../contract.ts';
import type { Surroundings } from '../surroundings.ts';
import { invalid, writeRefusal } from './write-refusal.ts';

/** A row that could not be taken in. */
export interface RowImportError {
  /** Index into the rows handed in. */
  readonly row: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

export type RowImportOutcome =
  | { readonly kind: 'stored'; readonly count: number }
  | { readonly kind: 'refused'; readonly faults: readonly RowImportError[] };

/**
 * Restores rows as a file has them, all in one transaction together with a bookmark, or none. Every row that is faulty in itself is told; of
 * those that only the store can judge, the first. Hooks do not run: what is restored was written before.
 *
 * @param origin who takes them in, and when
 */
export async function importRows(
  compiled: CompiledResource,
  rows: readonly Json[],
  bookmark: Bookmark | undefined,
  origin: EventOrigin,
  surroundings: Surroundings,
): Promise<RowImportOutcome> {
  const { resource, validator } = compiled;
  const drafts = rows.map((body) => importDraft(resource, validator, body));
  const faults = drafts.flatMap((draft, row) =>
    draft.kind === 'invalid' ? [fault(row, invalid(resource, draft.details))] : [],
  );
  if (faults.length > 0) return { kind: 'refused', faults };
  const above = new Map<string, readonly Ancestor[]>();
  const plans: CreatePlan[] = [];
  for (const draft of drafts) {
    if (draft.kind === 'invalid') continue;
    const within = await ancestorsIn(compiled, draft.row, above, surroundings);
    plans.push(restored(compiled, draft.row, within, origin, surroundings));
  }
  const outcome = await surroundings.store.writes.commit(bookmark === undefined ? { plans } : { plans, bookmark });
  if (outcome.kind === 'committed') return { kind: 'stored', count: plans.length };
  const error = writeRefusal(outcome, resource, surroundings);
  if (!(error instanceof ApiError)) throw error;
  return { kind: 'refused', faults: [fault('plan' in outcome ? outcome.plan : 0, error)] };
}

function restored(
  { resource }: CompiledResource,
  { id, values, createdAt, updatedAt }: ImportedRow,
  within: readonly Ancestor[],
  origin: EventOrigin,
  { events, uuid }: Surroundings,
): CreatePlan {
  const plan = createPlan(events, origin, { resource, within, id: id ?? uuid() }, values);
  const at = createdAt ?? plan.at;
  return { ...plan, at, ...(updatedAt === null ? {} : { updatedAt }) };
}

/** The rows above one: the parent that it names in its own field, for a file has no path to name it, and those above that. */
async function ancestorsIn(
  { resource }: CompiledResource,
  { values }: ImportedRow,
  known: Map<string, readonly Ancestor[]>,
  surroundings: Surroundings,
): Promise<readonly Ancestor[]> {
  const parent = resource.parent === null ? null : values[resource.parent.field];
  if (typeof parent !== 'string') return [];
  const found = known.get(parent) ?? (await ancestorsOf(resource, parent, surroundings));
  known.set(parent, found);
  return found;
}

function fault(row: number, { code, message, details }: ApiError): RowImportError {
  return { row, code, message, details };
}
