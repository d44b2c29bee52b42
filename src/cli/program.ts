import { Command, CommanderError, Option } from 'commander';
import { programVersion } from '../platform/program-version.ts';
import { check, type CheckFlags } from './commands/check.ts';
import { CommandError, type ExitCode, notSupportedYet } from './command-error.ts';
import { exportCommand, type ExportFlags } from './commands/export.ts';
import { importCommand, type ImportFlags } from './commands/import.ts';
import { schema } from './commands/schema.ts';
import { serve } from './commands/serve.ts';
import type { ServeFlags } from './settings.ts';
import { supportsColour, styled, type Terminal } from './terminal/terminal.ts';

/** Commands and flags of the specification that are still to come: known, not listed, refused. */
const LATER_COMMANDS = ['init', 'migrate', 'token', 'key', 'openapi', 'asyncapi', 'client', 'diff', 'conform'];
const LATER_SERVE_FLAGS = ['--redis <url>', '--metrics-port <port>'];

const MODEL = 'a model in YAML, JSON or TypeScript';
const DATABASE = 'where the rows are kept, as sqlite:PATH; {name} in it stands for the name of the model';

/**
 * Runs one command line.
 *
 * @param args what follows the program's name
 * @returns the exit code: 0 done, 1 the answer is no, 2 wrong usage, 130 or 143 ended by a signal
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const program = describe(terminal, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed its message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof CommandError)) throw error;
    const label = styled('red', 'error:', supportsColour(terminal.stderr, terminal.env));
    terminal.stderr.write(`${label} ${error.message}\n`);
    return error.exitCode;
  }
}

type Ended = (exitCode: ExitCode) => void;

function describe(terminal: Terminal, ended: Ended): Command {
  const program = new Command('restwright')
    .description('Declare resources, run one command, get an HTTP JSON API that keeps every convention.')
    .version(programVersion(), '--version', 'print the version')
    .helpOption('--help', 'print help, of a command where one is named')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .addHelpText('after', PROGRAM_NOTES);
  addServe(program, terminal, ended);
  addCheck(program, terminal, ended);
  addSchema(program, terminal, ended);
  addImport(program, terminal, ended);
  addExport(program, terminal, ended);
  for (const name of LATER_COMMANDS) addLater(program, name);
  return program;
}

function addServe(program: Command, terminal: Terminal, ended: Ended): void {
  const command = program
    .command('serve')
    .summary('serve the API of a model')
    .description(
      'Serves the API of a model. Prints one line on standard output when it listens; the log goes to standard error.',
    )
    .argument('<model>', MODEL)
    .option('--port <number>', 'port to listen on; 0 picks a free one (RESTWRIGHT_PORT, else 3000)')
    .option('--host <address>', 'address to listen on (RESTWRIGHT_HOST, else 127.0.0.1)')
    .option('--database <url>', `${DATABASE} (RESTWRIGHT_DATABASE, else sqlite:./data/{name}.db)`)
    .option(
      '--workers <number>',
      'processes that serve the port and the database together (RESTWRIGHT_WORKERS, else 1)',
    )
    .option('--dev', 'for your own machine: readable logs, and a changed model is served at once')
    .option('--open', 'accept requests from other machines without authentication')
    .addHelpText('after', SERVE_NOTES)
    .action(async (model: string, flags: ServeFlags) => ended(await serve(model, flags, terminal)));
  for (const flag of LATER_SERVE_FLAGS) addLaterFlag(command, flag);
}

function addCheck(program: Command, terminal: Terminal, ended: Ended): void {
  program
    .command('check')
    .summary('tell every fault of a model')
    .description('Tells every fault of a model with its place, cause and fix, and what is worth a warning.')
    .argument('<model>', MODEL)
    .option('--json', 'tell it as JSON')
    .addHelpText('after', '\nExamples:\n  restwright check shop.yaml\n  restwright check shop.yaml --json\n')
    .action(async (model: string, flags: CheckFlags) => ended(await check(model, flags, terminal)));
}

function addSchema(program: Command, terminal: Terminal, ended: Ended): void {
  program
    .command('schema')
    .summary('print the JSON Schema of the model document')
    .description('Prints the JSON Schema of the model document, by which editors complete and check it.')
    .addHelpText('after', '\nExamples:\n  restwright schema > restwright.schema.json\n')
    .action(() => ended(schema(terminal)));
}

function addImport(program: Command, terminal: Terminal, ended: Ended): void {
  program
    .command('import')
    .summary('bring the rows of a file into a collection')
    .description('Brings the rows of a file into a collection. An import that was stopped goes on where it stopped.')
    .argument('<model>', MODEL)
    .argument('<collection>', 'the collection that the rows go to')
    .argument('<file>', 'NDJSON, JSON (an array) or CSV, told by its name')
    .option('--format <format>', 'ndjson, json or csv, where the name does not tell')
    .option('--database <url>', `${DATABASE} (RESTWRIGHT_DATABASE, else sqlite:./data/{name}.db)`)
    .option('--json', 'tell the outcome as JSON')
    .addHelpText('after', IMPORT_NOTES)
    .action(async (model: string, collection: string, file: string, flags: ImportFlags) =>
      ended(await importCommand({ model, collection, file }, flags, terminal)),
    );
}

function addExport(program: Command, terminal: Terminal, ended: Ended): void {
  program
    .command('export')
    .summary('write a whole collection to a file')
    .description('Writes a whole collection to a file or to standard output, in memory that does not grow with it.')
    .argument('<model>', MODEL)
    .argument('<collection>', 'the collection whose rows are written')
    .argument('[file]', 'where to; standard output where it is - or left out', '-')
    .option('--format <format>', 'ndjson, json or csv; default: told by the name of the file, else ndjson')
    .option('--database <url>', `${DATABASE} (RESTWRIGHT_DATABASE, else sqlite:./data/{name}.db)`)
    .option('--json', 'tell the outcome as JSON')
    .addHelpText('after', EXPORT_NOTES)
    .action(async (model: string, collection: string, file: string, flags: ExportFlags) =>
      ended(await exportCommand({ model, collection, file }, flags, terminal)),
    );
}

function addLater(program: Command, name: string): void {
  program
    .command(name, { hidden: true })
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw notSupportedYet(`restwright ${name}`);
    });
}

function addLaterFlag(command: Command, flags: string): void {
  const refuse = (): never => {
    throw notSupportedYet(`--${option.name()}`);
  };
  const option = new Option(flags).hideHelp().argParser(refuse);
  command.addOption(option);
}

const EXPORT_NOTES = `
Rows are what GET shows, without links. import takes them back.

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

Exit codes: 0 done, 1 the answer is no, 2 wrong usage.
`;

const SERVE_NOTES = `
Flags go before the environment, the environment before the defaults.

Examples:
  restwright serve shop.yaml
  restwright serve shop.yaml --port 0 --database sqlite:/var/lib/shop/shop.db
  restwright serve shop.yaml --workers 4
  RESTWRIGHT_PORT=8080 restwright serve shop.yaml --dev
`;

const IMPORT_NOTES = `
Faulty lines are told with their numbers; what came before their batch is kept. Correct them and run the same command again.

Examples:
  restwright import shop.yaml products products.ndjson
  restwright import shop.yaml products products.ndjson --database sqlite:/var/lib/shop/shop.db
`;
