import type { Model, Resource } from '../../model/model.ts';
import type { Ancestor } from '../plan.ts';
import type { UrlBuilder } from './url-builder.ts';

/**
 * Says what is wrong with the URL that a new row would have: it is too long to be requested (URL-3). The ids above the
 * row count, and every byte that is percent-encoded counts three.
 *
 * @param within the rows above it, nearest first
 * @param id null where the server makes it
 * @returns a message without `id`; null for a URL that can be requested
 */
export type UrlCheck = (within: readonly Ancestor[], id: string | null) => string | null;

/** As long as every id that the server makes. */
const ANY_UUID = '00000000-0000-7000-8000-000000000000';

/**
 * Compiles the check of a resource, by the limit of the request target. The URL is the canonical one: its path names
 * the version.
 */
export function compileUrlCheck(
  { basePath, version, limits }: Model,
  resource: Resource,
  urls: Pick<UrlBuilder, 'item'>,
): UrlCheck {
  const base = { prefix: `${basePath}/v${version.major}`, parameters: [] };
  return (within, id) => {
    const { length } = urls.item(base, resource, within, id ?? ANY_UUID);
    if (length <= limits.target) return null;
    const fix = resource.id.kind === 'client' ? 'choose a shorter id' : 'create it below rows with shorter ids';
    return `would make a URL of ${length} bytes, and no more than ${limits.target} can be requested; ${fix}`;
  };
}
