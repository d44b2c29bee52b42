import { cut } from './text/quoted.ts';
import { type ApiError, type ErrorDetail, apiError } from './errors.ts';

/** A supported version of the API: MAJOR.MINOR.PATCH. */
export interface SupportedVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** Known, but no longer served (VER-3). Messages do not offer it. */
  readonly retired?: boolean;
}

/** A version as requested: a null part means the latest supported one (VER-2). */
export interface RequestedVersion {
  readonly major: number;
  readonly minor: number | null;
  readonly patch: number | null;
}

/** One alternative of `Accept`. The version is null for media types without one. */
export interface AcceptedVersion {
  /** As sent, in lower case: `application/vnd.shop.v1+json`. */
  readonly text: string;
  readonly version: RequestedVersion | null;
}

/** The places where a request can name a version (VER-1); null or empty if it names none. */
export interface VersionCarriers {
  /** The path segment, `v1`, which always begins with `v`. */
  readonly path: string | null;
  /** Value of the parameter `api_version`. */
  readonly query: string | null;
  /** Value of the field `API-Version`. */
  readonly header: string | null;
  /** Alternatives by descending preference; empty if `Accept` names no version. */
  readonly accept: readonly AcceptedVersion[];
}

type VersionCarrier = 'path' | 'query' | 'header' | 'accept' | 'none';

export interface ResolvedVersion<V extends SupportedVersion> {
  readonly version: V;
  /** The carrier that links use (REP-9): the first in the order path, query, header, accept. */
  readonly carrier: VersionCarrier;
  /** The value of that carrier, as sent; null if there is none. */
  readonly text: string | null;
}

interface VersionRequest {
  readonly carrier: 'path' | 'query' | 'header';
  readonly text: string;
  readonly version: RequestedVersion;
}

const NUMBER = '(0|[1-9][0-9]{0,8})';
const VERSION = new RegExp(`^${NUMBER}(?:\\.${NUMBER}(?:\\.${NUMBER})?)?$`);

/** The `field` of error details for each carrier. */
const FIELDS = { path: 'path', query: 'api_version', header: 'API-Version', accept: 'Accept' } as const;

/**
 * Parses `1`, `1.2` or `1.2.3` (VER-2): no `v`, no leading zeros, at most nine digits per part; null for anything else.
 */
export function parseVersion(text: string): RequestedVersion | null {
  const match = VERSION.exec(text);
  if (match === null) return null;
  const [, major, minor, patch] = match;
  return { major: Number(major), minor: optionalNumber(minor), patch: optionalNumber(patch) };
}

/** A version as text, `1.4.2`; null parts are omitted. */
export function versionText({ major, minor, patch }: RequestedVersion): string {
  return [major, minor, patch].filter((part) => part !== null).join('.');
}

/** True if two versions are equal in all parts that both have (VER-1): `1` and `1.2` agree, `1.2` and `1.3` do not. */
export function versionsAgree(one: RequestedVersion, other: RequestedVersion): boolean {
  return (
    one.major === other.major &&
    (one.minor === null || other.minor === null || one.minor === other.minor) &&
    (one.patch === null || other.patch === null || one.patch === other.patch)
  );
}

/**
 * Resolves the version of a request (VER-1, VER-2). If all carriers agree, the most precise one decides, so that a path
 * can give the major and another carrier the minor. `Accept` is a list of alternatives: it agrees if one of them does,
 * and the first one that agrees and is supported is used.
 *
 * @param supported all supported versions, in any order
 * @param defaultMajor the major version of a request that names none
 * @throws {ApiError} in this order: API_VERSION_INVALID, API_VERSION_CONFLICT, then for an unknown version
 *   API_VERSION_NOT_FOUND (path), API_VERSION_UNSUPPORTED (query, header), REQUEST_NOT_ACCEPTABLE (Accept) (VER-3)
 */
export function resolveVersion<V extends SupportedVersion>(
  carriers: VersionCarriers,
  supported: readonly V[],
  defaultMajor: number,
): ResolvedVersion<V> {
  const requests = readCarriers(carriers);
  const mostPrecise = requests.map(({ version }) => version).reduce(morePrecise, null);
  checkConflict(requests, mostPrecise, carriers.accept);
  for (const one of requests) checkSupported(one, supported);

  const accepted = chooseAccepted(carriers.accept, mostPrecise, supported);
  const version = latest(supported, morePrecise(mostPrecise, accepted?.version ?? null) ?? majorOnly(defaultMajor));
  if (version === null) throw new Error(`Major version ${defaultMajor}, the default, is not supported.`);

  const [first] = requests;
  if (first !== undefined) return { version, carrier: first.carrier, text: first.text };
  if (accepted !== null && accepted.version !== null) return { version, carrier: 'accept', text: accepted.text };
  return { version, carrier: 'none', text: null };
}

function readCarriers({ path, query, header }: VersionCarriers): readonly VersionRequest[] {
  const requests: VersionRequest[] = [];
  if (path !== null) requests.push(readCarrier('path', path, path.slice(1)));
  if (query !== null) requests.push(readCarrier('query', query, query));
  if (header !== null) requests.push(readCarrier('header', header, header));
  return requests;
}

function readCarrier(carrier: VersionRequest['carrier'], text: string, version: string): VersionRequest {
  const parsed = parseVersion(version);
  if (parsed !== null) return { carrier, text, version: parsed };
  const form = carrier === 'path' ? 'v and a major number, such as v1' : 'MAJOR, MAJOR.MINOR or MAJOR.MINOR.PATCH';
  throw apiError('API_VERSION_INVALID', `The version in ${FIELDS[carrier]} is not valid: send ${form}.`, {
    details: [{ field: FIELDS[carrier], message: `must be ${form}, without leading zeros` }],
  });
}

/** If all versions agree with the most precise one, they agree with each other: none has a part that it lacks. */
function checkConflict(
  requests: readonly VersionRequest[],
  mostPrecise: RequestedVersion | null,
  accept: readonly AcceptedVersion[],
): void {
  if (mostPrecise === null) return;
  const acceptAgrees = accept.length === 0 || accept.some((one) => agrees(one, mostPrecise));
  if (acceptAgrees && requests.every(({ version }) => versionsAgree(version, mostPrecise))) return;

  const details: ErrorDetail[] = requests.map(({ carrier, text }) => carrierDetail(carrier, text));
  for (const { version, text } of accept) if (version !== null) details.push(carrierDetail('accept', text));
  const message = 'The request names different versions: send one version, or the same one in every place.';
  throw apiError('API_VERSION_CONFLICT', message, { details });
}

function checkSupported({ carrier, text, version }: VersionRequest, supported: readonly SupportedVersion[]): void {
  const details = [carrierDetail(carrier, text)];
  if (carrier !== 'path') {
    if (latest(supported, version) !== null) return;
    const message = `The version in ${FIELDS[carrier]} is not supported; supported versions: ${supportedList(supported)}.`;
    throw apiError('API_VERSION_UNSUPPORTED', message, { details });
  }
  // A path has only a major version: with a minor there would be two URLs for one resource (URL-1).
  if (version.minor === null && latest(supported, version) !== null) return;
  const majors = [...new Set(served(supported).map(({ major }) => `v${major}`))].join(', ');
  throw apiError('API_VERSION_NOT_FOUND', `The version in the path is not supported; supported versions: ${majors}.`, {
    details,
  });
}

/** The alternative of `Accept` that is used; null if it names no version. */
function chooseAccepted(
  accept: readonly AcceptedVersion[],
  mostPrecise: RequestedVersion | null,
  supported: readonly SupportedVersion[],
): AcceptedVersion | null {
  if (accept.length === 0) return null;
  const chosen = accept.find(
    (one) => agrees(one, mostPrecise) && (one.version === null || latest(supported, one.version)),
  );
  if (chosen !== undefined) return chosen;
  throw notAcceptable(accept, supported);
}

function notAcceptable(accept: readonly AcceptedVersion[], supported: readonly SupportedVersion[]): ApiError {
  const message = `None of the versions in Accept is supported; supported versions: ${supportedList(supported)}.`;
  return apiError('REQUEST_NOT_ACCEPTABLE', message, {
    details: accept.map(({ text }) => carrierDetail('accept', text)),
  });
}

function agrees(accepted: AcceptedVersion, mostPrecise: RequestedVersion | null): boolean {
  return accepted.version === null || mostPrecise === null || versionsAgree(accepted.version, mostPrecise);
}

/**
 * The supported version that serves the requested one (VER-2): the latest of its minor. A minor that is not supported,
 * below the latest of its major, is served by that one, which adds to it. The patch never selects.
 */
function latest<V extends SupportedVersion>(supported: readonly V[], { major, minor }: RequestedVersion): V | null {
  const ofMajor = supported.filter((one) => one.major === major).toSorted(compare);
  const newest = ofMajor.at(-1) ?? null;
  if (newest === null || minor === null) return newest;
  return ofMajor.findLast((one) => one.minor === minor) ?? (minor < newest.minor ? newest : null);
}

function compare(one: SupportedVersion, other: SupportedVersion): number {
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

function served(supported: readonly SupportedVersion[]): readonly SupportedVersion[] {
  return supported.filter(({ retired }) => retired !== true);
}

function supportedList(supported: readonly SupportedVersion[]): string {
  return served(supported).map(versionText).join(', ');
}

function carrierDetail(carrier: keyof typeof FIELDS, text: string): ErrorDetail {
  return { field: FIELDS[carrier], message: `requests ${cut(text)}` };
}
