import { ApiError, type ErrorDetail } from '../conventions/errors.ts';
import { isJsonObject, type Json } from '../conventions/json.ts';
import type { Origin } from '../plan/change-event.ts';
import { createDraft } from '../plan/draft.ts';
import type { Ancestor, Bookmark, WritePlan } from '../plan/plan.ts';
import { createPlan } from '../plan/write-plan.ts';
import type { CompiledResource } from './compiled.ts';
import { invalid, writeRefusal } from './write-refusal.ts';
import type { Surroundings } from './surroundings.ts';

/** A row that could not be taken in. */
export interface IngestFault {
  /** Index into the rows handed in. */
  readonly row: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

export type IngestOutcome =
  | { readonly kind: 'stored'; readonly count: number }
  | { readonly kind: 'refused'; readonly faults: readonly IngestFault[] };

/**
 * Creates rows as POST would, all in one transaction together with a bookmark, or none. Every row that is faulty in itself is told; of those
 * that only the store can judge, the first.
 *
 * @param origin who takes them in, and when
 */
export async function ingest(
  compiled: CompiledResource,
  rows: readonly Json[],
  bookmark: Bookmark | undefined,
  origin: Origin,
  surroundings: Surroundings,
): Promise<IngestOutcome> {
  const faults: IngestFault[] = [];
  const plans: WritePlan[] = [];
  const { resource, validator } = compiled;
  for (const [row, body] of rows.entries()) {
    const within = ancestorsIn(compiled, body);
    const draft = createDraft({ resource, validator, lenient: false }, body, within);
    if (draft.kind === 'valid') {
      const id = draft.id ?? surroundings.uuid();
      plans.push(createPlan(surroundings.events, origin, { resource, within }, id, draft.values));
    } else {
      faults.push(fault(row, draft.kind === 'conflict' ? draft.error : invalid(resource, draft.details)));
    }
  }
  if (faults.length > 0) return { kind: 'refused', faults };
  const unit = bookmark === undefined ? { plans } : { plans, bookmark };
  const outcome = await surroundings.store.resources.write(unit);
  if (outcome.kind === 'committed') return { kind: 'stored', count: plans.length };
  const error = writeRefusal(outcome, resource, surroundings);
  if (!(error instanceof ApiError)) throw error;
  return { kind: 'refused', faults: [fault('plan' in outcome ? outcome.plan : 0, error)] };
}

/** The parent that a row names in its own field: a file has no path to name it. */
function ancestorsIn({ resource }: CompiledResource, body: Json): readonly Ancestor[] {
  if (resource.parent === null) return [];
  const id = isJsonObject(body) ? body[resource.parent.field] : null;
  return typeof id === 'string' ? [{ resource: resource.parent.resource, id }] : [];
}

function fault(row: number, { code, message, details }: ApiError): IngestFault {
  return { row, code, message, details };
}
