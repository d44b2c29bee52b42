import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** Folders that are often not in PATH: those of server programs, and those of the programs that `.ci/run` installs. */
const FURTHER_FOLDERS = [
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
  path.join(import.meta.dirname, '..', '.cache', 'python', 'bin'),
  path.join(import.meta.dirname, '..', '.cache', 'runtimes', 'node_modules', '@oven', 'bun-linux-x64', 'bin'),
  path.join(import.meta.dirname, '..', '.cache', 'runtimes', 'node_modules', '@deno', 'linux-x64-glibc'),
  path.join(import.meta.dirname, '..', '.cache', 'generators', 'node_modules', '.bin'),
  path.join(import.meta.dirname, '..', '.cache', 'generators', 'python', 'bin'),
  path.join(import.meta.dirname, '..', '.cache', 'generators', 'go', 'bin'),
  '/usr/local/go/bin',
];

/** The path of an installed program; null where it is not installed. */
export function programFile(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), ...FURTHER_FOLDERS];
  return folders.map((folder) => path.join(folder, name)).find(isExecutable) ?? null;
}

/**
 * The reason why tests that need other programs cannot run here, for the option `skip` of a suite; false if they can.
 * It is also printed on standard error, since the run is incomplete.
 *
 * @throws {Error} in CI, where all of them must be installed
 */
export function skipWithout(...names: readonly string[]): string | false {
  const missing = names.filter((name) => programFile(name) === null);
  if (missing.length === 0) return false;
  return reportSkip(`${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed`);
}

/**
 * The reason why tests that need what `.ci/run` installs in a file cannot run here; false if they can.
 *
 * @param what the subject of the reason: `openapi-generator is`
 * @throws {Error} in CI, where it must be installed
 */
export function skipWithoutFile(file: string, what: string): string | false {
  return existsSync(file) ? false : reportSkip(`${what} not installed`);
}

/** Prints the reason, since the run is incomplete. */
function reportSkip(reason: string): string {
  if (process.env['CI'] !== undefined) throw new Error(`${reason}, and CI must not skip tests`);
  process.stderr.write(`NOT TESTED: ${reason}; see .ci/run\n`);
  return reason;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
