import type { ErrorDetail } from '../../../conventions/errors.ts';
import type { Json } from '../../../conventions/json/json.ts';
import type { Resource } from '../../../model/model.ts';
import { type BodyReference, referencesIn } from '../../../plan/write/body-references.ts';
import type { Ancestor, FieldValues, ReferencedRow } from '../../../plan/plan.ts';
import type { Caller } from '../../caller.ts';
import { DANGLING } from '../../failures.ts';

/** A row that a caller writes, with its references. */
interface ReferringRow {
  /** The resource in whose terms the values are. */
  readonly resource: Resource;
  readonly values: FieldValues;
  /** The rows above, nearest first. */
  readonly within: readonly Ancestor[];
  /** The id of the row, if it is known: a row may refer to itself. */
  readonly ownId: Json;
  /** The row before the write, in the same terms; null for a new one. */
  readonly current: FieldValues | null;
}

/**
 * Finds the references that lead to no row that the caller sees, unless the row has them already (MET-10). The time
 * that this takes grows with the number of references, and no faster.
 *
 * @param system the caller in the newest contract
 * @param judges true for references to check
 * @returns an error for each of them
 */
export async function danglingReferences(
  system: Caller,
  row: ReferringRow,
  judges: (reference: BodyReference) => boolean,
): Promise<readonly ErrorDetail[]> {
  const { resource, values, within, ownId, current } = row;
  const kept = keptIds(current);
  const references = referencesIn(resource, values, within).filter(
    (each) => judges(each) && !(each.resource === resource.name && each.id === ownId) && !kept(each),
  );
  if (references.length === 0) return [];
  const isUnread = unreadReferences(system);
  const unread = references.filter(isUnread);
  const missing = await system.rows.missingReferences(references.filter((each) => !isUnread(each)));
  const keys = new Set(missing.map(targetKey));
  for (const reference of unread) keys.add(targetKey(reference));
  const dangling = references.filter((each) => keys.has(targetKey(each)));
  return dangling.map(({ field }) => ({ field, message: DANGLING }));
}

/**
 * Returns a test of references to rows of collections that the caller may not read. Those rows are as hidden as others
 * that it does not see, unless the field allows them (`unread: allow`).
 */
export function unreadReferences({ contract, accessError }: Caller): (reference: BodyReference) => boolean {
  const unread = new Map<string, boolean>();
  return ({ resource, unread: rule }) => {
    if (rule === 'allow') return false;
    const known = unread.get(resource);
    if (known !== undefined) return known;
    const read = contract.model.resources.get(resource)?.access.read ?? null;
    const isUnread = read !== null && read.kind !== 'public' && accessError([read]) !== null;
    unread.set(resource, isUnread);
    return isUnread;
  };
}

/** The field of a reference, which may be an item of a list: `related_ids[2]`. */
export function referenceField(reference: string): string {
  return reference.replace(/\[\d+\]$/, '');
}

/** Returns a test of references that a row has already, at any place of a list. @param current null for a new row */
function keptIds(current: FieldValues | null): (reference: BodyReference) => boolean {
  if (current === null) return () => false;
  const held = new Map<string, ReadonlySet<Json>>();
  return ({ field: path, id }) => {
    const field = referenceField(path);
    let ids = held.get(field);
    if (ids === undefined) {
      const value = current[field] ?? null;
      ids = new Set(Array.isArray(value) ? value : [value]);
      held.set(field, ids);
    }
    return ids.has(id);
  };
}

/** The row that a reference leads to, among those that references with the same ancestors lead to. */
function targetKey({ resource, id }: ReferencedRow): string {
  return `${resource} ${id}`;
}
