// `npm run pack`: creates the tarball to publish in a temporary folder and prints its path.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { root } from './command.ts';
import { withPackedLinks } from './packed-links.ts';
import { tarballProblems } from './tarball-problems.ts';

/** The used members of package.json. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly homepage: string;
  readonly [member: string]: unknown;
}

/** The folders of the package that are built into it, not copied from the checkout. */
const BUILT: ReadonlySet<string> = new Set(['dist', 'console/dist']);

/**
 * Members of package.json for the checkout only: the published package must not install a program called `node`, for
 * example.
 */
const ours: ReadonlySet<string> = new Set([
  'scripts',
  'devDependencies',
  'optionalDependencies',
  'private',
  'workspaces',
]);

const manifest: Manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const folder = mkdtempSync(path.join(tmpdir(), `${manifest.name}-pack-`));
// Not in the checkout: tests pack at the same time, and each build replaces the one before.
build('scripts/build.ts', path.join(folder, 'dist'));
if (existsSync(path.join(root, 'console'))) build('scripts/console.ts', path.join(folder, 'console', 'dist'));
fill(folder, manifest);
linkToRepository(folder, manifest);
const tarball = pack(folder, manifest);
const problems = await tarballProblems(new Uint8Array(readFileSync(tarball)));
if (problems.length > 0) throw new Error(problems.join('\n'));
process.stdout.write(`${tarball}\n`);

/** Runs a program of the checkout that builds into a folder. Its output goes to standard error. */
function build(program: string, to: string): void {
  execFileSync(process.execPath, [program, to], { cwd: root, stdio: ['ignore', 2, 2] });
}

function fill(to: string, from: Manifest): void {
  const published = Object.fromEntries(Object.entries(from).filter(([member]) => !ours.has(member)));
  writeFileSync(path.join(to, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  const copied = [...from.files.filter((each) => !BUILT.has(each)), 'README.md', 'LICENSE'];
  const missing = copied.filter((each) => !existsSync(path.join(root, each)));
  if (missing.length > 0) throw new Error(`to be published, but missing: ${missing.join(', ')}`);
  for (const each of copied) cpSync(path.join(root, each), path.join(to, each), { recursive: true });
}

/** Creates the tarball in the folder. @returns its path */
function pack(from: string, { name, version }: Manifest): string {
  execFileSync('npm', ['pack', '--ignore-scripts', '--loglevel=error'], { cwd: from, stdio: ['ignore', 2, 2] });
  return path.join(from, `${name}-${version}.tgz`);
}

/** Links of the pages to files that the package does not contain lead to the repository. */
function linkToRepository(to: string, { homepage }: Manifest): void {
  const files = {
    repository: homepage.replace(/#.*$/, ''),
    isPacked: (file: string) => existsSync(path.join(to, file)),
    isFolder: (file: string) => statSync(path.join(root, file)).isDirectory(),
  };
  for (const page of globSync('**/*.md', { cwd: to })) {
    const file = path.join(to, page);
    writeFileSync(file, withPackedLinks(readFileSync(file, 'utf8'), page, files));
  }
}
