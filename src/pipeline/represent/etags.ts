import { strongETag } from '../../conventions/etag.ts';
import { writeQuery } from '../../conventions/query.ts';
import { expandedResources } from '../../plan/expansion.ts';
import type { ListQuery } from '../../plan/list-query.ts';
import type { Row } from '../../plan/plan.ts';
import { ByParts } from '../../cache/by-parts.ts';
import type { Negotiated } from '../negotiate.ts';
import { selfQuery } from './page-metadata.ts';
import type { Surroundings } from '../surroundings.ts';

/** Digits of the digest that tells views of one row apart. */
const VIEW_DIGITS = 12;

/**
 * The tag of a row as this caller sees it: its revision, and everything else that the bytes depend on (CACHE-1).
 *
 * @param view what tells it from other views of the row
 */
export function itemETag(
  request: Negotiated,
  { revision }: Pick<Row, 'revision'>,
  surroundings: Surroundings,
  view = '',
): string {
  const own = variant(request, surroundings);
  // Callers choose views: what is worked out of them is not remembered.
  return strongETag(revision, view === '' ? own : surroundings.digest(`${own} ${view}`).slice(0, VIEW_DIGITS));
}

/** The tag of what is told by its bytes. */
export function contentETag(request: Negotiated, text: string, surroundings: Surroundings): string {
  return strongETag(surroundings.digest(text), variant(request, surroundings));
}

/**
 * The tag of a page by what it is made of, without reading a row (CACHE-2): what was asked for, and the last changes of all resources that
 * any part of the page is taken from.
 *
 * @param changes of {@link resourcesOf}
 */
export function collectionETag(
  request: Negotiated,
  query: ListQuery,
  changes: readonly number[],
  surroundings: Surroundings,
): string {
  const { plan } = query;
  const asked = [plan.resource, plan.within, selfQuery(query), changes];
  return strongETag(surroundings.digest(JSON.stringify(asked)), variant(request, surroundings));
}

/** The resources whose rows a page shows or hangs on: its own, those above it, and all that are told within it. */
export function resourcesOf({ plan, view }: ListQuery): readonly string[] {
  const above = plan.within.map(({ resource }) => resource);
  const expanded = expandedResources(view.expansions).map(({ name }) => name);
  return [...new Set([plan.resource, ...above, ...expanded])];
}

/** Tags of more forms than these are worked out anew. */
const MOST_VARIANTS = 4_096;

/** Names for what a representation depends on beside its row. @param digest of 22 characters */
export function createVariants(digest: (text: string) => string): ByParts<string> {
  return new ByParts(MOST_VARIANTS, (parts) => digest(parts.join('\n')).slice(0, 8));
}

/** A short name for all that an answer's text depends on beside what it tells of: type, carrier, edition and the caller's scope. */
export function variantKey({ offer, base, principal }: Negotiated, { edition, variants }: Surroundings): string {
  const { prefix, parameters } = base;
  const carried = writeQuery(parameters);
  return variants.of([offer.contentType, prefix, carried, edition.id, principal.scope]);
}

function variant(request: Negotiated, surroundings: Surroundings): string {
  const { coding } = request.exchange;
  const form = variantKey(request, surroundings);
  return coding === 'identity' ? form : surroundings.variants.of([form, coding]);
}
