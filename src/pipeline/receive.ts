import { negotiateCoding } from '../conventions/media/content-coding.ts';
import { type OriginAccess, SAME_ORIGIN } from '../conventions/headers/cors.ts';
import { continueTrace, correlationId } from '../conventions/headers/correlation.ts';
import { type ApiError, apiError } from '../conventions/errors.ts';
import { type ClientConnection, clientConnection } from '../conventions/headers/forwarded.ts';
import { checkHeaderFields } from '../conventions/headers/header-check.ts';
import { type HeaderFields, headerFields } from '../conventions/headers/header-fields.ts';
import { acceptsHost, type HostRule } from '../conventions/url/host.ts';
import { isHealthPath } from '../conventions/url/origin-names.ts';
import { isMethod, isRegisteredMethod, type Method } from '../conventions/methods.ts';
import { type Preferences, readPrefer } from '../conventions/headers/prefer.ts';
import { type QueryParameter, parseQuery } from '../conventions/url/query.ts';
import { segmentsBelow, isAsteriskForm, parseTarget, type RequestTarget } from '../conventions/url/url.ts';
import { codings } from '../formats/compress.ts';
import type { Model } from '../model/model.ts';
import type { Exchange, ExchangeNote } from '../exchange/exchange.ts';
import type { RawRequest } from '../exchange/handler.ts';
import { StageRecorder } from '../exchange/stage-recorder.ts';

/** A request with a valid request line and header fields (step 1). */
export interface Received {
  readonly exchange: Exchange;
  readonly request: RawRequest;
  /** The connection of the client, as trusted proxies report it (AUTH-6). */
  readonly client: ClientConnection;
  /** The path segments below the base path; null outside of it, and for the asterisk-form. */
  readonly belowBase: readonly string[] | null;
  /** The path segment that names a version, `v1`. */
  readonly versionSegment: string | null;
  /** The method; null for a registered one that no route has. */
  readonly method: Method | null;
  /** Decoded path segments; null for the asterisk-form. */
  readonly segments: readonly string[] | null;
  /** The raw path and query; null for the asterisk-form. */
  readonly sent: Pick<RequestTarget, 'path' | 'query'> | null;
  /** The canonical target, if the sent one differs from it (URL-1); else null. */
  readonly redirect: string | null;
  readonly parameters: readonly QueryParameter[];
  readonly preferences: Preferences;
}

/** Time, ids and randomness of an exchange. */
export interface ExchangeSources {
  /** Matches targets whose path names a version, malformed ones too. */
  readonly versionedPath: RegExp;
  /** Decides the access of the page that sent a request. */
  readonly originAccess: (fields: HeaderFields) => OriginAccess;
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly uuid: () => string;
  readonly randomHex: (bytes: number) => string;
  /** True if the stages of requests are timed. */
  readonly timed: boolean;
}

/** Matches a minor or patch version too, which is then refused: it would be a second URL (VER-1). */
const VERSION_SEGMENT = /^v[0-9][0-9.]*$/;

/** The part of a contract that the first stage reads. */
interface Site {
  /** Decoded segments of the base path. */
  readonly base: readonly string[];
  readonly model: Pick<Model, 'limits' | 'trustedProxies'>;
}

/**
 * Compiles the pattern of targets below a base path that name a version.
 *
 * @param base decoded segments of the base path
 */
export function versionedPath(base: readonly string[]): RegExp {
  const above = base.map((segment) => `/+${RegExp.escape(segment)}`).join('');
  return new RegExp(`^(?:https?://[^/?#]*)?${above}/+v[0-9][0-9.]*(?![^/?#])`);
}

/** Creates the note of a new exchange. */
export function newNote(): ExchangeNote {
  return { route: null, errorCode: null, variesByCaller: false, quota: null, scheme: 'http', contract: null };
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
 * Checks the request line and header fields (step 1, URL-4, URL-8, MET-6).
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
  // The target of CONNECT is an authority (RFC 9110 9.3.6), which names nothing here, so it is not parsed.
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
    sent: read,
    belowBase: below,
    versionSegment,
    redirect: read?.redirect ?? null,
    parameters: read === null || read.query === null ? [] : parseQuery(read.query),
    preferences: readPrefer(fields.get('prefer')),
  };
}

/**
 * Refuses requests without TLS if the model requires it (step 2, AUTH-10). Health checks pass, because they contain no
 * data.
 *
 * @throws {ApiError} AUTH_TLS_REQUIRED
 */
export function requireTls(
  { client, segments }: Received,
  { model }: { readonly model: Pick<Model, 'requireTls'> },
): void {
  if (!model.requireTls || client.scheme === 'https') return;
  if (segments !== null && isHealthPath(segments)) return;
  throw apiError('AUTH_TLS_REQUIRED', 'This API is served over TLS only; send the request to its https URL.');
}

/** True if a browser sent the request to learn what a page of an allowed origin may send (OPS-3). */
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
