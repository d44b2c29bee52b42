import { apiError } from '../conventions/errors.ts';
import { closestMatch } from '../conventions/text/closest-match.ts';
import { percentDecode } from '../conventions/url/percent-encoding.ts';
import { quoted } from '../conventions/text/quoted.ts';
import { encodeSegment } from '../conventions/url/url.ts';
import { writeCollectionPath } from '../describe/agents/list-collections.ts';
import { listAncestors } from '../describe/surface/placed-resource.ts';
import type { Model, Resource } from '../model/model.ts';

/** A collection that an argument names. */
export interface NamedCollection {
  readonly resource: Resource;
  /** Below the base path and the version: `/products/1/reviews`. */
  readonly path: string;
}

/**
 * Finds the collection of a path such as `products/1/reviews`, whose ids are percent-encoded. A name in snake_case
 * means the collection, too.
 *
 * @throws {ApiError} REQUEST_PARAMETER_INVALID
 */
export function findCollection(model: Model, text: string): NamedCollection {
  const segments = text.replace(/^\//, '').split('/');
  let path = '';
  let parent: string | null = null;
  let found: Resource | null = null;
  for (let at = 0; at < segments.length; at += 2) {
    const name = segments[at]?.replaceAll('_', '-') ?? '';
    found = model.collections.get(name) ?? null;
    if (found === null) throw unknownCollection(model, segments[at] ?? '');
    if ((found.parent?.resource ?? null) !== parent) throw misplaced(model, found);
    const id = segments[at + 1];
    if (id === '') throw invalidCollection(`${quoted(text)} has an empty id.`);
    path += `/${found.collection}${id === undefined ? '' : `/${encodeSegment(percentDecode(id))}`}`;
    parent = found.name;
  }
  if (found === null || segments.length % 2 === 0)
    throw invalidCollection(`${quoted(text)} names a row; pass its collection, and the id as id.`);
  return { resource: found, path };
}

/** Writes the path of a row. */
export function writeItemPath({ path }: NamedCollection, id: string): string {
  return `${path}/${encodeSegment(id)}`;
}

function unknownCollection({ collections }: Model, name: string): Error {
  const near = closestMatch(name, collections.keys());
  const hint = near === null ? 'list_collections lists them.' : `Did you mean ${near}?`;
  return invalidCollection(`There is no collection ${quoted(name)}. ${hint}`);
}

function misplaced(model: Model, resource: Resource): Error {
  const path = writeCollectionPath(resource, listAncestors(resource, model));
  return invalidCollection(`The path of ${resource.collection} is ${path}, with ids in place of the names.`);
}

function invalidCollection(message: string): Error {
  return apiError('REQUEST_PARAMETER_INVALID', message, { details: [{ field: 'collection', message }] });
}
