import type { Contract } from '../contract/contract.ts';
import { type Coding, negotiateCoding } from '../conventions/media/content-coding.ts';
import { type OriginAccess, SAME_ORIGIN } from '../conventions/headers/cors.ts';
import { continueTrace, correlationId, type Trace } from '../conventions/headers/correlation.ts';
import { type ApiError, apiError } from '../conventions/errors.ts';
import { type ClientConnection, clientConnection, type Scheme } from '../conventions/headers/forwarded.ts';
import { checkHeaderFields } from '../conventions/headers/header-check.ts';
import { type HeaderFields, headerFields } from '../conventions/headers/header-fields.ts';
import { acceptsHost, type HostRule } from '../conventions/url/host.ts';
import { isMethod, isRegisteredMethod, type Method } from '../conventions/methods.ts';
import { type Preferences, readPrefer } from '../conventions/headers/prefer.ts';
import { type QueryParameter, parseQuery } from '../conventions/url/query.ts';
import { segmentsBelow, isAsteriskForm, parseTarget } from '../conventions/url/url.ts';
import { codings } from '../formats/compress.ts';
import type { Model } from '../model/model.ts';
import type { RawRequest } from '../exchange/handler.ts';
import { StageRecorder } from '../exchange/stage-recorder.ts';
import type { Quota } from '../operations/quota.ts';

/** What becomes known of an exchange, for its observation and for a response to its failure. */
export interface ExchangeNote {
  route: string | null;
  errorCode: string | null;
  variesByCaller: boolean;
  quota: Quota | null;
  /** That of the connection of the client, as trusted proxies report it. */
  scheme: Scheme;
  /** The contract of the request's version, once it is known. */
  contract: ServedContract | null;
}

/** What every response says of its contract (VER-4). */
export type ServedContract = Pick<Contract, 'version' | 'lifecycle'>;

/** Of a new exchange. */
export function newNote(): ExchangeNote {
  return { route: null, errorCode: null, variesByCaller: false, quota: null, scheme: 'http', contract: null };
}

/** What is known of any request, however malformed. */
export interface Exchange {
  readonly request: Pick<RawRequest, 'method' | 'target' | 'headers' | 'cors'> & Partial<Pick<RawRequest, 'body'>>;
  readonly fields: HeaderFields;
  readonly correlationId: string;
  readonly trace: Trace;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Monotonic milliseconds from an arbitrary start. */
  readonly startTick: number;
  /** Times its stages; null where they are not timed. */
  readonly stages: StageRecorder | null;
  /** For the response and the log, filled in as it becomes known. */
  readonly note: ExchangeNote;
  /** Whether the path names the version: then nothing depends on `API-Version` (NEG-3). */
  readonly versionInPath: boolean;
  /** What the page that sent it may do with the response (OPS-3). */
  readonly origin: OriginAccess;
  /** The coding that the client prefers: part of every ETag, whether or not the response is long enough to be compressed (NEG-7). */
  readonly coding: Coding;
}

/** A request with a valid request line and header fields (step 1). */
export interface Received {
  readonly exchange: Exchange;
  readonly request: RawRequest;
  /** The connection of the client, as trusted proxies report it (AUTH-6). */
  readonly client: ClientConnection;
  /** The path segments below the base path: null outside of it, and for the asterisk-form. */
  readonly belowBase: readonly string[] | null;
  /** The path segment that names a version, `v1`. */
  readonly versionSegment: string | null;
  /** null for a registered method that no route has. */
  readonly method: Method | null;
  /** Decoded path segments; null for the asterisk-form. */
  readonly segments: readonly string[] | null;
  /** The canonical target, where the one sent differs from it (URL-1). */
  readonly redirect: string | null;
  readonly parameters: readonly QueryParameter[];
  readonly preferences: Preferences;
}

/** Time, ids and randomness of an exchange. */
export interface ExchangeSources {
  /** Matches targets whose path names a version, malformed ones too. */
  readonly versionedPath: RegExp;
  /** What the response to a request says about the origin of its page. */
  readonly originAccess: (fields: HeaderFields) => OriginAccess;
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly uuid: () => string;
  readonly randomHex: (bytes: number) => string;
  /** Whether the stages of requests are timed. */
  readonly timed: boolean;
}

/** A minor or patch version is matched too, and then refused: it would be a second URL (VER-1). */
const VERSION_SEGMENT = /^v[0-9][0-9.]*$/;

/** The health checks, which orchestrators send to the process itself, past the proxies. */
const HEALTH_CHECKS: ReadonlySet<string> = new Set(['livez', 'readyz']);

/** What the first stage needs of a contract. */
interface Site {
  /** Decoded segments of the base path. */
  readonly base: readonly string[];
  readonly model: Pick<Model, 'limits' | 'trustedProxies'>;
}

/** Matches targets below a base path that name a version. @param base decoded segments of the base path */
export function versionedPath(base: readonly string[]): RegExp {
  const above = base.map((segment) => `/+${RegExp.escape(segment)}`).join('');
  return new RegExp(`^(?:https?://[^/?#]*)?${above}/+v[0-9][0-9.]*(?![^/?#])`);
}

/** Opens the exchange of a request. It cannot fail, so that every later failure has a correlation id (ERR-5). */
export function openExchange(request: Exchange['request'], sources: ExchangeSources): Exchange {
  const fields = headerFields(request.headers);
  const startTick = sources.elapsed();
  return {
    request,
    fields,
    correlationId: correlationId(fields.get('x-correlation-id'), sources.uuid),
    trace: continueTrace(fields.get('traceparent'), sources.randomHex),
    startedAt: sources.now(),
    startTick,
    stages: sources.timed ? new StageRecorder(sources.elapsed, startTick) : null,
    note: newNote(),
    versionInPath: sources.versionedPath.test(request.target),
    origin: request.cors === false ? SAME_ORIGIN : sources.originAccess(fields),
    coding: negotiateCoding(fields.get('accept-encoding'), codings),
  };
}

/**
 * Step 1: the request line and header fields (URL-4, URL-8, MET-6).
 *
 * @param site the base path, decoded, and the limits
 * @param hosts the accepted values of `Host` (AUTH-7)
 * @throws {ApiError} 400, 414, 417, 431, 501
 */
export function receive(exchange: Exchange, request: RawRequest, { base, model }: Site, hosts: HostRule): Received {
  const { fields } = exchange;
  const { method, target } = request;
  const { limits } = model;
  if (!isRegisteredMethod(method)) {
    throw apiError(
      'REQUEST_METHOD_NOT_IMPLEMENTED',
      'The request method is not a registered HTTP method; see Allow of OPTIONS.',
    );
  }
  const asterisk = isAsteriskForm(target) && (method === 'OPTIONS' || method === 'CONNECT');
  // The target of CONNECT is an authority (RFC 9110 9.3.6): it names nothing here, so it is not read.
  const read = asterisk || method === 'CONNECT' ? null : parseTarget(target, limits.target);
  const below = read === null ? null : segmentsBelow(read.segments, base);
  const versionSegment = below?.find((segment, index) => index === 0 && VERSION_SEGMENT.test(segment)) ?? null;
  checkHeaderFields(fields, request.httpVersion, { headers: limits.headers, lines: limits.headerLines });
  const host = fields.get('host');
  if (host !== null && !acceptsHost(hosts, host)) throw hostNotAccepted(hosts);
  const client = clientConnection(request, fields, model.trustedProxies);
  exchange.note.scheme = client.scheme;
  return {
    exchange,
    request,
    client,
    method: isMethod(method) ? method : null,
    segments: read?.segments ?? null,
    belowBase: below,
    versionSegment,
    redirect: read?.redirect ?? null,
    parameters: read === null || read.query === null ? [] : parseQuery(read.query),
    preferences: readPrefer(fields.get('prefer')),
  };
}

/**
 * Step 2 (AUTH-10). Health checks pass: they contain no data.
 *
 * @throws {ApiError} AUTH_TLS_REQUIRED
 */
export function requireTls(
  { client, segments }: Received,
  { model }: { readonly model: Pick<Model, 'requireTls'> },
): void {
  if (!model.requireTls || client.scheme === 'https') return;
  const [first = ''] = segments ?? [];
  if (segments?.length === 1 && HEALTH_CHECKS.has(first)) return;
  throw apiError('AUTH_TLS_REQUIRED', 'This API is served over TLS only; send the request to its https URL.');
}

/** Whether a browser sent the request to learn what a page of an allowed origin may send (OPS-3). */
export function isPreflight({ method, exchange: { origin, fields } }: Received): boolean {
  return method === 'OPTIONS' && origin.allowed && fields.get('access-control-request-method') !== null;
}

function hostNotAccepted(hosts: HostRule): ApiError {
  const [message, fix] =
    hosts === 'loopback'
      ? [
          'Host names another machine; this server accepts loopback names only.',
          'must be localhost, 127.0.0.1 or [::1]',
        ]
      : ['Host is not a name of this server; send one that it is configured for.', 'must be a name of this server'];
  return apiError('REQUEST_HEADER_INVALID', message, { details: [{ field: 'Host', message: fix }] });
}
