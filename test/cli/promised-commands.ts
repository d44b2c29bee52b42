import { COMMANDS } from '../../src/cli/command-table.ts';
import { run } from '../../src/cli/program.ts';
import { recordedTerminal } from './recorded-terminal.ts';

/** The code of a text: that of the first cells of a table of commands has the name of the program only once. */
const CODE = /`([^`\n]+)`/g;
/** A first cell with commands. */
const COMMAND_CELL = /^\| `restwright .*?(?<!\\)\|(?=\s)/gm;

/**
 * Reads the commands, options and values with a scheme that a text promises: `restwright init`,
 * `restwright init --from` and `restwright init --from postgres://`; an option without its command as `--workers`.
 */
export function readPromises(text: string): readonly string[] {
  const cells = new Set([...text.matchAll(COMMAND_CELL)].map(([cell]) => cell));
  const promises = text.split('\n').flatMap((line) => {
    const cell = [...cells].find((each) => line.startsWith(each)) ?? '';
    const inCell = [...cell.matchAll(CODE)].map(([, code = '']) =>
      code.startsWith('restwright ') ? code : `restwright ${code}`,
    );
    return [...inCell, ...[...line.slice(cell.length).matchAll(CODE)].map(([, code = '']) => code)];
  });
  return [...new Set(promises.flatMap(readPromise))];
}

function readPromise(code: string): readonly string[] {
  const [, command = null] = /^restwright ([a-z]+)/.exec(code) ?? [];
  if (command === null && !code.startsWith('--')) return [];
  const name = command === null ? '' : `restwright ${command} `;
  const options = [...code.matchAll(/(--[a-z][a-z-]*)([^[\]-]*)/g)].flatMap(([, option = '', values = '']) => [
    `${name}${option}`,
    ...(values.match(/[a-z]+:\/\//g) ?? []).map((scheme) => `${name}${option} ${scheme}`),
  ]);
  return command === null ? options : [name.trim(), ...options];
}

/** The lines of the plan about the command line. */
export function plannedPromises(plan: string): readonly string[] {
  return [...plan.matchAll(/^- `(restwright [^`]+)`: .+$/gm)].map(([, promise = '']) => promise);
}

/**
 * Finds the promises that the command line does not fulfil. What belongs to a missing command is not listed again.
 */
export async function missingPromises(promises: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const promise of promises) {
    if (missing.some((each) => promise.startsWith(`${each} `))) continue;
    if (!(await isFulfilled(promise))) missing.push(promise);
  }
  return missing;
}

async function isFulfilled(promise: string): Promise<boolean> {
  const [first = '', name = '', option = null, value = null] = promise.split(' ');
  const known = first.startsWith('--') ? COMMANDS : COMMANDS.filter((each) => each.name === name);
  const sought = first.startsWith('--') ? first : option;
  const fits = known.filter(({ options }) => sought === null || options.some((each) => `--${each.name}` === sought));
  const [command] = fits;
  if (command === undefined || option === null || value === null) return command !== undefined;
  // The files do not exist: each command ends there, or at the value.
  const given = command.arguments.map(() => '/nonexistent/file.yaml');
  const terminal = recordedTerminal();
  await run([name, ...given, option, `${value}127.0.0.1:1/none`], terminal);
  return !terminal.written().stderr.includes('is not supported by this version');
}
