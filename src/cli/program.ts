import { Argument, Command, CommanderError, Option } from 'commander';
import { programVersion } from '../platform/process/program-version.ts';
import { CommandError, type ExitCode, notSupportedYet } from './command-error.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from './command-spec.ts';
import { COMMANDS } from './command-table.ts';
import { HOW_TO_RUN } from './publication.ts';
import { styled, supportsColour, type Terminal } from './terminal/terminal.ts';

/** Commands of the specification that are not implemented yet: recognized, hidden from the help, refused. */
const FUTURE_COMMANDS = ['conform'];

/**
 * Runs one command line.
 *
 * @param args the arguments after the program's name
 * @returns the exit code: 0 success, 1 failure, 2 incorrect usage, 130 or 143 stopped by a signal
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const program = describeProgram(terminal, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(withoutHelpCommand(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof CommandError)) throw error;
    const label = styled('red', 'error:', supportsColour(terminal.stderr, terminal.env));
    terminal.stderr.write(`${label} ${error.message}\n`);
    return error.exitCode;
  }
}

type SetExitCode = (exitCode: ExitCode) => void;

function describeProgram(terminal: Terminal, setExitCode: SetExitCode): Command {
  const program = new Command('restwright')
    .description('Declare resources, run one command, and get an HTTP JSON API that follows every convention.')
    .version(programVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .addHelpCommand(new Command('help [command]').description('print help for a command').helpGroup('Shell:'))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .addHelpText('after', PROGRAM_NOTES);
  for (const spec of COMMANDS) addCommand(program, spec, { terminal, setExitCode });
  for (const name of FUTURE_COMMANDS) addFutureCommand(program, name);
  return program;
}

/**
 * `help serve` is `serve --help`, so that an unknown command is reported in both: Commander would print the help of the
 * program.
 */
function withoutHelpCommand(args: readonly string[]): readonly string[] {
  const [first = '', second, ...others] = args;
  const isNamed = (name: string): boolean =>
    COMMANDS.some((spec) => spec.name === name) || FUTURE_COMMANDS.includes(name);
  if (first !== 'help') return first.startsWith('-') || isNamed(first) ? args : args.slice(0, 1);
  if (second === undefined || second === 'help') return ['--help'];
  return isNamed(second) ? [second, '--help', ...others] : [second];
}

interface Invocation {
  readonly terminal: Terminal;
  readonly setExitCode: SetExitCode;
}

function addCommand(program: Command, spec: CommandSpec, { terminal, setExitCode }: Invocation): void {
  const command = program
    .command(spec.name)
    .helpGroup(spec.group)
    .summary(spec.summary)
    .description(spec.description)
    .addHelpText('after', `\n${spec.notes}`)
    .configureOutput({ outputError: (text, write) => write(withLongerOption(text, spec)) })
    .showHelpAfterError(`Run \`restwright ${spec.name} --help\` for its arguments and options.`);
  for (const each of spec.arguments) command.addArgument(createArgument(each));
  for (const each of spec.options) command.addOption(createOption(each));
  command.action(async () => {
    const given: readonly string[] = command.processedArgs;
    setExitCode(await spec.run(given, command.opts(), terminal));
  });
}

/**
 * Names the option that an unknown one is the beginning of. Commander names only those that differ by a few letters.
 */
function withLongerOption(message: string, { options }: CommandSpec): string {
  const [, unknown] = /^error: unknown option '--(\w[\w-]*)'\n$/.exec(message) ?? [];
  const longer = unknown === undefined ? undefined : options.find(({ name }) => name.startsWith(unknown));
  return longer === undefined ? message : `${message}(Did you mean --${longer.name}?)\n`;
}

function createArgument({ name, description, fallback }: ArgumentSpec): Argument {
  if (fallback === undefined) return new Argument(`<${name}>`, description);
  const argument = new Argument(`[${name}]`, description);
  return fallback === '' ? argument : argument.default(fallback);
}

function createOption({ name, value, description, group, repeats = false }: OptionSpec): Option {
  const option = new Option(value === null ? `--${name}` : `--${name} <${value.name}>`, description);
  if (repeats) option.argParser((text: string, given: readonly string[] | undefined) => [...(given ?? []), text]);
  return group === undefined ? option : option.helpGroup(group);
}

function addFutureCommand(program: Command, name: string): void {
  program
    .command(name, { hidden: true })
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw notSupportedYet(`restwright ${name}`);
    });
}

const PROGRAM_NOTES = `
Examples:
  restwright init
  restwright check shop.yaml
  restwright serve shop.yaml --port 8080
  restwright import shop.yaml products products.ndjson
  restwright export shop.yaml products products.csv

Exit codes: 0 success, 1 failure, 2 incorrect usage.
${HOW_TO_RUN}
`;
