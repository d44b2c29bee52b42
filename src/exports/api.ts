/** `restwright/api`: an API composed of its parts, its requests and responses, its events and its log. */
export { type Api, type ApiOptions, createApi } from '../api.ts';
export { openVerifier, type VerifierOptions } from '../auth/open-verifier.ts';
export type { TokenVerdict, TokenVerifier, VerifiedToken } from '../auth/token-verifier.ts';
export {
  ApiError,
  type ApiErrorOptions,
  type ErrorBody,
  type ErrorCode,
  type ErrorDetail,
} from '../conventions/errors.ts';
export type { EventEnvelope, EventPayload } from '../conventions/events/event.ts';
export type { MountedApi, MountOptions } from '../http/mounted-api.ts';
export { logEntry, type LogEntry, type LogLevel } from '../observe/log-entry.ts';
export type { MetricFamily, MetricSeries } from '../observe/metrics/metric-family.ts';
export { createMetrics, type Metrics, type MetricSource } from '../observe/metrics/metrics.ts';
export type { Observation, Observe } from '../observe/observation.ts';
export type {
  ApiResponse,
  BodyStream,
  BufferedResponse,
  Handler,
  RawRequest,
  RequestBody,
  StreamedResponse,
} from '../exchange/handler.ts';
export type { Clock } from '../platform/clock.ts';
export type { Ids } from '../platform/ids.ts';
export type { MaybePromise } from '../platform/maybe-promise.ts';
export type { Random } from '../platform/random.ts';
