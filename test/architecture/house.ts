/** A room of src/: a folder, or one of the two files beside the folders. */
export interface Room {
  readonly name: string;
  readonly floor: number;
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
export const rooms: readonly Room[] = [
  { name: 'platform', floor: 1 },
  {
    name: 'conventions',
    floor: 1,
    noModules: ['node:*'],
    pure: true,
    closed: { platform: 'the clock, ids, digests and seals are handed in as functions' },
  },
  { name: 'observe', floor: 1 },
  {
    name: 'conformance',
    floor: 1,
    closed: {
      platform: 'a judge that shares code with the server shares its faults',
      conventions: 'a judge that shares code with the server shares its faults',
      observe: 'a judge that shares code with the server shares its faults',
    },
  },
  { name: 'model', floor: 2, noModules: http },
  { name: 'formats', floor: 2, noModules: http },
  { name: 'auth', floor: 2, noModules: http },
  { name: 'limits', floor: 2, noModules: http },
  { name: 'versions', floor: 3, noModules: http },
  { name: 'plan', floor: 3, noModules: http },
  { name: 'describe', floor: 3, noModules: http },
  { name: 'client', floor: 3, noModules: ['node:*'] },
  { name: 'stores', floor: 4, noModules: ['node:http', 'node:https', 'node:http2'] },
  {
    name: 'pipeline',
    floor: 5,
    noModules: http,
    open: { stores: ['src/stores/store.ts'] },
  },
  { name: 'events', floor: 5, open: { stores: ['src/stores/store.ts'] } },
  { name: 'testing', floor: 5, open: { stores: ['src/stores/store.ts'] } },
  { name: 'http', floor: 6, open: { model: ['src/model/model.ts'], stores: [] } },
  { name: 'api.ts', floor: 6 },
  { name: 'open-api.ts', floor: 6 },
  { name: 'cli', floor: 7 },
  { name: 'index.ts', floor: 7 },
];

/** The rooms that may ask for the time and for chance; everyone else is handed them. */
export const clockRooms: readonly string[] = ['platform', 'cli'];

/** The rooms that may read arguments and environment. */
export const frontRooms: readonly string[] = ['cli', 'index.ts'];

/** Names that say nothing about what a file or folder holds. */
export const emptyNames: readonly string[] = ['util', 'utils', 'helper', 'helpers', 'lib', 'common', 'misc', 'shared'];

/** What stands directly under docs/. */
export const docs: readonly string[] = [
  'README.md',
  'architecture.md',
  'decisions',
  'errors.md',
  'guides',
  'lifecycle.md',
  'specification',
];

export const MAX_FILE_LINES = 300;
export const MAX_FUNCTION_LINES = 40;

/** The room that a path under src/ lies in; undefined for a folder or file that is none. */
export function roomOf(path: string): Room | undefined {
  const [first, name] = path.split('/');
  return first === 'src' ? rooms.find((room) => room.name === name) : undefined;
}
