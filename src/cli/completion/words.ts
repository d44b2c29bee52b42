import type { CommandSpec } from '../command-spec.ts';

/** The names that the command is typed by: installed, and in a checkout as `bin/restwright.js`. */
export const COMMAND_NAMES = ['restwright', 'restwright.js'] as const;

/** The options of the program itself. */
export const GLOBAL_OPTIONS: readonly string[] = ['-h', '--help', '-v', '--version'];

/** The options of a command as they are typed. */
export function optionWords({ options }: CommandSpec): readonly string[] {
  return [...options.map(({ name }) => `--${name}`), '--help'];
}

/** A text in single quotes of zsh. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
