import type { Resource } from '../../model/model.ts';
import type { Ancestor } from '../../plan/plan.ts';
import type { Contract } from '../contract.ts';
import type { VisibleRows } from './visible-rows.ts';

/** Where ancestors are looked up: for the system, so that a cascade finds all its rows. */
export interface AncestorSource {
  readonly contract: Contract;
  readonly rows: VisibleRows;
}

/**
 * The ancestors of a row that no path has named, nearest first.
 *
 * @param resource of the row
 * @param parent the id that the row holds in the field of its parent
 */
export async function ancestorsOf(
  resource: Resource,
  parent: string,
  source: AncestorSource,
): Promise<readonly Ancestor[]> {
  if (resource.parent === null) return [];
  const above = source.contract.resourceOf(resource.parent.resource).resource;
  const nearest = { resource: above.name, id: parent };
  if (above.parent === null) return [nearest];
  const row = await source.rows.item({ resource: above.name, id: parent, within: [] });
  const next = row?.[above.parent.field];
  return typeof next === 'string' ? [nearest, ...(await ancestorsOf(above, next, source))] : [nearest];
}
