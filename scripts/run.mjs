// Runs a TypeScript program of this checkout on the Node that the lockfile brings, whatever Node started it.
// Plain JavaScript, because the machine may have an older Node: `node scripts/run.mjs PROGRAM [arguments]`.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bundledNode, passThrough } from '../bin/bundled-node.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [program, ...args] = process.argv.slice(2);
if (program === undefined) {
  process.stderr.write('usage: node scripts/run.mjs PROGRAM [arguments]\n');
  process.exit(2);
}

install();
passThrough(spawn(bundledNode(root) ?? process.execPath, [path.resolve(root, program), ...args], { stdio: 'inherit' }));

/** Installs the dependencies when `node_modules` is missing or belongs to another lockfile. */
function install() {
  const stamp = path.join(root, 'node_modules', '.restwright-install');
  const wanted = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  process.stderr.write('installing dependencies (once, about 15 s) ...\n');
  // No dependency needs an install script, so none is run. Output goes to standard error: standard output is the program's.
  const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) {
    process.stderr.write(
      'npm ci failed: see its message above; the package registry must be reachable for the first start\n',
    );
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}
