/** A room of src/: a folder, or one of the two files beside the folders. */
export interface Folder {
  readonly name: string;
  readonly layer: number;
  /** What the room must never know: `node:` modules (a trailing `*` stands for any), and files of lower rooms. */
  readonly noModules?: readonly string[];
  /** Lower rooms that stay closed to it, and why. */
  readonly closed?: Readonly<Record<string, string>>;
  /** In a lower room only these files are open. */
  readonly open?: Readonly<Record<string, readonly string[]>>;
  /** Whether it works in a browser too: neither Node nor any input or output of its own. */
  readonly pure?: boolean;
}

const http = ['node:http', 'node:https', 'node:http2', 'node:net', 'node:tls'];

/**
 * The rooms from the ground up. A room imports from floors below its own, and on its own floor from the rooms above it in this list.
 * docs/architecture.md tells the reasons.
 */
export const folders: readonly Folder[] = [
  { name: 'platform', layer: 1 },
  { name: 'cache', layer: 1 },
  {
    name: 'conventions',
    layer: 1,
    noModules: ['node:*'],
    pure: true,
    closed: { platform: 'the clock, ids, digests and seals are handed in as functions' },
    open: { cache: ['src/cache/memoize.ts'] },
  },
  { name: 'observe', layer: 1 },
  {
    name: 'conformance',
    layer: 1,
    closed: {
      platform: 'a judge that shares code with the server shares its faults',
      conventions: 'a judge that shares code with the server shares its faults',
      observe: 'a judge that shares code with the server shares its faults',
    },
  },
  { name: 'model', layer: 2, noModules: http },
  { name: 'formats', layer: 2, noModules: http },
  { name: 'auth', layer: 2, noModules: http },
  { name: 'limits', layer: 2, noModules: http },
  { name: 'versions', layer: 3, noModules: http },
  { name: 'plan', layer: 3, noModules: http },
  { name: 'describe', layer: 3, noModules: http },
  { name: 'client', layer: 3, noModules: ['node:*'] },
  { name: 'stores', layer: 4, noModules: ['node:http', 'node:https', 'node:http2'] },
  {
    name: 'pipeline',
    layer: 5,
    noModules: http,
    open: { stores: ['src/stores/store.ts'] },
  },
  { name: 'events', layer: 5, open: { stores: ['src/stores/store.ts'] } },
  { name: 'testing', layer: 5, open: { stores: ['src/stores/store.ts'] } },
  { name: 'http', layer: 6, open: { model: ['src/model/model.ts'], stores: [] } },
  { name: 'api.ts', layer: 6 },
  { name: 'open-api.ts', layer: 6 },
  { name: 'cli', layer: 7 },
  { name: 'index.ts', layer: 7 },
];

/** The rooms that may ask for the time and for chance; everyone else is handed them. */
export const clockFolders: readonly string[] = ['platform', 'cli'];

/** The rooms that may read arguments and environment. */
export const environmentFolders: readonly string[] = ['cli', 'index.ts'];

/** Names that say nothing about what a file or folder holds. */
export const vagueNames: readonly string[] = ['util', 'utils', 'helper', 'helpers', 'lib', 'common', 'misc', 'shared'];

/** What stands directly under docs/. */
export const docs: readonly string[] = [
  'README.md',
  'architecture.md',
  'decisions',
  'errors.md',
  'glossary.md',
  'guides',
  'lifecycle.md',
  'specification',
];

export const MAX_FILE_LINES = 300;
export const MAX_FUNCTION_LINES = 40;

/** The room that a path under src/ lies in; undefined for a folder or file that is none. */
export function folderOf(path: string): Folder | undefined {
  const [first, name] = path.split('/');
  return first === 'src' ? folders.find((room) => room.name === name) : undefined;
}
