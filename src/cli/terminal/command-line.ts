import path from 'node:path';
import type { EnvironmentVariables } from '../setting-value.ts';

/** A word of a command line, in the quotes of a shell where it needs them. */
export function quoteArgument(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Finds the command by which the reader of a message runs this program again. It is its path, as it was run now, unless
 * a shell finds `restwright` in the PATH. The PATH of npx is not that of the shell.
 *
 * @param program the path of the program that runs, absolute
 */
export function commandName(program: string, env: EnvironmentVariables): string {
  const { dir, base } = path.parse(program);
  if (base !== 'restwright' && base !== 'restwright.js') return 'restwright';
  const folders = env['npm_command'] === 'exec' ? [] : (env['PATH'] ?? '').split(path.delimiter);
  if (base === 'restwright' && folders.some((folder) => folder !== '' && path.resolve(folder) === dir)) return base;
  const relative = path.relative('', program);
  return quoteArgument(relative.startsWith('..') ? program : relative);
}
