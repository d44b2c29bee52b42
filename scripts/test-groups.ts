import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './command.ts';

/** Test files that run in one process: loading the modules of `src/` takes as long as the tests of most files. */
const GROUP_SIZE = 45;

/** The folder of the files that import those of a group; it has a folder for each way to run them. */
const FOLDER = path.join(root, '.cache', 'test-groups');

/** Files of no folder, which read the whole checkout or build it, and those of the rules of the code. */
const LONE = /^test\/(?:[\w-]+\.test\.ts|architecture\/)/;

/**
 * Code that affects other tests of the process, or measures it: mocks, hooks of each test, environment, threads,
 * memory, a controlled server of PostgreSQL. Processes that a test starts affect no other.
 */
const EXCLUSIVE =
  /\bmock\b|OwnPostgres\(|^(?:beforeEach|afterEach)\(|node:(?:worker_threads|module|v8|perf_hooks|diagnostics_channel)|\bgc\(|globalThis|setGlobal|\bprocess\.(?:env|on|once|off|umask|argv|stdout|stderr|exitCode|getActiveResourcesInfo|memoryUsage(?!\(\)\.arrayBuffers))\b/m;

/** Files that mostly wait or compute for seconds: they run next to others. */
const LONG =
  /\/(?:arena-.*|.*-walks|.*in-time|slow-.*|hostile-.*|large-.*|open-api-document|.*-laws|responses|sqlite-.*)\.test\.ts$/;

/** Files that run for minutes, each of which uses a core: the HTTP suite in another way, and campaigns. */
const SUITE =
  /\/(?:transports|responses|older-contract|authenticated|postgres|own-description|collection-walks|row-policy-sequences)\.slow\.test\.ts$/;

/** Daily files all of whose cases are among those of the slow file next to them. */
const REPEATED = /\/(?:collection-walks|description-laws|postgres-store|row-policy-sequences)\.test\.ts$/;

/** Leaves out daily files whose cases a slow file of the same run has. */
export function withoutRepeated(files: readonly string[]): readonly string[] {
  const all = new Set(files);
  return files.filter((file) => !REPEATED.test(file) || !all.has(file.replace(/\.test\.ts$/, '.slow.test.ts')));
}

/**
 * The files of a run: tests that can share a process are grouped, a few in each. A group is a file that imports its
 * members; all names and locations of tests stay those of the members.
 *
 * @param files absolute paths
 * @param way to run them: its groups are kept apart from those of runs at the same time
 * @returns absolute paths, each of which gets a process
 */
export function groupedFiles(files: readonly string[], way: string): readonly string[] {
  const folder = path.join(FOLDER, way);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [shared, alone] = [files.filter(isShareable), files.filter((file) => !isShareable(file))];
  const groups = Array.from({ length: Math.ceil(shared.length / GROUP_SIZE) }, (_, index) =>
    writeGroup(folder, shared.slice(index * GROUP_SIZE, (index + 1) * GROUP_SIZE)),
  );
  // Groups run longer than most of the others, which then fill the cores at the end.
  return [...alone.filter(isSuite), ...groups, ...alone.filter((file) => !isSuite(file))];
}

/**
 * The files of a run in another order: those that run for minutes begin first, so that none of them runs alone at the
 * end.
 */
export function longestFirst(files: readonly string[]): readonly string[] {
  return [...files.filter(isSuite), ...files.filter((file) => !isSuite(file))];
}

function isSuite(file: string): boolean {
  return SUITE.test(path.relative(root, file));
}

function isShareable(file: string): boolean {
  const name = path.relative(root, file);
  if (LONE.test(name) || LONG.test(name) || name.endsWith('.slow.test.ts')) return false;
  const text = readFileSync(file, 'utf8');
  // The runner finds files without tests among those that run alone.
  return /^\s*it\(/m.test(text) && !EXCLUSIVE.test(text);
}

/** @returns the file that imports the members, which is named by the first of them */
function writeGroup(folder: string, members: readonly string[]): string {
  const [first = ''] = members;
  const name = path
    .relative(path.join(root, 'test'), first)
    .replaceAll('/', '-')
    .replace(/\.test\.ts$/, '');
  const file = path.join(folder, `${name}-and-${members.length - 1}-more.test.ts`);
  const imports = members.map((member) => `import ${JSON.stringify(path.relative(folder, member))};\n`);
  writeFileSync(file, imports.join(''));
  return file;
}
