import type { Resource } from '../../model/model.ts';
import type { Ancestor, FieldValues } from '../../plan/plan.ts';
import { heldAncestors } from '../../plan/row-address.ts';
import type { Contract } from '../../contract/contract.ts';
import type { VisibleRows } from '../visible-rows.ts';

/** Where ancestors are looked up: for the system, so that a cascade finds all its rows. */
export interface AncestorSource {
  readonly contract: Contract;
  readonly rows: VisibleRows;
}

/** The ancestors of a row that no path has named, nearest first: those that the row names, and those that the rows above it name. */
export async function ancestorsOf(
  resource: Resource,
  row: FieldValues,
  { contract, rows }: AncestorSource,
): Promise<readonly Ancestor[]> {
  const held = heldAncestors(resource, row, contract.model.resources);
  const last = held.at(-1);
  if (last === undefined) return held;
  const above = contract.resourceOf(last.resource).resource;
  if (above.parent === null) return held;
  const next = await rows.item({ resource: above.name, id: last.id, within: [] });
  return next === null ? held : [...held, ...(await ancestorsOf(above, next, { contract, rows }))];
}
