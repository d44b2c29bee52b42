import { pathOfTarget } from '../../conventions/url/url.ts';
import type { Observation } from '../../observe/observation.ts';
import { type ApiResponse, isStreamed } from '../../exchange/handler.ts';
import type { Exchange } from '../../exchange/exchange.ts';

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
