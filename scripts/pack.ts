// `npm run pack`: creates the tarball to publish in a temporary folder and prints its path.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from './command.ts';

/** The used members of package.json. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly [member: string]: unknown;
}

/** Members of package.json for the checkout only: the published package must not install a program called `node`, for example. */
const ours: ReadonlySet<string> = new Set([
  'scripts',
  'devDependencies',
  'optionalDependencies',
  'private',
  'workspaces',
]);

execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: ['ignore', 2, 2] });
const manifest: Manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const folder = mkdtempSync(path.join(tmpdir(), `${manifest.name}-pack-`));
fill(folder, manifest);
const tarball = pack(folder, manifest);
await check(tarball);
process.stdout.write(`${tarball}\n`);

function fill(to: string, from: Manifest): void {
  const published = Object.fromEntries(Object.entries(from).filter(([member]) => !ours.has(member)));
  writeFileSync(path.join(to, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  const missing = [...from.files, 'README.md', 'LICENSE'].filter((each) => !existsSync(path.join(root, each)));
  if (missing.length > 0) throw new Error(`to be published, but missing: ${missing.join(', ')}`);
  for (const each of [...from.files, 'README.md', 'LICENSE'])
    cpSync(path.join(root, each), path.join(to, each), { recursive: true });
}

/** Creates the tarball in the folder. @returns its path */
function pack(from: string, { name, version }: Manifest): string {
  execFileSync('npm', ['pack', '--ignore-scripts', '--loglevel=error'], { cwd: from, stdio: ['ignore', 2, 2] });
  return path.join(from, `${name}-${version}.tgz`);
}

/** @throws {Error} with every warning of publint */
async function check(file: string): Promise<void> {
  const bytes = new Uint8Array(readFileSync(file)).buffer;
  const { messages, pkg } = await publint({ pack: { tarball: bytes }, level: 'warning' });
  const warnings = messages.map((message) => formatMessage(message, pkg, { color: false }));
  if (warnings.length > 0) throw new Error(`publint: ${warnings.join('\n')}`);
}
