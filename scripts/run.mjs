// Runs a program of this checkout on the Node of the lockfile, whatever Node started it.
// JavaScript that Node 18 and later can run: `node scripts/run.mjs PROGRAM [arguments]`.
import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bundledNode, isRecent, passThrough, tooOld } from '../bin/bundled-node.js';
import { install } from './install.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [program, ...args] = process.argv.slice(2);
process.exit(program === undefined ? wrongUsage() : (await install(root)) || (await start(program)));

function wrongUsage() {
  process.stderr.write('usage: node scripts/run.mjs PROGRAM [arguments]\n');
  return 2;
}

/** The program's exit code. */
async function start(file) {
  const node = bundledNode(root) ?? (isRecent(process.versions.node) ? process.execPath : undefined);
  if (node === undefined) {
    process.stderr.write(`${tooOld(process.argv.slice(1))}\n`);
    return 2;
  }
  const child = spawn(node, [path.resolve(root, file), ...args], { stdio: 'inherit' });
  if (process.env['npm_lifecycle_event'] !== undefined) endWithParent(child);
  return passThrough(child);
}

/** npm runs a script in a shell, and a signal to npm ends only that shell: its child would keep running. */
function endWithParent(child) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    child.kill('SIGTERM');
  }, 500);
  timer.unref();
}
