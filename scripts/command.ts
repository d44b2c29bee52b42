import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';

/** The checkout's folder. */
export const root: string = path.dirname(import.meta.dirname);

/** The file of the command: of the package that `scripts/test.ts` has built for this run, or of the checkout. */
export const program: string = path.resolve(root, process.env['RESTWRIGHT_BUILT_PROGRAM'] ?? 'bin/restwright.js');

/** The folder of the console that the command serves. */
export const programConsole: string = path.join(path.dirname(program), '..', 'console', 'dist');

/**
 * Runs a program with shared standard streams.
 *
 * @param folder its working directory, the checkout by default
 * @returns whether it exited with 0
 * @throws {Error} where it cannot be started
 */
export function run(file: string, args: readonly string[], folder: string = root): boolean {
  const { status, error } = spawnSync(file, args, { cwd: folder, stdio: 'inherit' });
  if (error !== undefined) throw error;
  return status === 0;
}

/** Runs a command line tool of `node_modules` on this Node, which comes first in `PATH` for its children, too. */
export function tool(name: string, args: readonly string[]): boolean {
  process.env['PATH'] = `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH'] ?? ''}`;
  return run(path.join(root, 'node_modules', '.bin', name), args);
}

/** Builds the console into a folder. @throws {Error} where that fails */
export function buildConsole(folder: string): void {
  const args = ['run', 'build', '--', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'];
  if (!run('npm', args, path.join(root, 'console'))) throw new Error(`The console cannot be built into ${folder}.`);
}
