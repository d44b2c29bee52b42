import type { Resource } from './model.ts';

/**
 * The name of the link to a collection: the collection in snake_case (REP-9, REP-10). In an older version it may not be
 * the name of the resource.
 */
export function linkName({ collection }: Pick<Resource, 'collection'>): string {
  return collection.replaceAll('-', '_');
}
