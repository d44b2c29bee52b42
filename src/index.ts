/**
 * The front door: everything that a program which serves or embeds an API imports. Types of models, stores and of the
 * parts of an API are in `restwright/model`, `restwright/stores` and `restwright/api`.
 */
export type { Api } from './api.ts';
export { ApiError, type ErrorCode } from './conventions/errors.ts';
export type { Json } from './conventions/json/json.ts';
// Deprecated names stay importable from here until the next major version.
export * from './deprecated-exports.ts';
export { createListener, type Listener } from './http/listener.ts';
export type { MountOptions } from './http/mounted-api.ts';
export { type HttpServer, serveHttp, type ServeHttpOptions } from './http/serve-http.ts';
export { type LoadedModel, loadModel } from './model/compile/load-model.ts';
export { ModelError } from './model/document/model-error.ts';
export { type HookServices, refuse } from './model/hooks.ts';
export type { Model } from './model/model.ts';
export { type DefinedModel, defineModel, resource, withServices } from './model/typescript/define-model.ts';
export { createMetrics, type Metrics } from './observe/metrics/metrics.ts';
export type { Observation, Observe } from './observe/observation.ts';
export { startApi, type StartApiOptions, type StartedApi } from './start-api.ts';
export { openSqlite } from './stores/sqlite/sqlite-store.ts';
