import { ApiError } from '../conventions/errors.ts';
import type { LinkValue } from '../conventions/url/links.ts';
import { preferenceApplied } from '../conventions/headers/prefer.ts';
import { JSON_OFFER } from '../conventions/media/response-format.ts';
import type { BufferedResponse } from '../exchange/handler.ts';
import type { Negotiated } from '../pipeline/negotiate.ts';
import type { Services } from '../pipeline/services.ts';
import type { Written } from '../operations/write/write-request.ts';
import type { WriteResult } from '../operations/write/write-result.ts';
import { canonicalLink } from './conditional-response.ts';
import { writeItem } from './encode.ts';
import { etagOf } from '../operations/etags.ts';
import { addLinks, appliedPreferences, commonHeaders, type HeaderList, uncachedResponse } from './response.ts';

type DoneWrite = Pick<Written, 'result' | 'replayed' | 'dry'>;

/** The response to a write (MET-1 to MET-4, MET-8, MET-14). What would be too large as text is JSON: the write is made, and no error may say otherwise. */
export function writeResponse(
  request: Negotiated,
  done: DoneWrite,
  services: Pick<Services, 'etags'>,
): BufferedResponse {
  try {
    return responseTo(request, done, services);
  } catch (error) {
    const isTooLarge = error instanceof ApiError && error.code === 'REQUEST_NOT_ACCEPTABLE';
    if (!isTooLarge) throw error;
    return responseTo({ ...request, offer: JSON_OFFER }, done, services);
  }
}

function responseTo(
  request: Negotiated,
  { result: stored, replayed, dry }: DoneWrite,
  services: Pick<Services, 'etags'>,
): BufferedResponse {
  const result = resultIn(request.contract, stored);
  const common = [
    ...commonHeaders(request.exchange, request.contract),
    ...(replayed ? ['Idempotent-Replayed', 'true'] : []),
  ];
  if (dry) return dryRunResponse(request, result, common);
  if (result.kind === 'removed') return uncachedResponse(204, [...common, ...appliedPreferences(request)], null);
  const isShown = showsSecrets(request, result);
  // A secret that no response showed would be lost.
  const minimal = request.preferences.return === 'minimal' && !isShown;
  const status = result.kind === 'created' ? 201 : minimal ? 204 : 200;
  const text =
    minimal && request.method === 'PUT' ? '' : isShown ? writtenOnce(request, result) : written(request, result);
  const etag = request.method === 'PUT' || isShown ? null : etagOf(services.etags.item(request, result.row), text);
  const headers = [...common, ...resourceHeaders(request, result, { minimal, etag })];
  addLinks(headers, canonicalLinks(request, result));
  return uncachedResponse(
    status,
    [...headers, ...(minimal ? appliedMinimal(request) : appliedPreferences(request))],
    minimal ? null : text,
  );
}

/** A result, which is in stored form, as a contract has it (VER-5). */
function resultIn({ mapping }: Negotiated['contract'], result: WriteResult): WriteResult {
  if (mapping === null) return result;
  const { resource, shown } = result;
  const row = mapping.reads.row(resource, result.row);
  if (shown === undefined) return { ...result, row };
  const { id, created_at, updated_at, revision } = row;
  return { ...result, row, shown: mapping.reads.row(resource, { ...shown, id, created_at, updated_at, revision }) };
}

function dryRunResponse(request: Negotiated, result: WriteResult, common: HeaderList): BufferedResponse {
  const { contentType } = request.offer;
  const headers = [...common, 'Dry-Run', 'true', 'Content-Type', contentType, ...appliedPreferences(request)];
  return uncachedResponse(200, headers, written(request, result));
}

/**
 * URL and ETag of the row. PUT has no ETag: the server adds to what was sent (RFC 9110 9.3.4). Neither has a response that shows a secret once, nor
 * its replay, which has other bytes.
 */
function resourceHeaders(
  request: Negotiated,
  { kind, resource: name, row, within }: WriteResult,
  { minimal, etag }: { readonly minimal: boolean; readonly etag: string | null },
): HeaderList {
  const { urls } = request.contract;
  const { resource } = request.contract.resourceOf(name);
  const self = urls.item(request.base, resource, within, row.id);
  return [
    ...(kind === 'created' ? ['Location', self] : []),
    ...(minimal ? [] : ['Content-Type', request.offer.contentType, 'Content-Location', self]),
    ...(etag === null ? [] : ['ETag', etag]),
  ];
}

function canonicalLinks(request: Negotiated, { resource: name, row, within }: WriteResult): readonly LinkValue[] {
  const { urls, resourceOf } = request.contract;
  const { resource } = resourceOf(name);
  return canonicalLink(request, (base) => urls.item(base, resource, within, row.id));
}

function appliedMinimal({ preferences }: Negotiated): HeaderList {
  const lenient = preferences.handling === 'lenient' ? (['handling=lenient'] as const) : [];
  return ['Preference-Applied', preferenceApplied([...lenient, 'return=minimal']) ?? ''];
}

function written({ contract, base, offer }: Negotiated, { resource, row, within }: WriteResult): string {
  const compiled = contract.resourceOf(resource);
  return writeItem(offer.format, compiled, compiled.represent(row, within, base));
}

/** Whether the response to a creation has members that no other response has (REP-11): a replay has null in their place. */
export function showsSecrets({ contract }: Pick<Negotiated, 'contract'>, { kind, resource }: WriteResult): boolean {
  return kind === 'created' && contract.resourceOf(resource).createdType !== null;
}

function writtenOnce({ contract, base, offer }: Negotiated, { resource, row, within, shown }: WriteResult): string {
  const compiled = contract.resourceOf(resource);
  const { createdType, represent, responseType } = compiled;
  const members = represent(row, within, base);
  const type = createdType ?? responseType;
  const document = type.members.map(({ name }) => [name, members[name] ?? shown?.[name] ?? null] as const);
  return writeItem(offer.format, { ...compiled, responseType: type }, Object.fromEntries(document));
}
