/**
 * Names that the main entry of the package had before: each is an alias, which moved to a subpath or has another name.
 * They are removed with the next major version.
 */
export {
  /** @deprecated Import it from `restwright/stores`. */
  type RowImportError,
  /** @deprecated Import it from `restwright/stores`. */
  type RowImportOutcome,
  /** @deprecated Import it from `restwright/api`. */
  type ApiOptions,
  /** @deprecated Import it from `restwright/api`. */
  createApi,
} from './api.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  openVerifier,
  /** @deprecated Import it from `restwright/api`. */
  type VerifierOptions,
} from './auth/open-verifier.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  type TokenVerdict,
  /** @deprecated Import it from `restwright/api`. */
  type TokenVerifier,
  /** @deprecated Import it from `restwright/api`. */
  type VerifiedToken,
} from './auth/token-verifier.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  type ApiErrorOptions,
  /** @deprecated Import it from `restwright/api`. */
  type ErrorBody,
  /** @deprecated Import it from `restwright/api`. */
  type ErrorDetail,
} from './conventions/errors.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  type EventEnvelope,
  /** @deprecated Import it from `restwright/api`. */
  type EventPayload,
} from './conventions/events/event.ts';
export {
  /** @deprecated Import it from `restwright/model`. */
  type JsonObject,
} from './conventions/json/json.ts';
export {
  /** @deprecated Import it from `restwright/stores`. */
  type CsvReader,
  /** @deprecated Import it from `restwright/stores`. */
  type CsvWriter,
} from './formats/csv.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  type MountedApi,
} from './http/mounted-api.ts';
export {
  /** @deprecated Import it from `restwright/model`. */
  type ModelSource,
} from './model/compile/load-model.ts';
export {
  /** @deprecated Import it from `restwright/model`. */
  type ModelProblem,
} from './model/document/model-error.ts';
export {
  /** @deprecated Import it from `restwright/model`. */
  type HookQuery,
  /** @deprecated Import it from `restwright/model`. */
  type HookReason,
  /** @deprecated Import it from `restwright/model`. */
  type HookRow,
  /** @deprecated Import it from `restwright/model`. */
  type HookRows,
  /** @deprecated Import it from `restwright/model`. */
  type HookWrites,
  /** @deprecated Import it from `restwright/model`. */
  type WriteContext,
  /** @deprecated Import it from `restwright/model`. */
  type WriteInfo,
} from './model/hooks.ts';
export {
  /** @deprecated Import it from `restwright/model`. */
  type ContractVersion,
  /** @deprecated Import it from `restwright/model`. */
  type Limits,
  /** @deprecated Import it from `restwright/model`. */
  type Resource,
} from './model/model.ts';
export {
  /** @deprecated Import it from `restwright/model`. */
  type PolicyCaller,
} from './model/policy.ts';
export {
  /** @deprecated Import it from `restwright/model`. */
  type ComputedDefinition,
  /** @deprecated Import it from `restwright/model`. */
  type DefinedResource,
  /** @deprecated Import it from `restwright/model`. */
  type ModelBuilder,
  /** @deprecated Import it from `restwright/model`. */
  type ModelData,
  /** @deprecated Import it from `restwright/model`. */
  type ModelDefinition,
  /** @deprecated Import it from `restwright/model`. */
  type ResourceCode,
  /** @deprecated Import it from `restwright/model`. */
  type ResourceDefinition,
  /** @deprecated Import it from `restwright/model`. */
  type ResourceShape,
  /** @deprecated Import it from `restwright/model`. */
  type SystemFields,
} from './model/typescript/define-model.ts';
export {
  /** @deprecated Import it from `restwright/model`. */
  type AccessData,
  /** @deprecated Import it from `restwright/model`. */
  type PolicyTree,
  /** @deprecated Import it from `restwright/model`. */
  type ResourceData,
} from './model/typescript/resource-data.ts';
export {
  /** @deprecated Import it from `restwright/model`. */
  type DeepReadonly,
  /** @deprecated Import it from `restwright/model`. */
  type SchemaLike,
  /** @deprecated Import it from `restwright/model`. */
  type SchemaObject,
  /** @deprecated Import it from `restwright/model`. */
  type StandardSchema,
  /** @deprecated Import it from `restwright/model`. */
  type ValuesOf,
} from './model/typescript/schema-types.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  logEntry,
  /** @deprecated Import it from `restwright/api`. */
  type LogEntry,
  /** @deprecated Import it from `restwright/api`. */
  type LogLevel,
} from './observe/log-entry.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  type MetricFamily,
  /** @deprecated Import it from `restwright/api`. */
  type MetricSeries,
} from './observe/metrics/metric-family.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  type MetricSource,
} from './observe/metrics/metrics.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  type ApiResponse,
  /** @deprecated Import it from `restwright/api`. */
  type BodyStream,
  /** @deprecated Import it from `restwright/api`. */
  type BufferedResponse,
  /** @deprecated Import it from `restwright/api`. */
  type Handler,
  /** @deprecated Import it from `restwright/api`. */
  type RawRequest,
  /** @deprecated Import it from `restwright/api`. */
  type RequestBody,
  /** @deprecated Import it from `restwright/api`. */
  type StreamedResponse,
} from './exchange/handler.ts';
export {
  /** @deprecated Import it from `restwright/stores`. */
  type ExportedRows,
} from './operations/read/export.ts';
export {
  /** @deprecated Import it from `restwright/stores`. */
  type Bookmark,
} from './plan/bookmark.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  type Clock,
} from './platform/clock.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  type Ids,
} from './platform/ids.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  type MaybePromise,
} from './platform/maybe-promise.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  type Random,
} from './platform/random.ts';
export {
  /** @deprecated Import it from `restwright/stores`. */
  type CsvFormat,
  /** @deprecated Import it from `restwright/stores`. */
  type ExportOptions,
  /** @deprecated Import it from `restwright/stores`. */
  type ImportOptions,
  /** @deprecated Import it from `restwright/stores`. */
  type RowTransfer,
} from './row-transfer.ts';
export {
  /** @deprecated Import it from `restwright/stores`. */
  type DriverName,
} from './stores/sqlite/driver/driver.ts';
export {
  /** @deprecated Import it from `restwright/stores`. */
  type SqliteOptions,
} from './stores/sqlite/sqlite-store.ts';
export {
  /** @deprecated Import it from `restwright/stores`. */
  type Store,
} from './stores/store.ts';
export {
  /** @deprecated Use `startApi`. */
  startApi as openApi,
  /** @deprecated Use `StartApiOptions`. */
  type StartApiOptions as OpenApiOptions,
  /** @deprecated Use `StartedApi`. */
  type StartedApi as OpenedApi,
} from './start-api.ts';
