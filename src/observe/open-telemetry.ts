import {
  type Attributes,
  type Context,
  createTraceState,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { systemClock } from '../platform/clock.ts';
import type { Observation, Observe, RequestObservation, StageTime } from './observation.ts';

type DeliveryObservation = Extract<Observation, { kind: 'delivery' }>;

/**
 * Creates an observer that makes spans (OPS-2), for the option `traces` of `startApi`. Each request has one, below the
 * span that its client named in `traceparent`, with one for each stage and each use of the store. Each delivery has
 * one. Spans are made when their ends are known, so that an exporter that hangs or fails delays no request.
 *
 * @param now milliseconds since the epoch
 *
 * @example
 * ```ts
 * const traces = traceObserver(trace.getTracer('notes'));
 * const { api } = await startApi({ model, database: './notes.db', traces });
 * ```
 */
export function traceObserver(tracer: Tracer, now: () => number = () => systemClock.now()): Observe {
  return (observation) => {
    if (observation.kind === 'request') traceRequest(observation, tracer, now());
    if (observation.kind === 'delivery') traceDelivery(observation, tracer, now());
  };
}

/** The observer for the SDK that was registered before; null where none was. */
export function registeredTraceObserver(version: string): Observe | null {
  const provider = trace.getTracerProvider();
  const isMissing =
    provider instanceof ProxyTracerProvider && provider.getDelegate() === new ProxyTracerProvider().getDelegate();
  return isMissing ? null : traceObserver(trace.getTracer('restwright', version));
}

function traceRequest(request: RequestObservation, tracer: Tracer, end: number): void {
  const { method, route, status, duration, stages } = request;
  const start = end - duration;
  const options = { kind: SpanKind.SERVER, startTime: start, attributes: requestAttributes(request) };
  const span = tracer.startSpan(route === null ? method : `${method} ${route}`, options, findCaller(request));
  if (stages !== null && span.isRecording()) traceStages(stages, span, tracer, start);
  // A response to an error of the client is a success of the server.
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(end);
}

/** Uses of the store are children of the stage in which they were, which ended after them. */
function traceStages(
  times: NonNullable<RequestObservation['stages']>,
  span: Span,
  tracer: Tracer,
  origin: number,
): void {
  const inRequest = trace.setSpan(ROOT_CONTEXT, span);
  let uses: StageTime[] = [];
  for (const { name, start, end } of times) {
    if (name === 'store') {
      uses.push({ name, start, end });
      continue;
    }
    const stage = tracer.startSpan(name, { startTime: origin + start }, inRequest);
    const inStage = trace.setSpan(inRequest, stage);
    for (const use of uses)
      tracer.startSpan(use.name, { startTime: origin + use.start }, inStage).end(origin + use.end);
    stage.end(origin + end);
    uses = [];
  }
}

/** Under the names of OpenTelemetry's semantic conventions for HTTP servers. */
function requestAttributes(request: RequestObservation): Attributes {
  const { method, target, scheme, route, status, errorCode, version, correlationId, requestSize, responseSize } =
    request;
  return {
    'http.request.method': method,
    'url.path': target,
    'url.scheme': scheme,
    'http.response.status_code': status,
    'restwright.correlation_id': correlationId,
    ...(route === null ? {} : { 'http.route': route }),
    ...(version === null ? {} : { 'restwright.api_version': version }),
    ...(errorCode === null ? {} : { 'error.type': errorCode }),
    ...(requestSize === null ? {} : { 'http.request.body.size': requestSize }),
    ...(responseSize === null ? {} : { 'http.response.body.size': responseSize }),
  };
}

/** The span of the client; the root where the request has no `traceparent`, so that a new trace begins. */
function findCaller({ traceId, parentId, sampled, traceState }: RequestObservation): Context {
  if (parentId === null) return ROOT_CONTEXT;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const state = traceState === null ? {} : { traceState: createTraceState(traceState) };
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags, isRemote: true, ...state });
}

function traceDelivery({ result, duration, lag }: DeliveryObservation, tracer: Tracer, end: number): void {
  const attributes = { 'restwright.delivery.result': result, 'restwright.delivery.lag': lag / 1_000 };
  const options = { kind: SpanKind.PRODUCER, startTime: end - duration, attributes };
  const span = tracer.startSpan('deliver', options, ROOT_CONTEXT);
  if (result !== 'succeeded') span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(end);
}
