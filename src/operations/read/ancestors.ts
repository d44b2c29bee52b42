import type { Resource } from '../../model/model.ts';
import type { Ancestor, FieldValues } from '../../plan/plan.ts';
import { heldAncestors } from '../../plan/row-address.ts';
import type { Reader } from '../caller.ts';

/**
 * Finds the ancestors of a row that no path has named, nearest first: those that the row names, and those that the rows above it name.
 *
 * @param source of all rows, so that a cascade finds them
 */
export async function findAncestors(
  resource: Resource,
  row: FieldValues,
  { contract, rows }: Reader,
): Promise<readonly Ancestor[]> {
  const held = heldAncestors(resource, row, contract.model.resources);
  const last = held.at(-1);
  if (last === undefined) return held;
  const above = contract.resourceOf(last.resource).resource;
  if (above.parent === null) return held;
  const next = await rows.item({ resource: above.name, id: last.id, within: [] });
  return next === null ? held : [...held, ...(await findAncestors(above, next, { contract, rows }))];
}
