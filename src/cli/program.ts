import { Command, CommanderError, Option } from 'commander';
import { programVersion } from '../platform/program-version.ts';
import { CommandError, type ExitCode, notSupportedYet } from './command-error.ts';
import { check, type CheckFlags } from './commands/check.ts';
import { exportCommand, type ExportFlags } from './commands/export.ts';
import { importCommand, type ImportFlags } from './commands/import.ts';
import { schema } from './commands/schema.ts';
import { serve } from './commands/serve.ts';
import type { ServeFlags } from './settings.ts';
import { styled, supportsColour, type Terminal } from './terminal/terminal.ts';

/** Commands and flags of the specification that are not implemented yet: recognized, hidden from the help, refused. */
const FUTURE_COMMANDS = ['init', 'migrate', 'token', 'key', 'openapi', 'asyncapi', 'client', 'diff', 'conform'];
const FUTURE_SERVE_FLAGS = ['--redis <url>', '--metrics-port <port>'];

const MODEL = 'path of a model in YAML, JSON or TypeScript';
const DATABASE =
  'database file as sqlite:PATH; {name} stands for the name of the model (RESTWRIGHT_DATABASE, default: sqlite:./data/{name}.db)';

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
    await program.parseAsync(args, { from: 'user' });
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
    .description('Declare resources, run one command, get an HTTP JSON API that keeps every convention.')
    .version(programVersion(), '--version', 'print the version')
    .helpOption('--help', 'print help for the program or for a command')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .addHelpText('after', PROGRAM_NOTES);
  addServe(program, terminal, setExitCode);
  addCheck(program, terminal, setExitCode);
  addSchema(program, terminal, setExitCode);
  addImport(program, terminal, setExitCode);
  addExport(program, terminal, setExitCode);
  for (const name of FUTURE_COMMANDS) addFutureCommand(program, name);
  return program;
}

function addServe(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  const command = program
    .command('serve')
    .summary('serve the API of a model')
    .description('Serves the API of a model. Prints its URL on standard output; writes its log to standard error.')
    .argument('<model>', MODEL)
    .option('--port <number>', 'port to listen on; 0 for any free port (RESTWRIGHT_PORT, default: 3000)')
    .option('--host <address>', 'address to listen on (RESTWRIGHT_HOST, default: 127.0.0.1)')
    .option('--database <url>', DATABASE)
    .option(
      '--workers <number>',
      'number of processes that share the port and the database (RESTWRIGHT_WORKERS, default: 1)',
    )
    .option('--dev', 'development mode: readable log, and the model is reloaded when its file changes')
    .option('--open', 'accept requests from other machines without authentication')
    .addHelpText('after', SERVE_NOTES)
    .action(async (model: string, flags: ServeFlags) => setExitCode(await serve(model, flags, terminal)));
  for (const flag of FUTURE_SERVE_FLAGS) addFutureFlag(command, flag);
}

function addCheck(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  program
    .command('check')
    .summary('validate a model')
    .description('Validates a model. Prints every error with its location, cause and fix, and warnings.')
    .argument('<model>', MODEL)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExamples:\n  restwright check shop.yaml\n  restwright check shop.yaml --json\n')
    .action(async (model: string, flags: CheckFlags) => setExitCode(await check(model, flags, terminal)));
}

function addSchema(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  program
    .command('schema')
    .summary('print the JSON Schema of model documents')
    .description('Prints the JSON Schema of model documents. Editors use it for completion and validation.')
    .addHelpText('after', '\nExamples:\n  restwright schema > restwright.schema.json\n')
    .action(() => setExitCode(schema(terminal)));
}

function addImport(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  program
    .command('import')
    .summary('import the rows of a file into a collection')
    .description('Imports the rows of a file into a collection. An interrupted import resumes where it stopped.')
    .argument('<model>', MODEL)
    .argument('<collection>', 'collection to import into')
    .argument('<file>', 'NDJSON, JSON (an array) or CSV file; the file extension selects the format')
    .option('--format <format>', 'ndjson, json or csv; overrides the file extension')
    .option('--database <url>', DATABASE)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', IMPORT_NOTES)
    .action(async (model: string, collection: string, file: string, flags: ImportFlags) =>
      setExitCode(await importCommand({ model, collection, file }, flags, terminal)),
    );
}

function addExport(program: Command, terminal: Terminal, setExitCode: SetExitCode): void {
  program
    .command('export')
    .summary('export a collection to a file')
    .description('Exports a collection to a file or to standard output, in constant memory.')
    .argument('<model>', MODEL)
    .argument('<collection>', 'collection to export')
    .argument('[file]', 'file to write; - for standard output', '-')
    .option('--format <format>', 'ndjson, json or csv; default: by the file extension, else ndjson')
    .option('--force', 'replace an existing file')
    .option('--database <url>', DATABASE)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXPORT_NOTES)
    .action(async (model: string, collection: string, file: string, flags: ExportFlags) =>
      setExitCode(await exportCommand({ model, collection, file }, flags, terminal)),
    );
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

function addFutureFlag(command: Command, flags: string): void {
  const refuse = (): never => {
    throw notSupportedYet(`--${option.name()}`);
  };
  const option = new Option(flags).hideHelp().argParser(refuse);
  command.addOption(option);
}

const EXPORT_NOTES = `
Rows have the fields that GET returns, without links. import reads these files.

Examples:
  restwright export shop.yaml products products.csv
  restwright export shop.yaml products | gzip > products.ndjson.gz
`;

const PROGRAM_NOTES = `
Examples:
  restwright check shop.yaml
  restwright serve shop.yaml --port 8080
  restwright import shop.yaml products products.ndjson
  restwright export shop.yaml products products.csv

Exit codes: 0: success, 1: failure, 2: incorrect usage.
`;

const SERVE_NOTES = `
Flags override environment variables; environment variables override defaults.

Examples:
  restwright serve shop.yaml
  restwright serve shop.yaml --port 0 --database sqlite:/var/lib/shop/shop.db
  restwright serve shop.yaml --workers 4
  RESTWRIGHT_PORT=8080 restwright serve shop.yaml --dev
`;

const IMPORT_NOTES = `
Invalid lines are reported with their line numbers. Rows before them stay imported. Correct the lines and run the same command again.

Examples:
  restwright import shop.yaml products products.ndjson
  restwright import shop.yaml products products.ndjson --database sqlite:/var/lib/shop/shop.db
`;
