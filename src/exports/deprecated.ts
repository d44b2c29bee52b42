/**
 * Names that the main entry of the package had before: each is an alias, which moved to a subpath or has another name. They are removed with the
 * next major version.
 */
export {
  /** @deprecated Import it from `restwright/model`. */
  type JsonObject,
  /** @deprecated Import it from `restwright/model`. */
  type ModelProblem,
  /** @deprecated Import it from `restwright/model`. */
  type ModelSource,
  /** @deprecated Import it from `restwright/model`. */
  type ContractVersion,
  /** @deprecated Import it from `restwright/model`. */
  type Limits,
  /** @deprecated Import it from `restwright/model`. */
  type Resource,
  /** @deprecated Import it from `restwright/model`. */
  type PolicyCaller,
  /** @deprecated Import it from `restwright/model`. */
  type AccessData,
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
  type PolicyTree,
  /** @deprecated Import it from `restwright/model`. */
  type ResourceCode,
  /** @deprecated Import it from `restwright/model`. */
  type ResourceData,
  /** @deprecated Import it from `restwright/model`. */
  type ResourceDefinition,
  /** @deprecated Import it from `restwright/model`. */
  type ResourceShape,
  /** @deprecated Import it from `restwright/model`. */
  type SystemFields,
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
} from './model.ts';
export {
  /** @deprecated Import it from `restwright/stores`. */
  type RowImportError,
  /** @deprecated Import it from `restwright/stores`. */
  type RowImportOutcome,
  /** @deprecated Import it from `restwright/stores`. */
  type CsvFormat,
  /** @deprecated Import it from `restwright/stores`. */
  type ExportOptions,
  /** @deprecated Import it from `restwright/stores`. */
  type ImportOptions,
  /** @deprecated Import it from `restwright/stores`. */
  type RowTransfer,
  /** @deprecated Import it from `restwright/stores`. */
  type CsvReader,
  /** @deprecated Import it from `restwright/stores`. */
  type CsvWriter,
  /** @deprecated Import it from `restwright/stores`. */
  type ExportedRows,
  /** @deprecated Import it from `restwright/stores`. */
  type Bookmark,
  /** @deprecated Import it from `restwright/stores`. */
  type DriverName,
  /** @deprecated Import it from `restwright/stores`. */
  type SqliteOptions,
  /** @deprecated Import it from `restwright/stores`. */
  type Store,
} from './stores.ts';
export {
  /** @deprecated Import it from `restwright/api`. */
  type ApiOptions,
  /** @deprecated Import it from `restwright/api`. */
  createApi,
  /** @deprecated Import it from `restwright/api`. */
  openVerifier,
  /** @deprecated Import it from `restwright/api`. */
  type VerifierOptions,
  /** @deprecated Import it from `restwright/api`. */
  type TokenVerdict,
  /** @deprecated Import it from `restwright/api`. */
  type TokenVerifier,
  /** @deprecated Import it from `restwright/api`. */
  type VerifiedToken,
  /** @deprecated Import it from `restwright/api`. */
  type ApiErrorOptions,
  /** @deprecated Import it from `restwright/api`. */
  type ErrorBody,
  /** @deprecated Import it from `restwright/api`. */
  type ErrorDetail,
  /** @deprecated Import it from `restwright/api`. */
  type EventEnvelope,
  /** @deprecated Import it from `restwright/api`. */
  type EventPayload,
  /** @deprecated Import it from `restwright/api`. */
  type MountedApi,
  /** @deprecated Import it from `restwright/api`. */
  type MetricFamily,
  /** @deprecated Import it from `restwright/api`. */
  type MetricSeries,
  /** @deprecated Import it from `restwright/api`. */
  type MetricSource,
  /** @deprecated Import it from `restwright/api`. */
  logEntry,
  /** @deprecated Import it from `restwright/api`. */
  type LogEntry,
  /** @deprecated Import it from `restwright/api`. */
  type LogLevel,
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
  /** @deprecated Import it from `restwright/api`. */
  type Clock,
  /** @deprecated Import it from `restwright/api`. */
  type MaybePromise,
  /** @deprecated Import it from `restwright/api`. */
  type Ids,
  /** @deprecated Import it from `restwright/api`. */
  type Random,
} from './api.ts';
export {
  /** @deprecated Use `startApi`. */
  startApi as openApi,
  /** @deprecated Use `StartApiOptions`. */
  type StartApiOptions as OpenApiOptions,
  /** @deprecated Use `StartedApi`. */
  type StartedApi as OpenedApi,
} from '../start-api.ts';
