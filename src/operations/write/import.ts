import { quoted } from '../../conventions/text/quoted.ts';
import { ApiError, type ErrorDetail } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import { importDraft, type ImportedRow } from '../../plan/transfer/import-draft.ts';
import type { Field, Resource } from '../../model/model.ts';
import { keyMembers } from '../../model/row-key.ts';
import { type ParentRecord, parentRecord } from '../../plan/transfer/export-record.ts';
import type { Bookmark } from '../../plan/bookmark.ts';
import type { Ancestor, CreatePlan, FieldValues } from '../../plan/plan.ts';
import { heldAncestors } from '../../plan/row-address.ts';
import { restoringPlans, type RestoringPlans } from '../../plan/transfer/restore-order.ts';
import { createPlan, type WriteAuthor } from '../../plan/write/write-plan.ts';
import type { Writer } from '../../stores/store.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import { EVERY_PERMISSION } from '../../contract/permission.ts';
import type { Reader } from '../caller.ts';
import { DANGLING, invalid, notFound } from '../failures.ts';
import { findAncestors } from '../read/item.ts';
import type { Sources } from '../sources.ts';
import { generateMissing } from './generated.ts';
import { referenceField } from './refusals/dangling-references.ts';
import { writeRefusal } from './refusals/write-refusal.ts';

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
  | {
      readonly kind: 'refused';
      readonly errors: readonly RowImportError[];
      /** Present if a row refers to an absent row of its collection, which may follow in the file. */
      readonly mayFollow?: true;
    };

/** The context of an import. `rows` are all rows: it runs for the system. */
export interface ImportContext extends Reader {
  readonly writer: Writer;
  readonly author: WriteAuthor;
  readonly sources: Pick<Sources, 'uuid' | 'randomHex' | 'seal'>;
}

/**
 * Restores all rows of a file in one transaction with a bookmark, or none. Every invalid row is reported, but only the
 * first error that the store finds. Hooks do not run, because the rows were written before.
 */
export async function importRows(
  compiled: CompiledResource,
  rows: readonly Json[],
  bookmark: Bookmark | undefined,
  context: ImportContext,
): Promise<RowImportOutcome> {
  const { resource, validator } = compiled;
  const record = parentRecord(resource, context.contract.model.resources);
  const drafts = rows.map((body) => importDraft(resource, validator, record, body));
  const errors = drafts.flatMap((draft, row) =>
    draft.kind === 'invalid' ? [importError(row, invalid(resource, draft.details))] : [],
  );
  if (errors.length > 0) return { kind: 'refused', errors };
  const ancestors = new Map<string, readonly Ancestor[]>();
  const plans: CreatePlan[] = [];
  for (const [row, draft] of drafts.entries()) {
    if (draft.kind === 'invalid') continue;
    const within = await ancestorsIn(compiled, draft.row, ancestors, context);
    if (within instanceof ApiError) return { kind: 'refused', errors: [importError(row, within)] };
    const message = compiled.checkUrl(within, draft.row.id);
    if (message !== null) {
      return { kind: 'refused', errors: [importError(row, invalid(resource, [{ field: 'id', message }]))] };
    }
    plans.push(restorePlan(compiled, draft.row, within, context));
  }
  return restored(compiled, restoringPlans(resource, plans), bookmark, context);
}

async function restored(
  compiled: CompiledResource,
  { plans, rows }: RestoringPlans,
  bookmark: Bookmark | undefined,
  context: ImportContext,
): Promise<RowImportOutcome> {
  const outcome = await context.writer.commit(bookmark === undefined ? { plans } : { plans, bookmark });
  if (outcome.kind === 'committed') return { kind: 'stored', count: new Set(rows).size };
  const error = writeRefusal(outcome, {
    system: { contract: context.contract, permission: EVERY_PERMISSION },
    systemResource: compiled,
  });
  if (!(error instanceof ApiError)) throw error;
  const row = 'plan' in outcome ? (rows[outcome.plan] ?? 0) : 0;
  const refused = importError(row, error);
  const own = outcome.kind === 'reference' ? ownReferences(compiled.resource, outcome.fields) : [];
  if (own.length === 0) return { kind: 'refused', errors: [refused] };
  const details = refused.details.map((each) => (own.includes(each.field) ? { ...each, message: TOO_LATE } : each));
  return { kind: 'refused', errors: [{ ...refused, details }], mayFollow: true };
}

/** Selects the references to the same collection: rows that follow in the file may make them valid. */
function ownReferences({ name, field: fields }: Resource, references: readonly string[]): readonly string[] {
  return references.filter((reference) => fields.get(referenceField(reference))?.reference?.resource === name);
}

const TOO_LATE = `${DANGLING}, or of a row that is imported before it or together with it`;

function restorePlan(
  { resource }: CompiledResource,
  { id, values: given, missing, createdAt, updatedAt }: ImportedRow,
  within: readonly Ancestor[],
  { author, sources }: ImportContext,
): CreatePlan {
  const at = createdAt ?? author.origin.at;
  const values = generateMissing(missing, given, { at, sources });
  const times = updatedAt === null ? { at } : { at, updatedAt };
  const address = { resource, within, id: id ?? sources.uuid() };
  const written = resource.table === null ? values : omitDerived(resource, values, missing);
  const plan = createPlan(author, address, written, times);
  if (id !== null) return { ...plan, isRestored: true };
  return resource.table === null ? plan : { ...plan, hasDefaultId: true };
}

/** Leaves out what the database of a table makes: generated columns, and defaults of fields that the file lacks. */
function omitDerived({ fields }: Resource, values: FieldValues, missing: readonly Field[]): FieldValues {
  const written = fields.filter((field) => !field.readOnly && !missing.includes(field));
  return Object.fromEntries(written.map(({ name }) => [name, values[name] ?? null]));
}

/**
 * Finds the ancestors of a row. A file has no path, so the row's own field names the parent. The others are those above
 * the parent.
 *
 * @returns an error if several rows have the id of the parent, and the file does not name the rows above it
 */
async function ancestorsIn(
  { resource }: CompiledResource,
  { values, above }: ImportedRow,
  known: Map<string, readonly Ancestor[]>,
  source: Reader,
): Promise<readonly Ancestor[] | ApiError> {
  const parent = resource.parent === null ? null : values[resource.parent.field];
  if (typeof parent !== 'string') return [];
  const key = JSON.stringify([parent, above]);
  const found = known.get(key) ?? (await locate(resource, parent, above, source));
  if (!(found instanceof ApiError)) known.set(key, found);
  return found;
}

async function locate(
  resource: Resource,
  parent: string,
  above: readonly string[] | null,
  source: Reader,
): Promise<readonly Ancestor[] | ApiError> {
  const record = parentRecord(resource, source.contract.model.resources);
  const [field = '', ...hidden] = resource.parentKey;
  const ids = record === null ? [] : (above ?? (await idsAbove(resource, parent, record, source)));
  if (ids instanceof ApiError) return ids;
  const held = hidden.map((name, level): [string, Json] => [name, ids[level] ?? null]);
  return findAncestors(resource, Object.fromEntries([[field, parent], ...held]), source);
}

/**
 * Finds the ids above a parent that a file names by its id alone, as files did when ids were unique in the whole
 * resource.
 */
async function idsAbove(
  resource: Resource,
  id: string,
  record: ParentRecord,
  { contract, rows }: Reader,
): Promise<readonly string[] | ApiError> {
  const parent = contract.resourceOf(resource.parent?.resource ?? '').resource;
  const { rows: found } = await rows.list({
    kind: 'list',
    resource: parent.name,
    within: [],
    filter: [{ path: 'id', operator: 'in', values: [id] }],
    order: keyMembers(parent).map((path) => ({ path, descending: false })),
    window: { kind: 'seek', after: null, backward: false, limit: 2 },
    count: { kind: 'none' },
    effort: 'unbounded',
  });
  const [only, other] = found;
  if (only === undefined) return notFound(parent);
  if (other === undefined) {
    return heldAncestors(parent, only, contract.model.resources).map((ancestor) => ancestor.id);
  }
  const message = `is required: several ${parent.name} have the id ${quoted(id)}`;
  return invalid(resource, [{ field: `${record.name}.${record.members[0]?.name ?? ''}`, message }]);
}

function importError(row: number, { code, message, details }: ApiError): RowImportError {
  return { row, code, message, details };
}
