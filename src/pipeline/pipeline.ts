import { ApiError, apiError } from '../conventions/errors.ts';
import { pathOfTarget } from '../conventions/url.ts';
import { readListQuery } from '../plan/list-query.ts';
import { admitParameters, commonParameterRule } from '../plan/parameters.ts';
import { readItemView } from '../plan/view.ts';
import { after, attempt, type MaybePromise } from '../platform/maybe-promise.ts';
import { IdleTimer } from '../cache/idle-timer.ts';
import { commonHeaders, uncachedResponse } from './represent/response.ts';
import { authenticate } from './authenticate.ts';
import { answerBatch, readBatchRecord } from './batch/batch.ts';
import { Compressor } from './represent/content-encoding.ts';
import type { ApiResponse, Handler, RawRequest } from './exchange.ts';
import { answerLines } from './batch/ndjson.ts';
import { type Negotiated, negotiate, optionsHeaders } from './negotiate.ts';
import { requestedWrite } from './write/requested-write.ts';
import { queryParameters } from './read/query-body.ts';
import { readItem, readRoot } from './read/item.ts';
import { readCollection } from './read/list.ts';
import { type Exchange, openExchange, type ExchangeSources, receive, type Received } from './receive.ts';
import { refuse } from './refuse.ts';
import { allow, route, type Routed } from './route.ts';
import { answerWrite } from './write/single-write.ts';
import type { Surroundings } from './surroundings.ts';

/** Milliseconds without a request after which the caches are cleared: an idle server gives its memory back. */
const IDLE_TIMEOUT = 30_000;

/** What answering takes beside what the stages work with. */
export interface PipelineOptions {
  readonly surroundings: Surroundings;
  readonly openings: ExchangeSources;
  /** Whether any `Host` is taken; else loopback names alone (AUTH-7). */
  readonly open: boolean;
  /** Why the server should get no traffic just now; null when it should (LIM-3). */
  readonly unready: () => string | null;
}

/** The score: one exchange, stage by stage, in the order of the contract's section 0. Everything that fails ends in `refuse`. */
export function createPipeline(options: PipelineOptions): Handler {
  const { surroundings, openings } = options;
  const { observe } = surroundings;
  const compressor = new Compressor();
  const caches = [surroundings.itemCache, surroundings.pageCache, compressor];
  const idleTimer = new IdleTimer(IDLE_TIMEOUT, () => clearAll(caches));
  const refusing = { version: surroundings.version, observe, now: openings.now };

  const finish = <A extends ApiResponse>(exchange: Exchange, finished: A): A => {
    observe({
      kind: 'request',
      method: exchange.request.method,
      target: pathOfTarget(exchange.request.target),
      route: exchange.note.route,
      status: finished.status,
      errorCode: exchange.note.errorCode,
      duration: openings.elapsed() - exchange.startTick,
      correlationId: exchange.correlationId,
      traceId: exchange.trace.traceId,
    });
    return finished;
  };

  return {
    handle(request) {
      idleTimer.touch();
      const exchange = openExchange(request, openings);
      const answered = attempt(
        () => answer(exchange, request, options),
        (error) => refuse(exchange, error, refusing),
      );
      const coded = after(answered, (each) => compressor.compressed(each, exchange));
      return after(coded, (each) => finish(exchange, each));
    },
    refuse(error, request) {
      const exchange = openExchange(request, openings);
      return finish(exchange, refuse(exchange, error, refusing));
    },
  };
}

function clearAll(caches: readonly { readonly clear: () => void }[]): void {
  for (const cache of caches) cache.clear();
}

function answer(exchange: Exchange, request: RawRequest, options: PipelineOptions): MaybePromise<ApiResponse> {
  const { surroundings } = options;
  const { compiled, version } = surroundings;
  const received = receive(exchange, request, compiled, options.open);
  if (received.redirect !== null) return redirect(received, received.redirect, version);
  const routed = route(received, compiled);
  if (routed.method === 'OPTIONS') return describe(routed, options);
  if (routed.route.kind === 'live') return health(routed, version);
  if (routed.route.kind === 'ready') return ready(options).then(() => health(routed, version));
  const negotiated = negotiate(authenticate(routed), compiled.model, compiled.offers);
  return perform(negotiated, surroundings);
}

/** Steps 12 to 19 of what route and method name. */
function perform(request: Negotiated, surroundings: Surroundings): MaybePromise<ApiResponse> {
  const { route: target, parameters, preferences } = request;
  const lenient = preferences.handling === 'lenient';
  const asked = requestedWrite(request);
  if (asked !== null) {
    return request.bodyType?.kind === 'ndjson' ? answerLines(asked, surroundings) : answerWrite(asked, surroundings);
  }
  switch (target.kind) {
    case 'collection': {
      const { compiled, within } = target;
      const given = request.method === 'QUERY' ? queryParameters(request, surroundings) : parameters;
      return after(given, (each) =>
        readCollection(request, compiled, readListQuery(compiled.list, within, each, lenient), surroundings),
      );
    }
    case 'item': {
      const { compiled, within, id } = target;
      const view = readItemView(parameters, compiled.resource, surroundings.compiled.model, lenient);
      return readItem(request, compiled, within, id, view, surroundings);
    }
    case 'root':
      admitParameters(parameters, commonParameterRule, lenient);
      return readRoot(request, surroundings);
    case 'batches':
      return answerBatch(request, surroundings);
    case 'batch':
      return readBatchRecord(target.id, request, surroundings);
    case 'server':
    case 'live':
    case 'ready':
      throw new Error(`${target.kind} is answered before negotiation`);
  }
}

/** One URL for each resource (URL-1): the method and body stay, hence 308. */
function redirect({ exchange }: Received, location: string, version: string): ApiResponse {
  return uncachedResponse(308, [...commonHeaders(exchange, version), 'Location', location], null);
}

/** OPTIONS (MET-5). */
function describe(routed: Routed, { surroundings }: PipelineOptions): ApiResponse {
  const { version, compiled } = surroundings;
  const headers = [
    ...commonHeaders(routed.exchange, version),
    'Allow',
    allow(routed.route),
    ...optionsHeaders(routed, compiled.model),
  ];
  return uncachedResponse(204, headers, null);
}

function health({ exchange }: Routed, version: string): ApiResponse {
  const headers = [...commonHeaders(exchange, version), 'Content-Type', 'application/json'];
  return uncachedResponse(200, headers, '{"status":"ok"}');
}

/** `/readyz`: the database can be read and there is no overload (OPS-2, LIM-3). */
async function ready({ surroundings, unready }: PipelineOptions): Promise<void> {
  const reason = unready();
  if (reason !== null) throw apiError('SERVER_UNAVAILABLE', `The server takes no new traffic: ${reason}.`);
  try {
    await surroundings.store.ping();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw apiError('SERVER_UNAVAILABLE', 'The database cannot be read.', { cause: error });
  }
}
