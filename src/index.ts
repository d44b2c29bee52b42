// The front door: everything that a program which serves or embeds an API imports or names.
export {
  type Api,
  type ApiOptions,
  createApi,
  type RowImportError,
  type RowImportOutcome,
} from './api.ts';
export type { CsvFormat, ExportOptions, ImportOptions, RowTransfer } from './row-transfer.ts';
export { openVerifier, type VerifierOptions } from './auth/open-verifier.ts';
export type { TokenVerdict, TokenVerifier, VerifiedToken } from './auth/token-verifier.ts';
export {
  ApiError,
  type ApiErrorOptions,
  type ErrorBody,
  type ErrorCode,
  type ErrorDetail,
} from './conventions/errors.ts';
export type { EventEnvelope, EventPayload } from './conventions/events/event.ts';
export type { Json, JsonObject } from './conventions/json/json.ts';
export type { CsvReader, CsvWriter } from './formats/csv.ts';
export { createListener, type Listener } from './http/listener.ts';
export type { MountedApi, MountOptions } from './http/mounted-api.ts';
export { type HttpServer, serveHttp, type ServeHttpOptions } from './http/serve-http.ts';
export { ModelError, type ModelProblem } from './model/document/model-error.ts';
export { type LoadedModel, loadModel, type ModelSource } from './model/compile/load-model.ts';
export type { ContractVersion, Limits, Model, Resource } from './model/model.ts';
export type { PolicyCaller } from './model/policy.ts';
export {
  type AccessData,
  type ComputedDefinition,
  type DefinedModel,
  type DefinedResource,
  defineModel,
  type ModelBuilder,
  type ModelData,
  type ModelDefinition,
  type PolicyTree,
  resource,
  type ResourceCode,
  type ResourceData,
  type ResourceDefinition,
  type ResourceShape,
  type SystemFields,
  withServices,
} from './model/typescript/define-model.ts';
export {
  type HookQuery,
  type HookReason,
  type HookRow,
  type HookRows,
  type HookServices,
  type HookWrites,
  refuse,
  type WriteContext,
  type WriteInfo,
} from './model/hooks.ts';
export type {
  DeepReadonly,
  SchemaLike,
  SchemaObject,
  StandardSchema,
  ValuesOf,
} from './model/typescript/schema-types.ts';
export type { MetricFamily, MetricSeries } from './observe/metrics/metric-family.ts';
export { createMetrics, type Metrics, type MetricSource } from './observe/metrics/metrics.ts';
export { logEntry, type LogEntry, type LogLevel } from './observe/log-entry.ts';
export type { Observation, Observe } from './observe/observation.ts';
export { openApi, type OpenApiOptions, type OpenedApi } from './open-api.ts';
export type {
  ApiResponse,
  BodyStream,
  BufferedResponse,
  Handler,
  RawRequest,
  RequestBody,
  StreamedResponse,
} from './exchange/handler.ts';
export type { ExportedRows } from './operations/read/export.ts';
export type { Bookmark } from './plan/bookmark.ts';
export type { Clock } from './platform/clock.ts';
export type { MaybePromise } from './platform/maybe-promise.ts';
export type { Ids } from './platform/ids.ts';
export type { Random } from './platform/random.ts';
export type { DriverName } from './stores/sqlite/driver/driver.ts';
export { openSqlite, type SqliteOptions } from './stores/sqlite/sqlite-store.ts';
export type { Store } from './stores/store.ts';
