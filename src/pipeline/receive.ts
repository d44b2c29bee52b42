import { type Coding, negotiateCoding } from '../conventions/content-coding.ts';
import { continueTrace, correlationId, type Trace } from '../conventions/correlation.ts';
import { apiError } from '../conventions/errors.ts';
import { checkHeaderFields } from '../conventions/header-check.ts';
import { type HeaderFields, headerFields } from '../conventions/header-fields.ts';
import { isLoopbackHost } from '../conventions/host.ts';
import { isMethod, isRegisteredMethod, type Method } from '../conventions/methods.ts';
import { type Preferences, readPrefer } from '../conventions/prefer.ts';
import { type QueryParameter, parseQuery } from '../conventions/query.ts';
import { segmentsBelow, isAsteriskForm, parseTarget } from '../conventions/url.ts';
import { codings } from '../formats/compress.ts';
import type { Limits } from '../model/model.ts';
import type { RawRequest } from './exchange.ts';

/** One request on its way: what is known of any request, however broken. */
export interface Exchange {
  readonly request: Pick<RawRequest, 'method' | 'target' | 'headers'>;
  readonly fields: HeaderFields;
  readonly correlationId: string;
  readonly trace: Trace;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Milliseconds from any beginning, which the clock of the machine does not move. */
  readonly startTick: number;
  /** What the answer and the log say of it, filled in as it becomes known. */
  readonly note: { route: string | null; errorCode: string | null };
  /** Whether the path names the version: then nothing hangs on `API-Version` (NEG-3). */
  readonly versionInPath: boolean;
  /** The coding that the caller likes best: part of every tag, whether or not an answer is long enough to be compressed (NEG-7). */
  readonly coding: Coding;
}

/** A request whose line and header fields are in order (step 1). */
export interface Received {
  readonly exchange: Exchange;
  readonly request: RawRequest;
  /** What of the path lies below the base path: null outside of it, and for the asterisk-form. */
  readonly belowBase: readonly string[] | null;
  /** The path segment that names a version, `v1`. */
  readonly versionSegment: string | null;
  /** null for a registered method that no target here has. */
  readonly method: Method | null;
  /** Decoded path segments; null for the asterisk-form. */
  readonly segments: readonly string[] | null;
  /** The canonical target where the one sent is another (URL-1). */
  readonly redirect: string | null;
  readonly parameters: readonly QueryParameter[];
  readonly preferences: Preferences;
}

/** What opening an exchange takes from outside. */
export interface ExchangeSources {
  /** Matches the targets whose path names a version, faulty ones too. */
  readonly versionedPath: RegExp;
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly uuid: () => string;
  readonly randomHex: (bytes: number) => string;
}

/** A minor or patch in it is read too, and then refused: it would be a second URL (VER-1). */
const VERSION_SEGMENT = /^v[0-9][0-9.]*$/;

/** What of the model a request's first step needs. */
interface Site {
  /** Decoded segments of the base path. */
  readonly base: readonly string[];
  readonly model: { readonly limits: Limits };
}

/** The targets below a base path whose path names a version. @param base decoded segments of the base path */
export function versionedPath(base: readonly string[]): RegExp {
  const above = base.map((segment) => `/+${RegExp.escape(segment)}`).join('');
  return new RegExp(`^(?:https?://[^/?#]*)?${above}/+v[0-9][0-9.]*(?![^/?#])`);
}

/** Opens the exchange of a request. It cannot fail, so that every later failure has a correlation id (ERR-5). */
export function openExchange(request: Exchange['request'], openings: ExchangeSources): Exchange {
  const fields = headerFields(request.headers);
  return {
    request,
    fields,
    correlationId: correlationId(fields.get('x-correlation-id'), openings.uuid),
    trace: continueTrace(fields.get('traceparent'), openings.randomHex),
    startedAt: openings.now(),
    startTick: openings.elapsed(),
    note: { route: null, errorCode: null },
    versionInPath: openings.versionedPath.test(request.target),
    coding: negotiateCoding(fields.get('accept-encoding'), codings),
  };
}

/**
 * Step 1: the request line and header fields (URL-4, URL-8, MET-6).
 *
 * @param site the base path, decoded, and the limits
 * @param open whether any `Host` is taken; else loopback names alone (AUTH-7)
 * @throws {ApiError} 400, 414, 417, 431, 501
 */
export function receive(exchange: Exchange, request: RawRequest, { base, model }: Site, open: boolean): Received {
  const { fields } = exchange;
  const { method, target } = request;
  const { limits } = model;
  if (!isRegisteredMethod(method)) {
    throw apiError(
      'REQUEST_METHOD_NOT_IMPLEMENTED',
      'The request method is not one that HTTP knows; see Allow of OPTIONS.',
    );
  }
  const asterisk = isAsteriskForm(target) && (method === 'OPTIONS' || method === 'CONNECT');
  // The target of CONNECT is an authority (RFC 9110 9.3.6): it names nothing here, so it is not read.
  const read = asterisk || method === 'CONNECT' ? null : parseTarget(target, limits.target);
  const below = read === null ? null : segmentsBelow(read.segments, base);
  const versionSegment = below?.find((segment, index) => index === 0 && VERSION_SEGMENT.test(segment)) ?? null;
  checkHeaderFields(fields, request.httpVersion, { headers: limits.headers, lines: limits.headerLines });
  const host = fields.get('host');
  if (!open && host !== null && !isLoopbackHost(host)) {
    throw apiError(
      'REQUEST_HEADER_INVALID',
      'Host names another machine; this server answers to loopback names alone.',
      {
        details: [{ field: 'Host', message: 'must be localhost, 127.0.0.1 or [::1]' }],
      },
    );
  }
  return {
    exchange,
    request,
    method: isMethod(method) ? method : null,
    segments: read?.segments ?? null,
    belowBase: below,
    versionSegment,
    redirect: read?.redirect ?? null,
    parameters: read === null || read.query === null ? [] : parseQuery(read.query),
    preferences: readPrefer(fields.get('prefer')),
  };
}
