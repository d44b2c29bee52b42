/** A folder directly under src/, a file next to these folders, or `store-suite/`, the published suite for stores. */
export interface Folder {
  readonly name: string;
  readonly layer: number;
  /** `node:` modules that the folder must not import; a trailing `*` matches any. */
  readonly noModules?: readonly string[];
  /** Lower folders that it must not import, and why. */
  readonly closed?: Readonly<Record<string, string>>;
  /** Lower folders of which it may import only these files. */
  readonly open?: Readonly<Record<string, readonly string[]>>;
  /** True if it also runs in a browser: it uses neither Node.js nor any I/O. */
  readonly pure?: boolean;
}

/** The published suite for stores, next to src/. */
export const STORE_SUITE = 'store-suite';

const http = ['node:http', 'node:https', 'node:http2', 'node:net', 'node:tls'];

/**
 * The folders from the lowest layer to the highest. A folder imports from lower layers, and within its layer from
 * folders before it in this list. docs/architecture.md gives the reasons.
 */
export const folders: readonly Folder[] = [
  { name: 'cache', layer: 1 },
  { name: 'platform', layer: 1 },
  {
    name: 'conventions',
    layer: 1,
    noModules: ['node:*'],
    pure: true,
    closed: { platform: 'the clock, ids, digests and seals are injected as functions' },
    open: { cache: ['src/cache/memoize.ts'] },
  },
  { name: 'observe', layer: 1 },
  {
    name: 'conformance',
    layer: 1,
    closed: {
      platform: 'a conformance test that shares code with the server shares its bugs',
      conventions: 'a conformance test that shares code with the server shares its bugs',
      observe: 'a conformance test that shares code with the server shares its bugs',
    },
  },
  { name: 'model', layer: 2, noModules: http },
  { name: 'infer', layer: 2, noModules: http },
  { name: 'introspect', layer: 2, noModules: http },
  { name: 'formats', layer: 2, noModules: http },
  { name: 'auth', layer: 2, noModules: http },
  { name: 'limits', layer: 2, noModules: http },

  { name: 'plan', layer: 3, noModules: http },
  { name: 'versions', layer: 3, noModules: http },
  { name: 'describe', layer: 3, noModules: http },
  { name: 'client', layer: 3, noModules: ['node:*'] },
  { name: 'exchange', layer: 3, noModules: http },
  // Before the stores, so that it cannot import them: agents reach rows by requests alone.
  { name: 'mcp', layer: 4, noModules: http },
  { name: 'stores', layer: 4, noModules: ['node:http', 'node:https', 'node:http2'] },
  { name: 'contract', layer: 5, noModules: http, open: { stores: [] } },
  { name: 'operations', layer: 5, noModules: http, open: { stores: ['src/stores/store.ts'] } },
  { name: 'represent', layer: 5, noModules: http, open: { stores: [] } },
  { name: 'events', layer: 5, open: { stores: ['src/stores/store.ts'] } },
  { name: 'pipeline', layer: 5, noModules: http, open: { stores: ['src/stores/store.ts'] } },
  { name: 'store-suite', layer: 5, open: { stores: ['src/stores/store.ts'] } },
  { name: 'http', layer: 6, open: { model: ['src/model/model.ts'], stores: [] } },
  { name: 'api-options.ts', layer: 6 },
  { name: 'row-transfer.ts', layer: 6 },
  { name: 'api.ts', layer: 6 },
  { name: 'start-api.ts', layer: 6 },
  { name: 'test-api.ts', layer: 6 },
  { name: 'cli', layer: 7 },
  { name: 'exports', layer: 7 },
  { name: 'deprecated-exports.ts', layer: 7 },
  { name: 'index.ts', layer: 7 },
];

/** The folders that may read the clock and random numbers; they are injected everywhere else. */
export const clockFolders: readonly string[] = ['platform', 'cli'];

/** The folders that may read arguments and environment variables. */
export const environmentFolders: readonly string[] = ['cli', 'index.ts'];

/** The folders that read rows for a caller. */
export const rowFolders: readonly string[] = ['operations', 'represent', 'pipeline'];

/**
 * The names that read rows past the caller's visibility, and the files that may use them. The names are the types of
 * the store's rows, and two methods of `VisibleRows`. All other files read through `Caller.rows`.
 */
export const rowAccess: Readonly<Record<string, readonly string[]>> = {
  Store: ['src/pipeline/pipeline.ts'],
  RowReader: [
    'src/operations/visible-rows.ts',
    'src/pipeline/measure/traced-exchange.ts',
    'src/operations/staged/staged-list.ts',
    'src/operations/staged/staged-rows.ts',
  ],
  RowSource: [
    'src/operations/database-role.ts',
    'src/operations/read/token-rows.ts',
    'src/pipeline/authorize.ts',
    'src/pipeline/measure/traced-exchange.ts',
    'src/operations/staged/staged-rows.ts',
  ],
  'store.rows': [],
  'rows.over': ['src/operations/batch/atomic.ts', 'src/operations/write/row-access.ts'],
  'rows.unrestricted': [
    'src/operations/write/delete.ts',
    'src/operations/write/hook-work.ts',
    'src/operations/write/row-access.ts',
    'src/operations/write/write.ts',
  ],
  'VisibleRows.unrestricted': ['src/operations/visible-rows.ts'],
};

/** The folder of caches, which may hold state at the top level of a module. */
export const stateFolder = 'cache';

/** The files with state that exists once per process or thread, whatever APIs run there, and its content. */
export const processState: Readonly<Record<string, string>> = {
  'src/platform/end-of-tick.ts': 'the callbacks of this iteration of the event loop',
  'src/platform/time-slices.ts': 'the work that waits for a later iteration of the event loop',
  'src/platform/process/process-owner.ts': 'the owners of leases that have not ended',
  'src/cli/model-file/module-sources.ts': 'the sources of the modules that Node.js has loaded',
  'src/model/values/validator.ts': 'the compiler of schemas, whose results depend on the schema alone',
  'src/stores/sqlite/commit/checkpoint-thread.ts': 'the connection of the thread that this file is',
  'src/stores/sqlite/read-pool/read-thread-entry.ts': 'the connection of the thread that this file is',
};

/** Classes whose instances never change: a module may have one. */
export const immutableClasses: readonly string[] = ['SystemStatements'];

/** Names that fit any file or folder. */
export const vagueNames: readonly string[] = ['util', 'utils', 'helper', 'helpers', 'lib', 'common', 'misc', 'shared'];

/** The entries of docs/. */
export const docs: readonly string[] = [
  'README.md',
  'architecture.md',
  'decisions',
  'errors.md',
  'glossary.md',
  'guides',
  'lifecycle.md',
  'security.md',
  'specification',
];

export const MAX_FILE_LINES = 300;
export const MAX_FUNCTION_LINES = 40;
export const MAX_PARAMETERS = 4;

/** The folder of a path under src/, or of the suite for stores; undefined for an unknown one. */
export function findFolder(path: string): Folder | undefined {
  const [first, second] = path.split('/');
  const name = first === 'src' ? second : first === STORE_SUITE ? first : null;
  return folders.find((folder) => folder.name === name);
}
