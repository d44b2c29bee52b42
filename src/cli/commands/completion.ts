import { type ExitCode, usageError } from '../command-error.ts';
import type { CommandSpec } from '../command-spec.ts';
import { bashCompletion } from '../completion/bash.ts';
import { fishCompletion } from '../completion/fish.ts';
import { zshCompletion } from '../completion/zsh.ts';
import type { Terminal } from '../terminal/terminal.ts';

const SHELLS: Readonly<Record<string, (commands: readonly CommandSpec[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/**
 * Prints what a shell needs to complete commands, options and values. @throws {CommandError} exit 2 for another shell
 */
function completion(shell: string, commands: readonly CommandSpec[], { stdout }: Terminal): ExitCode {
  const script = SHELLS[shell];
  if (script === undefined)
    throw usageError(`'${shell}' is not a supported shell; use ${Object.keys(SHELLS).join(', ')}.`);
  stdout.write(script(commands));
  return 0;
}

/** @param commands all of them, this one included */
export function completionSpec(commands: () => readonly CommandSpec[]): CommandSpec {
  return {
    name: 'completion',
    group: 'Shell:',
    summary: 'print the completion script of a shell',
    description: 'Prints a script that makes a shell complete commands, options and values.',
    arguments: [{ name: 'shell', completes: Object.keys(SHELLS), description: 'bash, zsh or fish' }],
    options: [],
    notes: `Examples:
  restwright completion fish | source      # in ~/.config/fish/config.fish
  source <(restwright completion bash)     # in ~/.bashrc
  source <(restwright completion zsh)      # in ~/.zshrc, after compinit
`,
    run: ([shell = ''], _flags, terminal) => completion(shell, commands(), terminal),
  };
}
