import type { Resource } from './model.ts';

/**
 * The name of a hidden member of a row: the id of the row that is some levels above its parent. Hidden members have a
 * space in their names, which no field has, and are in no representation.
 */
function aboveParent(levels: number): string {
  return `above ${levels}`;
}

/**
 * The name of a hidden member of a row. It has the id at a level above the row that a field refers to; level 0 is its
 * parent.
 */
export function aboveReference(field: string, level: number): string {
  return `${field} above ${level}`;
}

/**
 * The name of a hidden member of a row of a table that exists. It has the stored value of a column whose value in the
 * row is another one, so that a page continues at the stored value.
 */
export function storedMember(column: string): string {
  return `${column} stored`;
}

/** True if a member of a row is hidden. */
export function isHidden(member: string): boolean {
  return member.includes(' ');
}

/** {@link Resource.parentKey}. @param scope of the parent */
export function parentKey(field: string, scope: number): readonly string[] {
  return [field, ...Array.from({ length: scope }, (_, index) => aboveParent(index + 1))];
}

/**
 * Counts the ids above a row that its own id needs to identify it.
 * Ids that clients choose are unique below their parent (URL-7); ids that the server assigns are unique everywhere.
 */
export function countScopeIds({ id, parentKey: above }: Pick<Resource, 'id' | 'parentKey'>): number {
  return id.kind === 'client' ? above.length : 0;
}

/**
 * The members of a row that identify it among all rows of its resource, its own id first, then those above it that it
 * needs.
 */
export function keyMembers(resource: Pick<Resource, 'id' | 'parentKey'>): readonly string[] {
  return ['id', ...resource.parentKey.slice(0, countScopeIds(resource))];
}

/**
 * The members of a row that hold the key of a row that a field refers to, in the order of the key. A row below the same
 * parent shares its parent.
 */
export function referringMembers(
  { parent, parentKey: above, field: fields }: Resource,
  field: string,
): readonly string[] {
  if (field === parent?.field) return above;
  return fields.get(field)?.reference?.siblings === true ? [field, ...above] : [field];
}
