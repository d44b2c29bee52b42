import { isJsonObject } from '../../conventions/json/json.ts';
import { evaluateRead, listedETag } from '../../conventions/headers/preconditions.ts';
import type { WriteContext } from '../../model/hooks.ts';
import { pendingRevision } from '../../plan/write/pending-revisions.ts';
import type { ExpectedStamp, FieldValues } from '../../plan/plan.ts';
import { createPlan } from '../../plan/write/write-plan.ts';
import { noCollectionVersion, preconditionFailed } from '../failures.ts';
import { requireAncestors } from '../read/item.ts';
import { type CollectionForm, collectionState } from '../read/list.ts';
import { generateValues } from './generated.ts';
import { hookPlans, HookWork } from './hook-work.ts';
import { applyHooks, withRefusals } from './hooks.ts';
import type { ParsedBody } from './parsed-body.ts';
import { inCallersTerms } from './refusals/older-contract-error.ts';
import { judgingStamps, mayHideAncestors, ownerValues, requireWritable } from './row-access.ts';
import {
  draftError,
  type PreparedWrite,
  type WriteOperation,
  writeOrigin,
  type WriteServices,
  type WriteTarget,
  writtenRow,
} from './write.ts';
import { newDraft } from './complete-draft.ts';

/** A POST to a collection. `If-Match` and `If-None-Match` refer to the collection as GET returns it. */
interface Creation extends WriteTarget {
  readonly form: () => CollectionForm;
}

/**
 * Makes the operation of a POST to a collection (MET-1).
 *
 * @param form of the collection as GET without parameters returns it
 */
export function createOperation(target: WriteTarget, form: () => CollectionForm): WriteOperation {
  const creation = { ...target, form };
  return {
    ...target,
    id: null,
    takesBody: true,
    precheck: async (services) => void (await precheck(creation, services)),
    prepare: (body, firstPlan, services) => prepare(creation, body, firstPlan, services),
  };
}

async function prepare(
  creation: Creation,
  body: ParsedBody | null,
  firstPlan: number,
  services: WriteServices,
): Promise<PreparedWrite> {
  const { ifMatch, ifNoneMatch } = creation.terms.preconditions;
  const isConditional = ifMatch !== null || ifNoneMatch !== null;
  // The write itself finds a missing ancestor, but no hidden one. It is checked here before other errors, because it
  // ranks first.
  const expectStamps = isConditional || mayHideAncestors(creation) ? await precheck(creation, services) : [];
  if (body?.kind !== 'parsed') {
    await precheck(creation, services);
    throw body?.error ?? new Error('POST was prepared without its body');
  }
  const draft = newDraft(creation, body.json);
  if (draft.kind !== 'valid') {
    await precheck(creation, services);
    throw await draftError(creation, draft, isJsonObject(body.json) ? (body.json['id'] ?? null) : null);
  }
  const hooked = await applyHooks(creation, draft.values, null, services);
  const id = draft.id ?? services.sources.uuid();
  const row = { id, hasDefaultId: draft.id === null, ...hooked, expectStamps };
  return prepareInsert(creation, row, firstPlan, services);
}

/** A row to be created. */
export interface NewRow {
  readonly id: string;
  /** True if the id is none that the client has chosen. Default: false. */
  readonly hasDefaultId?: boolean;
  readonly values: FieldValues;
  readonly work: HookWork | null;
  /** The stamps that no write may have changed before it. */
  readonly expectStamps?: readonly ExpectedStamp[];
}

/** Adds a row. @param firstPlan the index that its plan has in the unit */
export async function prepareInsert(
  target: WriteTarget,
  { id, hasDefaultId = false, values: given, work, expectStamps = [] }: NewRow,
  firstPlan: number,
  services: WriteServices,
): Promise<PreparedWrite> {
  const { system, systemResource, within } = target;
  const { resource } = systemResource;
  const judgedBy = await judgingStamps(target, 'create');
  const origin = writeOrigin(system, services);
  let worked = work;
  const context = (): WriteContext => (worked ??= new HookWork(system, services)).context;
  const inputs = { at: origin.at, sources: services.sources, context };
  const { values: made, shown } = await inCallersTerms(target, () =>
    withRefusals(resource, () => generateValues(systemResource, given, inputs)),
  );
  const values = { ...made, ...ownerValues(resource, system.principal) };
  const created = createPlan({ events: services.events, origin }, { resource, within, id }, values);
  const plan = { ...created, ...(hasDefaultId ? { hasDefaultId } : {}), expectStamps };
  const { before, after, expectStamps: read } = hookPlans(worked, resource, id);
  const revision = pendingRevision(firstPlan + before.length);
  const row = await writtenRow(target, { id, created_at: origin.at, updated_at: origin.at, revision }, values);
  await requireWritable(target, { row, plan, current: null }, 'create');
  return {
    plans: [...before, plan, ...after],
    expectStamps: read,
    judgedBy,
    result: { kind: 'created', resource: resource.name, within, row, ...(shown === null ? {} : { shown }) },
  };
}

/**
 * Judges the ancestors and the preconditions of a POST. Stamps are never reused: the collection will never have an ETag
 * that it does not have now.
 *
 * @returns the stamps that may not change before the row is written, because the preconditions were judged by them
 * @throws {ApiError} 404, 412
 */
async function precheck(
  { caller, system, callerResource, within, terms, form }: Creation,
  services: WriteServices,
): Promise<readonly ExpectedStamp[]> {
  await requireAncestors({ rows: system.rows, contract: caller.contract }, within);
  const { preconditions } = terms;
  const { ifMatch, ifNoneMatch } = preconditions;
  if (ifMatch === null && ifNoneMatch === null) return [];
  const { etags, seen, isCounted } = await collectionState(system, form(), services);
  if (!isCounted && [ifMatch, ifNoneMatch].some((list) => list !== null && list !== '*'))
    throw noCollectionVersion(callerResource.resource);
  const etag = listedETag(preconditions, etags) ?? etags.short;
  const verdict = evaluateRead(preconditions, { etag, lastModified: () => null });
  if (verdict !== 'proceed') throw preconditionFailed(callerResource.resource);
  return ifMatch === null || ifMatch === '*' ? [] : seen;
}
