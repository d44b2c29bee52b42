import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Tracer,
} from '@opentelemetry/api';
import type { Observation, Observe } from '../../src/index.ts';

type RequestObservation = Extract<Observation, { kind: 'request' }>;

/** An observer that makes a span of each request, as a child of the span that the client named in `traceparent`. */
export function tracingObserver(tracer: Tracer, now: () => number = Date.now): Observe {
  return (observation) => {
    if (observation.kind !== 'request') return;
    const { method, target, route, status, errorCode, duration, correlationId } = observation;
    const end = now();
    const attributes = {
      'http.request.method': method,
      'url.path': target,
      'http.response.status_code': status,
      'restwright.correlation_id': correlationId,
      ...(route === null ? {} : { 'http.route': route }),
      ...(errorCode === null ? {} : { 'error.type': errorCode }),
    };
    const name = route === null ? method : `${method} ${route}`;
    const span = tracer.startSpan(
      name,
      { kind: SpanKind.SERVER, startTime: end - duration, attributes },
      callerOf(observation),
    );
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(end);
  };
}

/** The span of the client; the root where the request has no `traceparent`, so that a new trace begins. */
function callerOf({ traceId, parentId, sampled }: RequestObservation): Context {
  if (parentId === null) return ROOT_CONTEXT;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags, isRemote: true });
}
