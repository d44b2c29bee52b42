import { memoize } from '../../../cache/memoize.ts';
import { encodeSegment } from '../../../conventions/url/url.ts';

/**
 * The segments of a URL. A number stands for an id: 0 for that of the resource, 1 for that of its parent, and so on.
 */
export type UrlTemplate = readonly (string | number)[];

/** There are few collections without parents. */
const templateBelow = memoize((collection: string): UrlTemplate => [...collection.split('/'), 0]);

/**
 * The template of the URL of a resource; null where no template produces it.
 *
 * @param ids of the resource and its parents, nearest first
 */
export function urlTemplate(url: string, ids: readonly string[]): UrlTemplate | null {
  const [only = ''] = ids;
  const end = url.lastIndexOf('/');
  if (ids.length === 1 && end !== -1) {
    return url.slice(end + 1) === encodeSegment(only) ? templateBelow(url.slice(0, end)) : null;
  }
  const segments: (string | number)[] = url.split('/');
  for (const [index, id] of ids.entries()) {
    // Each id follows the name of its collection.
    const at = segments.length - 1 - 2 * index;
    if (segments[at] === encodeSegment(id)) segments[at] = index;
  }
  return segments.includes(0) ? segments : null;
}

/** Writes the URL of a template. @param ids as of {@link urlTemplate} */
export function fillTemplate(template: UrlTemplate, ids: readonly string[]): string {
  return template
    .map((segment) => (typeof segment === 'number' ? encodeSegment(ids[segment] ?? '') : segment))
    .join('/');
}
