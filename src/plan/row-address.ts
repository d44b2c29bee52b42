import type { Model, Resource } from '../model/model.ts';
import { aboveReference, countScopeIds } from '../model/row-key.ts';
import type { Ancestor, FieldValues, RowAddress } from './plan.ts';

/**
 * The ids that identify a row of a resource: its own, then those above it that it needs, nearest first.
 *
 * @throws {Error} where the address does not name the ancestors that the key needs
 */
export function keyIds(resource: Resource, { id, within }: RowAddress): readonly string[] {
  const scope = countScopeIds(resource);
  if (scope === 0) return [id];
  if (within.length < scope)
    throw new Error(`${resource.name} ${id} is read without the rows above it, which its key needs`);
  return [id, ...within.slice(0, scope).map((ancestor) => ancestor.id)];
}

/** Identifies a row among the rows of all resources, as one string. @throws {Error} as {@link keyIds} does */
export function rowKey(resource: Resource, address: RowAddress): string {
  const ids = keyIds(resource, address);
  // The name of a resource has neither a slash nor a bracket.
  return ids.length === 1 ? `${resource.name}/${address.id}` : JSON.stringify([resource.name, ...ids]);
}

/** A hidden member of a row, and the resource whose id it holds. */
interface AncestorMember {
  readonly resource: string;
  readonly member: string;
}

/**
 * The hidden members of a row that hold the ids above the row that a field refers to, nearest first.
 *
 * @param target its resource
 */
export function ancestorMembers(
  field: string,
  target: Resource,
  resources: Model['resources'],
): readonly AncestorMember[] {
  const chain: AncestorMember[] = [];
  for (let { parent } = target; parent !== null; parent = resources.get(parent.resource)?.parent ?? null) {
    chain.push({ resource: parent.resource, member: aboveReference(field, chain.length) });
  }
  return chain;
}

/** The ancestors of a row that the row itself names: those that identify its parent, nearest first. */
export function heldAncestors(
  { parent, parentKey }: Resource,
  row: FieldValues,
  resources: Model['resources'],
): readonly Ancestor[] {
  const chain: Ancestor[] = [];
  let above = parent;
  for (const member of parentKey) {
    const id = row[member];
    if (above === null || typeof id !== 'string') break;
    chain.push({ resource: above.resource, id });
    above = resources.get(above.resource)?.parent ?? null;
  }
  return chain;
}
