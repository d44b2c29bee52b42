import type { Json } from '../../conventions/json/json.ts';
import type { Model, Resource } from '../../model/model.ts';
import type { Ancestor, FieldValues, LocatedRow, LookupPlan } from '../../plan/plan.ts';
import { ancestorMembers } from '../../plan/row-address.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';

/** Looks up the rows that a row refers to. */
export interface ReferenceSource {
  readonly resources: Model['resources'];
  lookup(read: Omit<LookupPlan, 'visible'>): MaybePromise<readonly LocatedRow[]>;
}

/** A row before it is written. */
interface UnwrittenRow {
  readonly values: FieldValues;
  readonly within: readonly Ancestor[];
}

/**
 * Finds the hidden members that a store returns with a written row: ids above the row, and above the rows that it
 * refers to (REP-9).
 */
export async function hiddenMembers(
  resource: Resource,
  { values, within }: UnwrittenRow,
  source: ReferenceSource,
): Promise<Readonly<Record<string, Json>>> {
  const members: Record<string, Json> = {};
  for (const [level, name] of resource.parentKey.entries()) if (level > 0) members[name] = within[level]?.id ?? null;
  for (const { name, reference } of resource.fields) {
    const target = source.resources.get(reference?.resource ?? '');
    const isById = name !== resource.parent?.field && reference?.siblings !== true;
    if (!isById || target === undefined || target.parent === null || !(name in values)) continue;
    const id = values[name] ?? null;
    if (Array.isArray(id)) continue;
    const rows = typeof id === 'string' ? [{ id, within: [] }] : [];
    const found = rows.length === 0 ? [] : await source.lookup({ resource: target.name, rows, effort: 'light' });
    for (const [level, { member }] of ancestorMembers(name, target, source.resources).entries()) {
      members[member] = found[0]?.within[level]?.id ?? null;
    }
  }
  return members;
}
