import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { program } from '../cli/server-process.ts';

/** Runs command lines with `restwright`. Each call of it ends its shell. */
export function inShell(
  folder: string,
  commands: string,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const env = { ...process.env, NODE: process.execPath, RESTWRIGHT: program };
  const script = `restwright() { exec "$NODE" "$RESTWRIGHT" "$@"; }\n${commands}`;
  return promisify(execFile)('sh', ['-ec', script], { cwd: folder, env, timeout: 30_000 });
}

/** Starts the server of a command line that ends in `&` at any port, $ORIGIN, and stops it with the shell. */
export const inBackground = (line: string): string => `${line.replace(/ &$/, ' --port 0 > out &')}
trap "kill $! && wait $! || true" EXIT
until ORIGIN=$(sed -n 's|^listening on \\(.*\\)/api$|\\1|p' out) && [ -n "$ORIGIN" ]; do sleep 0.05; done`;
