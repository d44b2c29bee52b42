import type { ExitCode } from './command-error.ts';
import { AGENT_MODES } from '../mcp/tools.ts';
import { DRIVER_NAMES } from '../stores/sqlite/driver/driver.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The completions of a value by the shell: paths of files, one of some words, or nothing. */
export type Completion = 'file' | 'none' | readonly string[];

/** A value of an argument or an option. */
export interface ValueSpec {
  /** As the help shows it: `model` in `<model>`. */
  readonly name: string;
  readonly completes: Completion;
}

export interface ArgumentSpec extends ValueSpec {
  readonly description: string;
  /** The value where the argument is left out; an argument without it is required. Empty: the command finds one. */
  readonly fallback?: string;
}

export interface OptionSpec {
  /** The name without the dashes: `port`. */
  readonly name: string;
  /** null for an option that is either given or not. */
  readonly value: ValueSpec | null;
  readonly description: string;
  /** The heading of the help under which it stands. */
  readonly group?: string;
  /** True if it may be given several times: its values are an array then. Default: false. */
  readonly repeats?: boolean;
}

/** One command. The parser, the help and the completion of shells are made from this. */
export interface CommandSpec {
  readonly name: string;
  /** The heading of the help under which it stands. */
  readonly group: string;
  /** A few words, for the list of commands. */
  readonly summary: string;
  readonly description: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  /** The end of the help, after the options: remarks and examples. */
  readonly notes: string;
  /**
   * Runs the command.
   *
   * @param given the arguments in order, with fallbacks
   * @param flags the options by their names in camel case; those that are not given are absent
   * @throws {CommandError}
   */
  run(given: readonly string[], flags: object, terminal: Terminal): ExitCode | Promise<ExitCode>;
}

/** The first argument of most commands. */
export const MODEL_ARGUMENT: ArgumentSpec = {
  name: 'model',
  completes: 'file',
  description: 'path to a model in YAML, JSON or TypeScript; default: restwright.yaml or model.yaml in this folder',
  fallback: '',
};

const DATABASE_OPTION: OptionSpec = {
  name: 'database',
  value: { name: 'path', completes: 'file' },
  description:
    'path to the database file (also sqlite:PATH), or postgres://USER@HOST/DATABASE; {name} is replaced by the name of the model (RESTWRIGHT_DATABASE, default: ./data/{name}.db)',
  group: 'Database:',
};

/** The option that chooses the library of SQLite. */
export const DRIVER_OPTION: OptionSpec = {
  name: 'driver',
  value: { name: 'library', completes: DRIVER_NAMES },
  description:
    'SQLite library: better-sqlite3, or node for node:sqlite (RESTWRIGHT_DRIVER, default: better-sqlite3 if it can be loaded, otherwise node)',
  group: 'Database:',
};

/** The options of every command that uses a database. */
export const DATABASE_OPTIONS: readonly OptionSpec[] = [DATABASE_OPTION, DRIVER_OPTION];

/** The option that says what agents may do. */
export const AGENT_OPTION: OptionSpec = {
  name: 'mcp',
  value: { name: 'access', completes: AGENT_MODES },
  description: 'what agents may do by MCP: read, or write (RESTWRIGHT_MCP); requires @modelcontextprotocol/server',
  group: 'Agents:',
};

/** An option with a value that is not completed. @param value its name in the help */
export function valueOption(name: string, value: string, description: string, group: string): OptionSpec {
  return { name, value: { name: value, completes: 'none' }, description, group };
}

/** @param what is printed as JSON */
export function jsonOption(what: string): OptionSpec {
  return { name: 'json', value: null, description: `print ${what} as JSON`, group: 'Output:' };
}

/** @param what is printed in Markdown */
export function markdownOption(what: string): OptionSpec {
  return { name: 'markdown', value: null, description: `print ${what} in Markdown`, group: 'Output:' };
}
