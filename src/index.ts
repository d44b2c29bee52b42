export { type Api, type ApiOptions, createApi } from './api.ts';
export { serveHttp } from './http/node-http.ts';
export { loadModel } from './model/load.ts';
export { ModelError } from './model/fault.ts';
export { systemClock } from './platform/clock.ts';
export { createIds } from './platform/ids.ts';
export { createRandom } from './platform/random.ts';
export { digest } from './platform/digest.ts';
export { openSqlite } from './stores/sqlite/sqlite-store.ts';
