import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './command.ts';

/** Test files that run in one process: loading the modules of `src/` takes as long as the tests of most files. */
const GROUP_SIZE = 5;

/** Where the files are that import those of a group. */
const FOLDER = path.join(root, '.cache', 'test-groups');

/** The folder of most of them, whose tests share nothing but what they import. */
const SHARING = /^test\/pipeline\//;

/** What has effects on other tests of the process, or measures it: mocks, hooks of each test, the environment, threads, memory. */
const EXCLUSIVE =
  /\bmock\b|^(?:beforeEach|afterEach)\(|node:(?:process|worker_threads|child_process|module|v8|perf_hooks|diagnostics_channel)|\bgc\(|globalThis|setGlobal/m;

/** Files that mostly wait or compute for seconds: they run next to others. */
const LONG =
  /\/(?:.*-walks|.*in-time|slow-.*|hostile-.*|large-.*|open-api-document|description-laws|diff-laws|responses)\.test\.ts$/;

/**
 * The files of a run: tests that can share a process are grouped, a few in each. A group is a file that imports its members; all names and locations of tests
 * stay those of the members.
 *
 * @param files absolute paths
 * @returns absolute paths, each of which gets a process
 */
export function groupedFiles(files: readonly string[]): readonly string[] {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const [shared, alone] = [files.filter(isShareable), files.filter((file) => !isShareable(file))];
  const groups = Array.from({ length: Math.ceil(shared.length / GROUP_SIZE) }, (_, index) =>
    writeGroup(shared.slice(index * GROUP_SIZE, (index + 1) * GROUP_SIZE)),
  );
  // The long ones begin first, so that none of them runs alone at the end.
  return [...alone, ...groups];
}

function isShareable(file: string): boolean {
  const name = path.relative(root, file);
  if (!SHARING.test(name) || LONG.test(name) || name.endsWith('.slow.test.ts')) return false;
  const text = readFileSync(file, 'utf8');
  // The runner finds files without tests among those that run alone.
  return /^\s*it\(/m.test(text) && !EXCLUSIVE.test(text);
}

/** @returns the file that imports the members, which is named by the first of them */
function writeGroup(members: readonly string[]): string {
  const [first = ''] = members;
  const name = path
    .relative(path.join(root, 'test'), first)
    .replaceAll('/', '-')
    .replace(/\.test\.ts$/, '');
  const file = path.join(FOLDER, `${name}-and-${members.length - 1}-more.test.ts`);
  const imports = members.map((member) => `import ${JSON.stringify(path.relative(FOLDER, member))};\n`);
  writeFileSync(file, imports.join(''));
  return file;
}
