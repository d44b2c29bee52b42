import type { ArgumentSpec, CommandSpec, Completion, OptionSpec } from '../command-spec.ts';
import { COMMAND_NAMES, quoteForShell } from './words.ts';

/** The completion of zsh, as a file in `fpath` or as a text to source. */
export function zshCompletion(commands: readonly CommandSpec[]): string {
  const [name] = COMMAND_NAMES;
  const names = [
    ...commands.map((each) => [each.name, each.summary] as const),
    ['help', 'print help for a command'] as const,
  ];
  return `#compdef ${COMMAND_NAMES.join(' ')}
# zsh completion of ${name}: source <(${name} completion zsh)
_${name}() {
  local state line
  local -a commands
  commands=(
${names.map(([command, summary]) => `    ${quoteForShell(`${command}:${summary.replaceAll(':', '\\:')}`)}`).join('\n')}
  )
  _arguments -C \\
    '(- *)'{-h,--help}'[print help]' \\
    '(- *)'{-v,--version}'[print the version]' \\
    '1: :->command' \\
    '*:: :->arguments' && return
  case $state in
    command) _describe command commands ;;
    arguments)
      case $words[1] in
        help) _describe command commands ;;
${commands.map(commandCase).join('\n')}
      esac
      ;;
  esac
}
if [[ \${funcstack[1]} == _${name} ]]; then
  _${name} "$@"
else
  compdef _${name} ${COMMAND_NAMES.join(' ')}
fi
`;
}

function commandCase(command: CommandSpec): string {
  const specs = [
    ...command.options.map(optionSpec),
    `'(- *)'{-h,--help}'[print help]'`,
    ...command.arguments.map(argumentSpec),
  ];
  return `        ${command.name})\n          _arguments \\\n            ${specs.join(' \\\n            ')}\n          ;;`;
}

function optionSpec({ name, value, description }: OptionSpec): string {
  const shown = `--${name}[${escaped(description)}]`;
  // = after the name: --name VALUE and --name=VALUE.
  return quoteForShell(value === null ? shown : `${shown.replace('[', '=[')}:${value.name}:${action(value.completes)}`);
}

function argumentSpec({ name, completes, fallback }: ArgumentSpec, index: number): string {
  return quoteForShell(`${index + 1}${fallback === undefined ? ':' : '::'}${name}:${action(completes)}`);
}

function action(completes: Completion): string {
  if (completes === 'none') return ' ';
  return completes === 'file' ? '_files' : `(${completes.join(' ')})`;
}

function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, (special) => `\\${special}`);
}
