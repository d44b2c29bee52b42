import { ApiError } from '../conventions/errors.ts';
import type { LinkValue } from '../conventions/url/links.ts';
import { preferenceApplied } from '../conventions/headers/prefer.ts';
import { JSON_OFFER } from '../conventions/media/response-format.ts';
import type { Contract } from '../contract/contract.ts';
import type { BufferedResponse, HeaderList } from '../exchange/handler.ts';
import { bodyETag, type ETags } from '../operations/etags.ts';
import type { Written } from '../operations/write/write-request.ts';
import type { WriteResult } from '../operations/write/write-result.ts';
import { canonicalLink } from './conditional-response.ts';
import { writeItem } from './encode.ts';
import { type Reply, replyAs } from './reply.ts';
import { addLinks, appliedPreferences, commonHeaders, uncachedResponse } from './response.ts';

type DoneWrite = Omit<Written, 'kind'>;

/**
 * Responds to a write (MET-1 to MET-4, MET-8, MET-14). The response is JSON if another format would be too large: the
 * write is done, and no error may deny it.
 */
export function writeResponse(reply: Reply, done: DoneWrite, services: { readonly etags: ETags }): BufferedResponse {
  try {
    return responseTo(reply, done, services);
  } catch (error) {
    const isTooLarge = error instanceof ApiError && error.code === 'REQUEST_NOT_ACCEPTABLE';
    if (!isTooLarge) throw error;
    return responseTo(replyAs(reply, JSON_OFFER), done, services);
  }
}

function responseTo(
  reply: Reply,
  { method, result: stored, replayed, dry }: DoneWrite,
  services: { readonly etags: ETags },
): BufferedResponse {
  const result = resultIn(reply.contract, stored);
  const common = [...commonHeaders(reply.exchange), ...(replayed ? ['Idempotent-Replayed', 'true'] : [])];
  if (dry) return dryRunResponse(reply, result, common);
  if (result.kind === 'removed') return uncachedResponse(204, [...common, ...appliedPreferences(reply)], null);
  const isShown = showsSecrets(reply, result);
  // A secret that is not shown in this response would be lost.
  const minimal = reply.preferences.return === 'minimal' && !isShown;
  const status = result.kind === 'created' ? 201 : minimal ? 204 : 200;
  const text = minimal && method === 'PUT' ? '' : isShown ? writeCreated(reply, result) : writeRow(reply, result);
  const isTagged = method !== 'PUT' && !isShown;
  const etag = isTagged ? bodyETag(services.etags.item(reply.variant, result.row), text) : null;
  const headers = [...common, ...resourceHeaders(reply, result, { minimal, etag })];
  addLinks(headers, canonicalLinks(reply, result));
  return uncachedResponse(
    status,
    [...headers, ...(minimal ? appliedMinimal(reply) : appliedPreferences(reply))],
    minimal ? null : text,
  );
}

/** Translates a result from its stored form to a contract (VER-5). */
function resultIn({ mapping }: Contract, result: WriteResult): WriteResult {
  if (mapping === null) return result;
  const { resource, shown } = result;
  const row = mapping.reads.row(resource, result.row);
  if (shown === undefined) return { ...result, row };
  const { id, created_at, updated_at, revision } = row;
  return { ...result, row, shown: mapping.reads.row(resource, { ...shown, id, created_at, updated_at, revision }) };
}

function dryRunResponse(reply: Reply, result: WriteResult, common: HeaderList): BufferedResponse {
  const { contentType } = reply.offer;
  const headers = [...common, 'Dry-Run', 'true', 'Content-Type', contentType, ...appliedPreferences(reply)];
  return uncachedResponse(200, headers, writeRow(reply, result));
}

/**
 * Writes URL and ETag of the row. PUT has no ETag: the server adds members to the sent ones (RFC 9110 9.3.4). Neither
 * has a response that shows a secret once, nor its replay, which has other bytes.
 */
function resourceHeaders(
  reply: Reply,
  { kind, resource: name, row, within }: WriteResult,
  { minimal, etag }: { readonly minimal: boolean; readonly etag: string | null },
): HeaderList {
  const { urls } = reply.contract;
  const { resource } = reply.contract.resourceOf(name);
  const self = urls.item(reply.base, resource, within, row.id);
  return [
    ...(kind === 'created' ? ['Location', self] : []),
    ...(minimal ? [] : ['Content-Type', reply.offer.contentType, 'Content-Location', self]),
    ...(etag === null ? [] : ['ETag', etag]),
  ];
}

function canonicalLinks(reply: Reply, { resource: name, row, within }: WriteResult): readonly LinkValue[] {
  const { urls, resourceOf } = reply.contract;
  const { resource } = resourceOf(name);
  return canonicalLink(reply, (base) => urls.item(base, resource, within, row.id));
}

function appliedMinimal({ preferences }: Reply): HeaderList {
  const lenient = preferences.handling === 'lenient' ? (['handling=lenient'] as const) : [];
  return ['Preference-Applied', preferenceApplied([...lenient, 'return=minimal']) ?? ''];
}

function writeRow({ contract, base, offer }: Reply, { resource, row, within }: WriteResult): string {
  const compiled = contract.resourceOf(resource);
  return writeItem(offer.format, compiled, compiled.represent(row, within, base));
}

/**
 * True if the response to a creation has members that no other response has (REP-11): a replay has null in their place.
 */
export function showsSecrets({ contract }: Reply, { kind, resource }: WriteResult): boolean {
  return kind === 'created' && contract.resourceOf(resource).createdType !== null;
}

function writeCreated({ contract, base, offer }: Reply, { resource, row, within, shown }: WriteResult): string {
  const compiled = contract.resourceOf(resource);
  const { createdType, represent, responseType } = compiled;
  const members = represent(row, within, base);
  const type = createdType ?? responseType;
  const document = type.members.map(({ name }) => [name, members[name] ?? shown?.[name] ?? null] as const);
  return writeItem(offer.format, { ...compiled, responseType: type }, Object.fromEntries(document));
}
