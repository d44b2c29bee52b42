import type { Resource } from '../../model/model.ts';
import type { Ancestor } from '../../plan/plan.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * The rows above one that no path has named, nearest first.
 *
 * @param resource of the row
 * @param parent the id that the row holds in the field of its parent
 */
export async function ancestorsOf(
  resource: Resource,
  parent: string,
  surroundings: Surroundings,
): Promise<readonly Ancestor[]> {
  if (resource.parent === null) return [];
  const above = surroundings.compiled.model.resources.get(resource.parent.resource);
  if (above === undefined) throw new Error(`the model has no resource ${resource.parent.resource}`);
  const nearest = { resource: above.name, id: parent };
  if (above.parent === null) return [nearest];
  const row = await surroundings.rows.item({ kind: 'item', resource: above.name, id: parent, within: [] });
  const next = row?.[above.parent.field];
  return typeof next === 'string' ? [nearest, ...(await ancestorsOf(above, next, surroundings))] : [nearest];
}
