import type { CommandSpec, Completion } from '../command-spec.ts';
import { COMMAND_NAMES, GLOBAL_OPTIONS, optionWords } from './words.ts';

/** The completion of bash, from version 3.2 on. */
export function bashCompletion(commands: readonly CommandSpec[]): string {
  const [name] = COMMAND_NAMES;
  const valued = [
    ...new Set(
      commands
        .flatMap(({ options }) => options)
        .flatMap(({ name: option, value }) => (value === null ? [] : [`--${option}`])),
    ),
  ];
  return `# bash completion of ${name}: source <(${name} completion bash)
_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command='' position=-1 skip='' words='' files='' index word IFS
${readWords(valued)}  case "$command $previous" in
${commands.flatMap(valueCases).join('\n')}
    *)
      case "$command" in
        '') if [[ $current == -* ]]; then words='${GLOBAL_OPTIONS.join(' ')}'; else words='${[...commands.map((each) => each.name), 'help'].join(' ')}'; fi ;;
        help) words='${commands.map((each) => each.name).join(' ')}' ;;
${commands.map(argumentCase).join('\n')}
      esac
      ;;
  esac
  IFS=$'\\n'
  if [[ -n $files ]]; then
    # Lets readline complete file names, where it runs.
    compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$current"))
    return
  fi
  COMPREPLY=($(compgen -W "\${words// /$'\\n'}" -- "$current"))
}
complete -F _${name} ${COMMAND_NAMES.join(' ')}
`;
}

/**
 * Reads the command, the number of arguments after it, and the option whose value is completed. @param valued options
 * that have a value
 */
function readWords(valued: readonly string[]): string {
  return `  # --name=value arrives as three words.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ $word == = ]]; then
      skip=1
      continue
    elif [[ -n $skip ]]; then
      skip=''
      continue
    fi
    case $word in
      ${valued.join('|')}) skip=1 ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then command=$word; fi
        position=$((position + 1))
        ;;
    esac
  done
`;
}

function valueCases({ name, options }: CommandSpec): readonly string[] {
  return options.flatMap(({ name: option, value }) =>
    value === null ? [] : [`    '${name} --${option}') ${assignment(value.completes)} ;;`],
  );
}

function argumentCase(command: CommandSpec): string {
  const cases = command.arguments.map(({ completes }, index) => `${index}) ${assignment(completes)} ;;`);
  const positions = cases.length === 0 ? ':' : `case $position in ${cases.join(' ')} esac`;
  return `        ${command.name}) if [[ $current == -* ]]; then words='${optionWords(command).join(' ')}'; else ${positions}; fi ;;`;
}

/** The statement that says what is completed. */
function assignment(completes: Completion): string {
  if (completes === 'none') return ':';
  return completes === 'file' ? 'files=1' : `words='${completes.join(' ')}'`;
}
