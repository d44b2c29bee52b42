import { writeNoun } from '../../conventions/text/article.ts';
import type { ApiError } from '../../conventions/errors.ts';
import type { Method } from '../../conventions/methods.ts';
import type { AccessOperation, Resource } from '../../model/model.ts';
import { relatedResources } from '../../plan/condition.ts';
import type { BodyReference } from '../../plan/write/body-references.ts';
import { isVisible } from '../../plan/policy/holds.ts';
import { callerFills } from '../../plan/policy/caller-fills.ts';
import type { ExpectedStamp, FieldValues, Row, WritePlan } from '../../plan/plan.ts';
import type { Reader } from '../caller.ts';
import { forbidden, invalid } from '../failures.ts';
import type { Principal } from '../principal.ts';
import { StagedRows } from '../staged/staged-rows.ts';
import { isJudgedByRow, visibleConditions } from '../../plan/visibility.ts';
import { requireAncestors } from '../read/item.ts';
import { inCallersTerms } from './refusals/older-contract-error.ts';
import type { WriteResult } from './write-result.ts';
import { danglingReferences, unreadReferences } from './refusals/dangling-references.ts';
import type { ItemTarget, WriteTarget } from './write.ts';

/** An operation that changes rows. */
type WriteAccess = Exclude<AccessOperation, 'read'>;

/**
 * Refuses a change that the caller may not make to a row that it sees (step 15, AUTH-5).
 *
 * @param row before the write
 * @throws {ApiError} {R}_FORBIDDEN
 */
export async function requireChangeable(
  { system: { rows }, systemResource, callerResource, within }: WriteTarget,
  row: Row,
  operation: WriteAccess,
): Promise<void> {
  const { resource } = systemResource;
  const changeable = rows.visibility(resource.name, operation);
  if (changeable.kind === 'everything') return;
  const isAllowed = isJudgedByRow(changeable)
    ? isVisible(resource, row, changeable)
    : (await rows.accessible(operation, { resource: resource.name, id: row.id, within })) !== null;
  if (!isAllowed)
    throw forbidden(
      callerResource.resource,
      `You may not ${operation} this ${writeNoun(callerResource.resource.singular)}.`,
    );
}

/** True if no row has an id, not even one that is hidden from the caller (MET-2). */
export async function isFreeId({
  system: { rows },
  systemResource: { resource },
  within,
  id,
}: ItemTarget): Promise<boolean> {
  if (rows.visibility(resource.name).kind === 'everything') return true;
  return (await rows.unrestricted().item({ resource: resource.name, id, within })) === null;
}

/** A row as a write would leave it. */
interface CompletedRow {
  readonly row: Row;
  /** The plan of the write. */
  readonly plan: WritePlan;
  /** The row before the write; null for a new one. */
  readonly current: FieldValues | null;
}

/**
 * Refuses a write if the caller may not write the resulting row, or the row would refer to rows hidden from the caller
 * (AUTH-5, MET-10).
 *
 * @throws {ApiError} 404 of a hidden ancestor; {R}_FORBIDDEN, {R}_INVALID
 */
export function requireWritable(target: WriteTarget, written: CompletedRow, operation: WriteAccess): Promise<void> {
  return inCallersTerms(target, () => judgeWritten(target, written, operation));
}

async function judgeWritten(target: WriteTarget, written: CompletedRow, operation: WriteAccess): Promise<void> {
  const { system, within } = target;
  if (operation === 'create' && mayHideAncestors(target)) await requireAncestors(system, within);
  const isUnread = unreadReferences(system);
  const isRestrictedTo = (reference: BodyReference): boolean =>
    system.rows.visibilityAnywhere(reference.resource).kind !== 'everything' || isUnread(reference);
  const error =
    (await referenceError(target, written, isRestrictedTo)) ?? (await resultError(target, written, operation));
  if (error === null) return;
  // An absent ancestor ranks first, then all dangling references, which the store would find otherwise.
  if (operation === 'create') await requireAncestors(system, within);
  throw (await referenceError(target, written, () => true)) ?? error;
}

/** Returns the error of a row that the caller may not write; null if it may. */
async function resultError(
  { system, systemResource: { resource } }: WriteTarget,
  { row, plan }: CompletedRow,
  operation: WriteAccess,
): Promise<ApiError | null> {
  const writable = system.rows.visibility(resource.name, operation);
  if (writable.kind === 'everything') return null;
  const isAllowed = isJudgedByRow(writable)
    ? isVisible(resource, row, writable)
    : await isAccessibleAfter(system, plan, operation);
  const singular = writeNoun(resource.singular);
  const what = operation === 'create' ? `create this ${singular}` : `make this change to the ${singular}`;
  return isAllowed ? null : forbidden(resource, `You may not ${what}.`);
}

/** Judges a write that depends on other rows, over the rows as its plan would leave them. */
async function isAccessibleAfter(
  { rows, contract }: Reader,
  plan: WritePlan,
  operation: AccessOperation,
): Promise<boolean> {
  const { rows: after, source } = rows.over((stored) => new StagedRows(stored, contract.unrestricted().model));
  await source.stage([plan]);
  return (await after.accessible(operation, plan)) !== null;
}

/**
 * True if the caller would now see the row of an earlier result, by the values that it had then (MET-12). The row
 * itself may be gone.
 */
export async function seesResult(
  reader: Reader,
  { resource, within, row }: Pick<WriteResult, 'resource' | 'within' | 'row'>,
): Promise<boolean> {
  const { rows, contract } = reader;
  const visible = rows.visibility(resource);
  const isBelowHidden = within.some((above) => rows.visibility(above.resource).kind !== 'everything');
  if (isJudgedByRow(visible) && !isBelowHidden) return isVisible(contract.resourceOf(resource).stored, row, visible);
  const { id, created_at: at, updated_at: _updatedAt, revision: _revision, ...values } = row;
  return isAccessibleAfter(reader, { kind: 'create', resource, id, within, values, at, event: null }, 'read');
}

/** Returns the error of references that lead to no row that the caller sees. @param judges true for those to check */
async function referenceError(
  { system, systemResource: { resource }, within }: WriteTarget,
  { row, current }: CompletedRow,
  judges: (reference: BodyReference) => boolean,
): Promise<ApiError | null> {
  const referring = { resource, values: row, within, ownId: row.id, current };
  const dangling = await danglingReferences(system, referring, judges);
  return dangling.length === 0 ? null : invalid(resource, dangling);
}

/**
 * Reads the stamps of the resources on which, besides the row itself, the permission to write depends (AUTH-5). They
 * must not change before the write. Read them before anything is judged.
 */
export async function judgingStamps(target: WriteTarget, operation: WriteAccess): Promise<readonly ExpectedStamp[]> {
  const names = [...judgingResources(target, operation)];
  if (names.length === 0) return [];
  const stamps = await target.system.rows.storedStamps(names);
  return names.map((name, index) => ({ resource: name, stamp: stamps[index] ?? 0 }));
}

/**
 * True if the verdict on a write depends on other rows of its resource, so that concurrent writes change each other's
 * verdict.
 */
export function isJudgedByOwnRows(target: WriteTarget): boolean {
  return judgingResources(target, ACCESS[target.terms.method] ?? 'update').has(target.systemResource.resource.name);
}

const ACCESS: Readonly<Partial<Record<Method, WriteAccess>>> = { POST: 'create', DELETE: 'delete' };

/** Collects the resources on whose rows, besides the row itself, the permission to write depends. */
function judgingResources(target: WriteTarget, operation: WriteAccess): ReadonlySet<string> {
  const {
    system: { rows },
    systemResource: { resource },
    within,
  } = target;
  const above = within.filter((each) => isRestricted(target, each.resource)).map((each) => each.resource);
  const names = new Set(above);
  const judging = [rows.visibility(resource.name), rows.visibility(resource.name, operation)];
  for (const visible of [...judging, ...above.map((name) => rows.visibility(name))]) {
    if (visible.kind === 'everything') continue;
    for (const name of relatedResources(visibleConditions(visible))) names.add(name);
  }
  for (const { reference } of resource.fields) {
    if (reference === null || names.has(reference.resource)) continue;
    if (rows.visibilityAnywhere(reference.resource).kind !== 'everything') names.add(reference.resource);
  }
  return names;
}

/** True if rows above may be hidden from the caller. */
export function mayHideAncestors(target: WriteTarget): boolean {
  return target.within.some((above) => isRestricted(target, above.resource));
}

/** Returns the owner values of a row that a caller creates (AUTH-9). */
export function ownerValues({ owner }: Resource, principal: Principal): FieldValues {
  return owner === null ? {} : { [owner]: principal.owner };
}

/** Returns all values of a row that come from the caller that creates it, for a row that no client has sent. */
export function callerValues(resource: Resource, principal: Principal): FieldValues {
  return { ...callerFills(resource, principal), ...ownerValues(resource, principal) };
}

function isRestricted({ system: { rows } }: WriteTarget, resource: string): boolean {
  return rows.visibility(resource).kind !== 'everything';
}
