import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** Where servers are that are no commands of every user's. */
const SERVER_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The file of a program that is installed on this machine; null where it is not. */
export function programFile(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), ...SERVER_FOLDERS];
  return folders.map((folder) => path.join(folder, name)).find(isExecutable) ?? null;
}

/**
 * Why tests that need programs beside Node.js cannot run here, for the option `skip` of a suite; false where they can. Nobody is to take
 * such a run for a whole one: it is told on standard error.
 *
 * @throws {Error} in CI, where all of them must be there
 */
export function skipWithout(...names: readonly string[]): string | false {
  const missing = names.filter((name) => programFile(name) === null);
  if (missing.length === 0) return false;
  const reason = `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed`;
  if (process.env['CI'] !== undefined) throw new Error(`${reason}, and CI leaves no test out`);
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
