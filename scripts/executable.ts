// `npm run build:executable [-- OUTPUT]`: the program, Node.js and its SQLite in one file, for the platform of this
// machine.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { zstdCompressSync } from 'node:zlib';
import { bundleProgram } from './bundle.ts';
import { root } from './command.ts';

/** Its addon is a file that only the dynamic linker can load: the executable uses `node:sqlite`. */
const LEFT_OUT: ReadonlySet<string> = new Set(['better-sqlite3', 'node-addon-api']);
/** Optional peers that a user of an executable cannot install. */
const PEERS = ['pg', '@redis/client', '@modelcontextprotocol/server'];

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

const output = path.resolve(process.argv[2] ?? path.join(root, 'dist', executableName()));
const folder = mkdtempSync(path.join(tmpdir(), 'restwright-executable-'));
try {
  await bundleProgram(path.join(folder, 'dist'));
  const files = { ...listProgram(folder), ...listDependencies() };
  writeFileSync(path.join(folder, 'program'), zstdCompressSync(JSON.stringify(files)));
  mkdirSync(path.dirname(output), { recursive: true });
  buildExecutable(folder, output);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${output}\n`);

function executableName(): string {
  return process.platform === 'win32' ? 'restwright.exe' : 'restwright';
}

/** The files of the package by their path in it. */
function listProgram(built: string): Readonly<Record<string, string>> {
  const program = globSync('dist/*.js', { cwd: built }).map((file) => [file, readText(path.join(built, file))]);
  const others = ['package.json', 'schema/model.schema.json', 'LICENSE'].map((file) => [
    file,
    readText(path.join(root, file)),
  ]);
  return Object.fromEntries([...program, ...others]);
}

/** The modules of all packages that the program needs at run time, with their licences. */
function listDependencies(): Readonly<Record<string, string>> {
  const { dependencies = {} }: Manifest = JSON.parse(readText(path.join(root, 'package.json')));
  const found = new Set<string>();
  const pending = [...Object.keys(dependencies), ...PEERS].map((name) => path.join('node_modules', name));
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (found.has(place) || LEFT_OUT.has(path.basename(place))) continue;
    found.add(place);
    const needed: Manifest = JSON.parse(readText(path.join(root, place, 'package.json')));
    for (const name of Object.keys(needed.dependencies ?? {})) pending.push(resolvePackage(name, place));
  }
  const files = [...found].flatMap((place) =>
    globSync(['**/*.{js,cjs,mjs,json}', 'LICEN[CS]E*'], {
      cwd: path.join(root, place),
      exclude: ['node_modules/**'],
    }).map(
      (file) =>
        [
          path.posix.join(place.replaceAll(path.sep, '/'), file.replaceAll(path.sep, '/')),
          readText(path.join(root, place, file)),
        ] as const,
    ),
  );
  return Object.fromEntries(files);
}

/** The folder of a package as Node.js finds it from another one. */
function resolvePackage(name: string, from: string): string {
  for (let place = from; ; place = path.dirname(place.slice(0, place.lastIndexOf('node_modules')))) {
    const nested = path.join(place, 'node_modules', name);
    if (existsSync(path.join(root, nested, 'package.json'))) return nested;
    if (!place.includes('node_modules')) return path.join('node_modules', name);
  }
}

/** A copy of this Node.js without symbols: a built executable cannot be stripped any more. */
function buildExecutable(from: string, to: string): void {
  const node = path.join(from, 'node');
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  if (process.platform === 'linux' && spawnSync('strip', [node]).status !== 0)
    process.stderr.write('strip (binutils) is missing: the executable keeps the symbols of Node.js, 10 MB\n');
  const config = path.join(from, 'executable.json');
  const settings = {
    main: path.join(root, 'scripts', 'executable', 'start.cjs'),
    executable: node,
    output: to,
    disableExperimentalSEAWarning: true,
    assets: { program: path.join(from, 'program') },
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 2, 2] });
  // A changed file has no valid signature any more, and macOS runs none without.
  if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', to]);
}

function readText(file: string): string {
  return readFileSync(file, 'utf8');
}
