import { type ApiError, resourceError } from '../../conventions/errors.ts';
import type { Method } from '../../conventions/methods.ts';
import type { AccessOperation, Resource } from '../../model/model.ts';
import { relatedResources } from '../../plan/condition.ts';
import { referencesIn } from '../../plan/write/body-references.ts';
import { isVisible } from '../../plan/policy/holds.ts';
import type { ExpectedStamp, FieldValues, Row, WritePlan } from '../../plan/plan.ts';
import { isJudgedByRow, visibleConditions } from '../../plan/visibility.ts';
import type { Principal } from '../authenticate.ts';
import type { Authorized } from '../authorize.ts';
import { StagedRows } from '../batch/staged-rows.ts';
import { requireAncestors } from '../read/item.ts';
import { inCallersTerms } from './older-contract-error.ts';
import { DANGLING, invalid } from './write-refusal.ts';
import type { WriteResult } from './write-result.ts';
import { fieldOf, isKept, type ItemTarget, type WriteTarget } from './write.ts';

/** What changes rows. */
type WriteAccess = Exclude<AccessOperation, 'read'>;

/**
 * Step 15: fails where the caller sees a row that it may not change so (AUTH-5).
 *
 * @param row as it is
 * @throws {ApiError} {R}_FORBIDDEN
 */
export async function requireChangeable(
  { request, compiled, shown, within }: WriteTarget,
  row: Row,
  operation: WriteAccess,
): Promise<void> {
  const { resource } = compiled;
  const { rows } = request;
  const changeable = rows.visibility(resource.name, operation);
  if (changeable.kind === 'everything') return;
  const isAllowed = isJudgedByRow(changeable)
    ? isVisible(resource, row, changeable)
    : (await rows.accessible(operation, { resource: resource.name, id: row.id, within })) !== null;
  if (!isAllowed) throw forbidden(shown.resource, `You may not ${operation} this ${shown.resource.singular}.`);
}

/** Whether no row has an id, also none that is hidden from the caller (MET-2). */
export async function isFreeId({ request, compiled: { resource }, within, id }: ItemTarget): Promise<boolean> {
  const { rows } = request;
  if (rows.visibility(resource.name).kind === 'everything') return true;
  return (await rows.unrestricted().item({ resource: resource.name, id, within })) === null;
}

/** A row as a write would leave it. */
interface WrittenRow {
  readonly row: Row;
  /** The plan of the write. */
  readonly plan: WritePlan;
  /** The row as it is; null for a new one. */
  readonly current: FieldValues | null;
}

/**
 * Fails where the caller may not leave a row so: where it would be one that the caller may not write, or would refer to rows that are hidden from it
 * (AUTH-5, MET-10).
 *
 * @throws {ApiError} 404 of a hidden ancestor; {R}_FORBIDDEN, {R}_INVALID
 */
export function requireWritable(target: WriteTarget, written: WrittenRow, operation: WriteAccess): Promise<void> {
  return inCallersTerms(target, () => judgeWritten(target, written, operation));
}

async function judgeWritten(target: WriteTarget, written: WrittenRow, operation: WriteAccess): Promise<void> {
  const { request, within } = target;
  if (operation === 'create' && mayHideAncestors(target)) await requireAncestors(request, within);
  const isRestrictedTo = (resource: string): boolean => request.rows.visibilityAnywhere(resource).kind !== 'everything';
  const error =
    (await referenceError(target, written, isRestrictedTo)) ?? (await resultError(target, written, operation));
  if (error === null) return;
  // An absent ancestor ranks first, and then all references to nothing, which the store would find otherwise.
  if (operation === 'create') await requireAncestors(request, within);
  throw (await referenceError(target, written, () => true)) ?? error;
}

/** Why the caller may not leave a row so; null where it may. */
async function resultError(
  { request, compiled: { resource } }: WriteTarget,
  { row, plan }: WrittenRow,
  operation: WriteAccess,
): Promise<ApiError | null> {
  const writable = request.rows.visibility(resource.name, operation);
  if (writable.kind === 'everything') return null;
  const isAllowed = isJudgedByRow(writable)
    ? isVisible(resource, row, writable)
    : await isAccessibleAfter(request, plan, operation);
  const what = operation === 'create' ? `create such a ${resource.singular}` : `leave the ${resource.singular} so`;
  return isAllowed ? null : forbidden(resource, `You may not ${what}.`);
}

/** Where other rows decide, too: over the rows as a plan would leave them. */
async function isAccessibleAfter(
  { rows, contract }: Pick<Authorized, 'rows' | 'contract'>,
  plan: WritePlan,
  operation: AccessOperation,
): Promise<boolean> {
  const { rows: after, source } = rows.over((stored) => new StagedRows(stored, contract.unrestricted().model));
  await source.stage([plan]);
  return (await after.accessible(operation, plan)) !== null;
}

/** Whether the caller would see the row of an earlier result now, by the values that it had then (MET-12). The row itself may be gone. */
export async function seesResult(
  request: Pick<Authorized, 'rows' | 'contract'>,
  { resource, within, row }: Pick<WriteResult, 'resource' | 'within' | 'row'>,
): Promise<boolean> {
  const { rows, contract } = request;
  const visible = rows.visibility(resource);
  const isBelowHidden = within.some((above) => rows.visibility(above.resource).kind !== 'everything');
  if (isJudgedByRow(visible) && !isBelowHidden) return isVisible(contract.resourceOf(resource).stored, row, visible);
  const { id, created_at: at, updated_at: _updatedAt, revision: _revision, ...values } = row;
  return isAccessibleAfter(request, { kind: 'create', resource, id, within, values, at, event: null }, 'read');
}

/** A reference that the caller cannot see is one to nothing, unless the row has it already. @param judges references to which resources */
async function referenceError(
  target: WriteTarget,
  { row, current }: WrittenRow,
  judges: (resource: string) => boolean,
): Promise<ApiError | null> {
  const {
    request,
    compiled: { resource },
    within,
  } = target;
  const references = referencesIn(resource, row, within).filter(
    (each) =>
      judges(each.resource) &&
      !isKept(row, current, fieldOf(each.field)) &&
      !(each.resource === resource.name && each.id === row.id),
  );
  const missing = await request.rows.missingReferences(references);
  const hidden = references.filter((one) =>
    missing.some((each) => each.resource === one.resource && each.id === one.id),
  );
  if (hidden.length === 0) return null;
  return invalid(
    resource,
    hidden.map(({ field }) => ({ field, message: DANGLING })),
  );
}

/**
 * The stamps of what decides, besides the row itself, whether the caller may write: it may not change before the write (AUTH-5). Read them before anything
 * is judged.
 */
export async function judgingStamps(target: WriteTarget, operation: WriteAccess): Promise<readonly ExpectedStamp[]> {
  const names = [...judgingResources(target, operation)];
  if (names.length === 0) return [];
  const stamps = await target.request.rows.storedStamps(names);
  return names.map((name, index) => ({ resource: name, stamp: stamps[index] ?? 0 }));
}

/** Whether other rows of its resource decide on a write, so that each write changes what others are judged by. */
export function isJudgedByOwnRows(target: WriteTarget): boolean {
  return judgingResources(target, ACCESS[target.request.method] ?? 'update').has(target.compiled.resource.name);
}

const ACCESS: Readonly<Partial<Record<Method, WriteAccess>>> = { POST: 'create', DELETE: 'delete' };

/** The resources whose rows decide, besides the row itself, whether the caller may write. */
function judgingResources(target: WriteTarget, operation: WriteAccess): ReadonlySet<string> {
  const {
    request: { rows },
    compiled: { resource },
    within,
  } = target;
  const above = within.filter((each) => isRestricted(target, each.resource)).map((each) => each.resource);
  const visibilities = [
    rows.visibility(resource.name),
    rows.visibility(resource.name, operation),
    ...above.map((name) => rows.visibility(name)),
  ];
  const related = visibilities.flatMap((visible) => relatedResources(visibleConditions(visible)));
  const referred = resource.fields.flatMap(({ reference }) =>
    reference !== null && rows.visibilityAnywhere(reference.resource).kind !== 'everything' ? [reference.resource] : [],
  );
  return new Set([...above, ...related, ...referred]);
}

/** Whether rows above may be hidden from the caller. */
export function mayHideAncestors(target: WriteTarget): boolean {
  return target.within.some((above) => isRestricted(target, above.resource));
}

/** The owner of a row that a caller creates (AUTH-9). */
export function ownerOf({ owner }: Resource, principal: Principal): FieldValues {
  return owner === null ? {} : { [owner]: principal.owner };
}

function isRestricted({ request }: WriteTarget, resource: string): boolean {
  return request.rows.visibility(resource).kind !== 'everything';
}

function forbidden({ code }: Resource, message: string): ApiError {
  return resourceError(code, 'FORBIDDEN', message);
}
