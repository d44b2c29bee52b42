import type { RequestObservation } from './observation.ts';

/** Characters that the log has of a path and of a method. */
const MAX_PATH = 1_024;
const MAX_METHOD = 32;

export function requestLevel({ status }: Pick<RequestObservation, 'status'>): 'info' | 'error' {
  return status >= 500 ? 'error' : 'info';
}

/** Lists the facts of a request for the log: the members of its entry, in their order. */
export function requestFields({
  method,
  target,
  route,
  status,
  errorCode,
  duration,
  correlationId,
  traceId,
}: RequestObservation) {
  return {
    method: truncate(method, MAX_METHOD),
    path: truncate(target, MAX_PATH),
    route,
    status,
    error_code: errorCode,
    duration_ms: Math.round(duration * 1_000) / 1_000,
    correlation_id: correlationId,
    trace_id: traceId,
  } as const;
}

function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
