import { linkField } from '../../conventions/links.ts';
import { preferenceApplied } from '../../conventions/prefer.ts';
import { assignedRevision } from '../../plan/pending-revisions.ts';
import type { Ancestor, Row } from '../../plan/plan.ts';
import { appliedPreferences, commonHeaders, type HeaderList, uncachedResponse } from '../represent/response.ts';
import type { CompiledResource } from '../contract.ts';
import { writeItem } from '../represent/encode.ts';
import type { ApiResponse } from '../exchange.ts';
import type { Negotiated } from '../negotiate.ts';
import { canonicalLink } from '../represent/conditional-response.ts';
import type { Surroundings } from '../surroundings.ts';
import { itemETag } from '../represent/etags.ts';

/** What a write did to the row that it was about, as data: what its answer is made of, now or when it is asked for again (MET-12). */
export interface WriteResult {
  readonly kind: 'created' | 'changed' | 'removed';
  /** Name of the resource. */
  readonly resource: string;
  readonly within: readonly Ancestor[];
  /** The row as the write leaves it, or as it was before its removal. Its revision may be pending. */
  readonly row: Row;
}

/** An effect once its unit is committed. @param revisions those that the plans of the unit drew, in order */
export function withRevisions(effect: WriteResult, revisions: readonly number[]): WriteResult {
  const { row } = effect;
  return { ...effect, row: { ...row, revision: assignedRevision(row.revision, revisions) } };
}

/** How an effect is told beside the request that it answers. */
export interface ResponseOptions {
  /** The answer is given again (MET-12). */
  readonly replayed: boolean;
  /** Nothing was kept (MET-14). */
  readonly dry: boolean;
}

/** The answer to a write (MET-1 to MET-4, MET-8, MET-14): what the caller may see of the row as the write leaves it. */
export function writeResponse(
  effect: WriteResult,
  request: Negotiated,
  telling: ResponseOptions,
  surroundings: Surroundings,
): ApiResponse {
  const compiled = surroundings.compiled.resources.get(effect.resource);
  if (compiled === undefined) throw new Error(`the model has no resource ${effect.resource}`);
  const common = [
    ...commonHeaders(request.exchange, surroundings.version),
    ...(telling.replayed ? ['Idempotent-Replayed', 'true'] : []),
  ];
  if (telling.dry) return dryRunResponse(effect, compiled, request, common);
  if (effect.kind === 'removed') return uncachedResponse(204, [...common, ...appliedPreferences(request)], null);
  const minimal = request.preferences.return === 'minimal';
  const status = effect.kind === 'created' ? 201 : minimal ? 204 : 200;
  const headers = [...common, ...placeHeaders(effect, compiled, request, minimal, surroundings)];
  return uncachedResponse(
    status,
    [...headers, ...(minimal ? appliedMinimal(request) : appliedPreferences(request))],
    minimal ? null : writeItem(request.offer.format, compiled, shown(effect, compiled, request)),
  );
}

/** Where the row is, and its tag. PUT has no tag: the server adds to what was sent (RFC 9110 9.3.4). */
function placeHeaders(
  { kind, row, within }: WriteResult,
  { resource }: CompiledResource,
  request: Negotiated,
  minimal: boolean,
  surroundings: Surroundings,
): HeaderList {
  const { addresses } = surroundings.compiled;
  const self = addresses.item(request.base, resource, within, row.id);
  const link = linkField(
    canonicalLink(request, surroundings, (base) => addresses.item(base, resource, within, row.id)),
  );
  return [
    ...(kind === 'created' ? ['Location', self] : []),
    ...(minimal ? [] : ['Content-Type', request.offer.contentType, 'Content-Location', self]),
    ...(request.method === 'PUT' ? [] : ['ETag', itemETag(request, row, surroundings)]),
    ...(link === '' ? [] : ['Link', link]),
  ];
}

function appliedMinimal({ preferences }: Negotiated): HeaderList {
  const lenient = preferences.handling === 'lenient' ? (['handling=lenient'] as const) : [];
  return ['Preference-Applied', preferenceApplied([...lenient, 'return=minimal']) ?? ''];
}

function dryRunResponse(
  effect: WriteResult,
  compiled: CompiledResource,
  request: Negotiated,
  common: HeaderList,
): ApiResponse {
  const { format, contentType } = request.offer;
  const headers = [...common, 'Dry-Run', 'true', 'Content-Type', contentType, ...appliedPreferences(request)];
  return uncachedResponse(200, headers, writeItem(format, compiled, shown(effect, compiled, request)));
}

function shown(
  { row, within }: WriteResult,
  { represent }: CompiledResource,
  { base }: Negotiated,
): ReturnType<typeof represent> {
  return represent(row, within, base);
}
