import type { CommandSpec, Completion, OptionSpec } from '../command-spec.ts';
import { COMMAND_NAMES } from './words.ts';

const [NAME, ...OTHER_NAMES] = COMMAND_NAMES;

/** The completion of fish. */
export function fishCompletion(commands: readonly CommandSpec[]): string {
  const names = commands.map((each) => each.name).join(' ');
  return `# fish completion of ${NAME}: ${NAME} completion fish | source
complete -c ${NAME} -f
complete -c ${NAME} -s h -l help -d 'print help'
complete -c ${NAME} -n __fish_use_subcommand -s v -l version -d 'print the version'
complete -c ${NAME} -n __fish_use_subcommand -a help -d 'print help for a command'
complete -c ${NAME} -n '__fish_seen_subcommand_from help' -a ${quoteForFish(names)}
${commands.flatMap(commandLines).join('\n')}
${OTHER_NAMES.map((other) => `complete -c ${other} -w ${NAME}`).join('\n')}
`;
}

function commandLines(command: CommandSpec): readonly string[] {
  const within = `complete -c ${NAME} -n '__fish_seen_subcommand_from ${command.name}'`;
  return [
    `complete -c ${NAME} -n __fish_use_subcommand -a ${command.name} -d ${quoteForFish(command.summary)}`,
    ...command.options.map((option) => `${within} ${optionFlags(option)}`),
    // fish does not count arguments: it offers what any of them may be.
    ...command.arguments.flatMap(({ completes }) =>
      completes === 'none' ? [] : [`${within} ${valueFlags(completes)}`],
    ),
  ];
}

function optionFlags({ name, value, description }: OptionSpec): string {
  const flags = value === null ? '' : ` -r ${value.completes === 'none' ? '-f' : valueFlags(value.completes)}`;
  return `-l ${name}${flags} -d ${quoteForFish(description)}`;
}

function valueFlags(completes: Exclude<Completion, 'none'>): string {
  return completes === 'file' ? '-F' : `-f -a ${quoteForFish(completes.join(' '))}`;
}

/** A text in single quotes of fish. */
function quoteForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
