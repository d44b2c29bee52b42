import { combineDirectives, type CacheDirectives } from '../conventions/headers/cache-control.ts';
import type { ETagsByLength } from '../conventions/headers/etag.ts';
import { evaluateRead, listedETag, type Preconditions } from '../conventions/headers/preconditions.ts';
import type { Resource } from '../model/model.ts';
import type { Modified } from './etags.ts';
import { preconditionFailed } from './failures.ts';

/** The selected representation of a read (RFC 9110 3.2): its validators, and the rules for caches. */
export interface SelectedRepresentation {
  /** null for a document without rows, such as the root. */
  readonly resource: Resource | null;
  /** The directives that the model declares for all resources in it; null if it declares none. */
  readonly cache: CacheDirectives | null;
  /** True if callers see different parts of other resources in it (NEG-3). */
  readonly variesByCaller: boolean;
  readonly etags: ETagsByLength;
  /** null if no `Last-Modified` is sent. */
  readonly lastModified: () => Modified | null;
}

const undated = (): null => null;

/** Selects the representation of a resource. @param others the resources that it shows or depends on besides */
export function selectResource(
  resource: Resource,
  others: readonly Resource[],
  etags: ETagsByLength,
  lastModified: SelectedRepresentation['lastModified'] = undated,
): SelectedRepresentation {
  const cache = others.map((each) => each.cache).reduce(combineDirectives, resource.cache);
  const variesByCaller = others.some((each) => !each.sameForEveryCaller);
  return { resource, cache, variesByCaller, etags, lastModified };
}

/** Selects the representation of a document that is no resource of the model. */
export function selectDocument(etag: string): SelectedRepresentation {
  const etags = { short: etag, long: etag };
  return { resource: null, cache: null, variesByCaller: false, etags, lastModified: undated };
}

/** True if the client's copy is current. @throws {ApiError} 412 */
export function isNotModified(preconditions: Preconditions, selected: SelectedRepresentation): boolean {
  const { etags, lastModified } = selected;
  const etag = listedETag(preconditions, etags) ?? etags.short;
  const verdict = evaluateRead(preconditions, { etag, lastModified });
  // The root has no state that a condition could guard, and so no error code for a failed one: it is sent all the same.
  if (verdict === 'failed' && selected.resource !== null) throw preconditionFailed(selected.resource);
  return verdict === 'not-modified';
}
