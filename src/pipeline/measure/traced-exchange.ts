import { pathOfTarget } from '../../conventions/url/url.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type ApiResponse, isStreamed } from '../../exchange/handler.ts';
import type { StageRecorder } from '../../exchange/stage-recorder.ts';
import type { Observation } from '../../observe/observation.ts';
import type { RowSource } from '../../operations/visible-rows.ts';
import type { Commits, Committer } from '../../operations/write/commits.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import { channels, publish, type RequestContext, type StoreContext } from '../../platform/trace-channels.ts';
import type { RowReader } from '../../stores/store.ts';

/** Publishes an exchange to the subscribers of its channel, if there are any. */
export function tracedExchange(exchange: Exchange, run: () => MaybePromise<ApiResponse>): MaybePromise<ApiResponse> {
  if (!channels.request.hasSubscribers) return run();
  const context = makeContext(exchange);
  return publish(channels.request, context, run, ({ status }) => {
    const { route, errorCode } = exchange.note;
    Object.assign(context, { route, errorCode, status });
  });
}

function makeContext({
  request: { method, target },
  correlationId,
  trace: { traceId, parentId },
}: Exchange): RequestContext {
  const unknown = { route: null, status: null, errorCode: null };
  return { method, target: pathOfTarget(target), correlationId, traceId, parentId, ...unknown };
}

/** The end of an exchange. */
interface Completed {
  readonly status: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Bytes of the body; null if they are not known. */
  readonly size: number | null;
}

/** Describes an exchange whose response is known. */
export function requestObservation(
  { request, note, correlationId, trace, fields, stages }: Exchange,
  { status, duration, size }: Completed,
): Observation {
  const { method, target, body = null } = request;
  const { route, errorCode, contract, scheme } = note;
  const { traceId, parentId, sampled } = trace;
  return {
    kind: 'request',
    method,
    target: pathOfTarget(target),
    route,
    status,
    errorCode,
    duration,
    version: contract?.version ?? null,
    requestSize: body === null ? 0 : body.length,
    responseSize: size,
    correlationId,
    traceId,
    parentId,
    sampled,
    traceState: parentId === null ? null : fields.get('tracestate'),
    scheme,
    stages: stages?.times ?? null,
  };
}

/** Bytes of the body that is sent; null if it is streamed. */
export function bodySize(response: ApiResponse, method: string): number | null {
  if (isStreamed(response)) return null;
  const { body, status } = response;
  if (body === null || method === 'HEAD' || status === 204 || status === 304) return 0;
  return Buffer.byteLength(body);
}

type Operation = StoreContext['operation'];

/** Times the reads of rows. @param stages null if only subscribers of the channel time them */
export function tracedRows<S extends RowSource>(source: S, stages: StageRecorder | null): S {
  if (stages === null && !channels.store.hasSubscribers) return source;
  const { rows } = source;
  const traced = <R>(operation: Operation, resource: string | null, read: () => MaybePromise<R>): MaybePromise<R> =>
    traceOperation({ operation, resource }, stages, read);
  const reader: RowReader = {
    item: (plan) => traced('item', plan.resource, () => rows.item(plan)),
    wasVisible: (plan) => traced('item', plan.resource, () => rows.wasVisible(plan)),
    list: (plan) => traced('list', plan.resource, () => rows.list(plan)),
    lookup: (plan) => traced('lookup', plan.resource, () => rows.lookup(plan)),
    related: (plan) => traced('related', plan.resource, () => rows.related(plan)),
    missingAncestor: (within) => traced('missing-ancestor', null, () => rows.missingAncestor(within)),
    missingReferences: (references) => traced('missing-references', null, () => rows.missingReferences(references)),
  };
  return { ...source, rows: reader };
}

/** Times commits. @param stages null if only subscribers of the channel time them */
export function tracedCommits<S extends { readonly commits: Commits }>(services: S, stages: StageRecorder | null): S {
  if (stages === null && !channels.store.hasSubscribers) return services;
  const wrap = (writer: Committer): Committer => ({
    commit: async (unit, deadline) =>
      traceOperation({ operation: 'commit', resource: null }, stages, () => writer.commit(unit, deadline)),
  });
  return { ...services, commits: services.commits.through(wrap) };
}

function traceOperation<T>(
  context: StoreContext,
  stages: StageRecorder | null,
  operate: () => MaybePromise<T>,
): MaybePromise<T> {
  const timed = stages === null ? operate : (): MaybePromise<T> => stages.during('store', operate);
  return channels.store.hasSubscribers ? publish(channels.store, context, timed) : timed();
}
