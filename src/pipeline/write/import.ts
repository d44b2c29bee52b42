import { ApiError, type ErrorDetail } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json.ts';
import { importDraft, type ImportedRow } from '../../plan/import-draft.ts';
import type { Ancestor, Bookmark, CreatePlan } from '../../plan/plan.ts';
import { createPlan, type WriteAuthor } from '../../plan/write-plan.ts';
import type { Writer } from '../../stores/store.ts';
import type { CompiledResource } from '../contract.ts';
import { ancestorsOf, type AncestorSource } from '../read/ancestors.ts';
import { invalid, writeRefusal } from './write-refusal.ts';

/** A row that could not be imported. */
export interface RowImportError {
  /** Index into the rows passed in. */
  readonly row: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

export type RowImportOutcome =
  | { readonly kind: 'stored'; readonly count: number }
  | { readonly kind: 'refused'; readonly errors: readonly RowImportError[] };

/** What an import needs. `rows` are all rows: an import runs for the system. */
export interface ImportContext extends AncestorSource {
  readonly writer: Writer;
  readonly author: WriteAuthor;
  readonly uuid: () => string;
}

/**
 * Restores rows of a file, all in one transaction together with a bookmark, or none. Every invalid row is reported; of those that only the
 * store can judge, the first. Hooks do not run: the rows were written before.
 */
export async function importRows(
  compiled: CompiledResource,
  rows: readonly Json[],
  bookmark: Bookmark | undefined,
  context: ImportContext,
): Promise<RowImportOutcome> {
  const { resource, validator } = compiled;
  const drafts = rows.map((body) => importDraft(resource, validator, body));
  const errors = drafts.flatMap((draft, row) =>
    draft.kind === 'invalid' ? [importError(row, invalid(resource, draft.details))] : [],
  );
  if (errors.length > 0) return { kind: 'refused', errors };
  const ancestors = new Map<string, readonly Ancestor[]>();
  const plans: CreatePlan[] = [];
  for (const draft of drafts) {
    if (draft.kind === 'invalid') continue;
    const within = await ancestorsIn(compiled, draft.row, ancestors, context);
    plans.push(restorePlan(compiled, draft.row, within, context));
  }
  const outcome = await context.writer.commit(bookmark === undefined ? { plans } : { plans, bookmark });
  if (outcome.kind === 'committed') return { kind: 'stored', count: plans.length };
  const error = writeRefusal(outcome, { compiled, request: context });
  if (!(error instanceof ApiError)) throw error;
  return { kind: 'refused', errors: [importError('plan' in outcome ? outcome.plan : 0, error)] };
}

function restorePlan(
  { resource }: CompiledResource,
  { id, values, createdAt, updatedAt }: ImportedRow,
  within: readonly Ancestor[],
  { author, uuid }: ImportContext,
): CreatePlan {
  const plan = createPlan(author, { resource, within, id: id ?? uuid() }, values);
  const at = createdAt ?? plan.at;
  return { ...plan, at, ...(updatedAt === null ? {} : { updatedAt }) };
}

/** The ancestors of a row: the parent that its own field names, because a file has no path to name it, and those above that. */
async function ancestorsIn(
  { resource }: CompiledResource,
  { values }: ImportedRow,
  known: Map<string, readonly Ancestor[]>,
  source: AncestorSource,
): Promise<readonly Ancestor[]> {
  const parent = resource.parent === null ? null : values[resource.parent.field];
  if (typeof parent !== 'string') return [];
  const found = known.get(parent) ?? (await ancestorsOf(resource, parent, source));
  known.set(parent, found);
  return found;
}

function importError(row: number, { code, message, details }: ApiError): RowImportError {
  return { row, code, message, details };
}
