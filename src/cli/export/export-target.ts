import { lstatSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { usageError } from '../command-error.ts';
import { type ProtectedFiles, protectedFileAt, findProtectedFile } from '../protected-files.ts';
import { partialFile } from './export-file.ts';

/**
 * Checks that an export may write to a path: a new file or, with `force`, an existing regular file. The file that has
 * the rows until the export is complete is checked in the same way.
 *
 * @throws {CommandError} exit 2 for an existing file without `force`, for anything but a regular file, and for a
 *   protected file by any of its names
 * @throws the error of the file system where it cannot follow the path
 */
export function requireExportFile(file: string, used: ProtectedFiles, force: boolean): void {
  for (const written of [file, partialFile(file)]) {
    const problem = findTargetProblem(written, used, force);
    if (problem !== null) throw usageError(`cannot export to ${written}: ${problem}`);
  }
}

/**
 * Checks that standard output is not redirected to a protected file.
 *
 * @throws {CommandError} exit 2
 */
export function requireExportStream(stream: Writable, used: ProtectedFiles): void {
  if (!('fd' in stream) || typeof stream.fd !== 'number') return;
  const name = findProtectedFile(stream.fd, used);
  if (name !== null) throw usageError(`cannot export to standard output: it is ${name}; redirect it to another file.`);
}

/** Finds the reason for which a file must not be written; null if it may be. */
function findTargetProblem(file: string, used: ProtectedFiles, force: boolean): string | null {
  const name = protectedFileAt(file, used);
  if (name !== null) return `it is ${name}; name another file.`;
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    return 'it is not a regular file; use - for standard output.';
  return force ? null : 'it already exists; name another file, or replace it with --force.';
}
