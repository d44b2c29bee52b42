import { type ApiError, type ErrorDetail, apiError } from './errors.ts';

/** A contract that is served: MAJOR.MINOR.PATCH. */
export interface ServedVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** A version as a caller asks for it: a null part is left open, and the latest that is served fills it (VER-2). */
export interface RequestedVersion {
  readonly major: number;
  readonly minor: number | null;
  readonly patch: number | null;
}

/** One alternative of `Accept`. A null version stands for the media types that name none. */
export interface AcceptedVersion {
  /** As sent, in lower case: `application/vnd.shop.v1+json`. */
  readonly text: string;
  readonly version: RequestedVersion | null;
}

/** Where a request can say which version it wants (VER-1); null or empty where it says nothing. */
export interface VersionCarriers {
  /** The path segment, `v1`; it is known to begin with `v`. */
  readonly path: string | null;
  /** Value of the parameter `api_version`. */
  readonly query: string | null;
  /** Value of the field `API-Version`. */
  readonly header: string | null;
  /** Alternatives in the caller's order of preference; empty where `Accept` names no version. */
  readonly accept: readonly AcceptedVersion[];
}

export type VersionCarrier = 'path' | 'query' | 'header' | 'accept' | 'none';

export interface ResolvedVersion<V extends ServedVersion> {
  readonly version: V;
  /** Where links stay (REP-9): of several carriers the first in the order path, query, header, accept. */
  readonly carrier: VersionCarrier;
  /** What that carrier held, as sent; null where there is none. */
  readonly text: string | null;
}

interface VersionRequest {
  readonly carrier: 'path' | 'query' | 'header';
  readonly text: string;
  readonly version: RequestedVersion;
}

const NUMBER = '(0|[1-9][0-9]{0,8})';
const VERSION = new RegExp(`^${NUMBER}(?:\\.${NUMBER}(?:\\.${NUMBER})?)?$`);

/** How a detail names each carrier. */
const FIELDS = { path: 'path', query: 'api_version', header: 'API-Version', accept: 'Accept' } as const;

/** Reads `1`, `1.2` or `1.2.3` (VER-2): no `v`, no leading zeros, at most nine digits a part; anything else is null. */
export function parseVersion(text: string): RequestedVersion | null {
  const match = VERSION.exec(text);
  if (match === null) return null;
  const [, major, minor, patch] = match;
  return { major: Number(major), minor: optionalNumber(minor), patch: optionalNumber(patch) };
}

/** A version as text, `1.4.2`, as far as its parts are set. */
export function versionText({ major, minor, patch }: RequestedVersion): string {
  return [major, minor, patch].filter((part) => part !== null).join('.');
}

/** Whether two versions differ in no part that both name (VER-1): `1` and `1.2` agree, `1.2` and `1.3` do not. */
export function versionsAgree(one: RequestedVersion, other: RequestedVersion): boolean {
  return (
    one.major === other.major &&
    (one.minor === null || other.minor === null || one.minor === other.minor) &&
    (one.patch === null || other.patch === null || one.patch === other.patch)
  );
}

/**
 * Which of the served contracts a request speaks (VER-1, VER-2). The most precise carrier decides once all agree, so
 * that a path gives the major and another carrier the minor. `Accept` is a list of alternatives: it agrees when one of
 * them does, and the first that agrees and is served counts.
 *
 * @param served every contract that is answered, in any order
 * @param defaultMajor the major of a request that names none; one of those served
 * @throws {ApiError} in this order: API_VERSION_INVALID, API_VERSION_CONFLICT, then for an unknown version
 *   API_VERSION_NOT_FOUND (path), API_VERSION_UNSUPPORTED (query, header), REQUEST_NOT_ACCEPTABLE (Accept) (VER-3)
 */
export function resolveVersion<V extends ServedVersion>(
  carriers: VersionCarriers,
  served: readonly V[],
  defaultMajor: number,
): ResolvedVersion<V> {
  const asked = readCarriers(carriers);
  const wanted = asked.map(({ version }) => version).reduce(morePrecise, null);
  refuseConflict(asked, wanted, carriers.accept);
  for (const one of asked) refuseUnknown(one, served);

  const accepted = choose(carriers.accept, wanted, served);
  const version = latest(served, morePrecise(wanted, accepted?.version ?? null) ?? majorOnly(defaultMajor));
  if (version === null) throw new Error(`Major version ${defaultMajor}, the default, is not served.`);

  const [first] = asked;
  if (first !== undefined) return { version, carrier: first.carrier, text: first.text };
  if (accepted !== null && accepted.version !== null) return { version, carrier: 'accept', text: accepted.text };
  return { version, carrier: 'none', text: null };
}

function readCarriers({ path, query, header }: VersionCarriers): readonly VersionRequest[] {
  const asked: VersionRequest[] = [];
  if (path !== null) asked.push(readCarrier('path', path, path.slice(1)));
  if (query !== null) asked.push(readCarrier('query', query, query));
  if (header !== null) asked.push(readCarrier('header', header, header));
  return asked;
}

function readCarrier(carrier: VersionRequest['carrier'], text: string, version: string): VersionRequest {
  const parsed = parseVersion(version);
  if (parsed !== null) return { carrier, text, version: parsed };
  const form = carrier === 'path' ? 'v and a major number, such as v1' : 'MAJOR, MAJOR.MINOR or MAJOR.MINOR.PATCH';
  throw apiError('API_VERSION_INVALID', `The version in ${FIELDS[carrier]} cannot be read: send ${form}.`, {
    details: [{ field: FIELDS[carrier], message: `must be ${form}, without leading zeros` }],
  });
}

/** Agreement with the most precise one is agreement of all: each names the same parts or fewer. */
function refuseConflict(
  asked: readonly VersionRequest[],
  wanted: RequestedVersion | null,
  accept: readonly AcceptedVersion[],
): void {
  if (wanted === null) return;
  const acceptAgrees = accept.length === 0 || accept.some((one) => agrees(one, wanted));
  if (acceptAgrees && asked.every(({ version }) => versionsAgree(version, wanted))) return;

  const details: ErrorDetail[] = asked.map(({ carrier, text }) => carrierDetail(carrier, text));
  for (const { version, text } of accept) if (version !== null) details.push(carrierDetail('accept', text));
  const message = 'The request asks for more than one version: send one version, in one place or the same in each.';
  throw apiError('API_VERSION_CONFLICT', message, { details });
}

function refuseUnknown({ carrier, text, version }: VersionRequest, served: readonly ServedVersion[]): void {
  const details = [carrierDetail(carrier, text)];
  if (carrier !== 'path') {
    if (latest(served, version) !== null) return;
    const message = `The version in ${FIELDS[carrier]} is not served; served: ${servedList(served)}.`;
    throw apiError('API_VERSION_UNSUPPORTED', message, { details });
  }
  // A path names a major alone: with a minor there would be two URLs for one resource (URL-1).
  if (version.minor === null && latest(served, version) !== null) return;
  const majors = [...new Set(served.map(({ major }) => `v${major}`))].join(', ');
  throw apiError('API_VERSION_NOT_FOUND', `The version in the path is not served; served in a path: ${majors}.`, {
    details,
  });
}

/** The alternative that counts; null where `Accept` names no version. */
function choose(
  accept: readonly AcceptedVersion[],
  wanted: RequestedVersion | null,
  served: readonly ServedVersion[],
): AcceptedVersion | null {
  if (accept.length === 0) return null;
  const chosen = accept.find((one) => agrees(one, wanted) && (one.version === null || latest(served, one.version)));
  if (chosen !== undefined) return chosen;
  throw notAcceptable(accept, served);
}

function notAcceptable(accept: readonly AcceptedVersion[], served: readonly ServedVersion[]): ApiError {
  const message = `No version that Accept asks for is served; served: ${servedList(served)}.`;
  return apiError('REQUEST_NOT_ACCEPTABLE', message, {
    details: accept.map(({ text }) => carrierDetail('accept', text)),
  });
}

function agrees(accepted: AcceptedVersion, wanted: RequestedVersion | null): boolean {
  return accepted.version === null || wanted === null || versionsAgree(accepted.version, wanted);
}

/** The latest contract among those that the version leaves open. */
function latest<V extends ServedVersion>(served: readonly V[], asked: RequestedVersion): V | null {
  const open = served.filter((one) => versionsAgree(one, asked));
  return open.reduce<V | null>((best, one) => (best === null || compare(one, best) > 0 ? one : best), null);
}

function compare(one: ServedVersion, other: ServedVersion): number {
  return one.major - other.major || one.minor - other.minor || one.patch - other.patch;
}

function morePrecise(one: RequestedVersion | null, other: RequestedVersion | null): RequestedVersion | null {
  return precision(other) > precision(one) ? other : one;
}

function precision(version: RequestedVersion | null): number {
  if (version === null) return 0;
  if (version.minor === null) return 1;
  return version.patch === null ? 2 : 3;
}

function majorOnly(major: number): RequestedVersion {
  return { major, minor: null, patch: null };
}

function optionalNumber(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

function servedList(served: readonly ServedVersion[]): string {
  return served.map(versionText).join(', ');
}

function carrierDetail(carrier: keyof typeof FIELDS, text: string): ErrorDetail {
  return { field: FIELDS[carrier], message: `asks for ${text}` };
}
