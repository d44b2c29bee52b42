import { countNoun, formatCount } from '../terminal/progress.ts';
import { styled, supportsColour, type Terminal } from '../terminal/terminal.ts';
import type { LineError } from './import-chunks.ts';
import type { ImportJob, ImportOutcome } from './import-file.ts';

/** Reports at most this many errors, and the number of the others. */
const MAX_ERRORS = 100;

type Imported = Pick<ImportJob, 'file' | 'collection'>;

/** Prints the result of an import on standard error: each error with its line number, then a summary. */
export function printSummary({ file, collection }: Imported, outcome: ImportOutcome, terminal: Terminal): void {
  const colour = supportsColour(terminal.stderr, terminal.env);
  const errors = outcome.kind === 'invalid' ? formatErrors(file, outcome.errors, colour) : [];
  terminal.stderr.write(`${[...errors, `${collection}: ${summary(file, outcome)}`].join('\n')}\n`);
}

/** Prints the result of an import as a JSON object on standard output. `rows` counts the rows of this run. */
export function printJson({ file, collection }: Imported, outcome: ImportOutcome, { stdout }: Terminal): void {
  const { rows } = outcome;
  const [kind, errors] = outcome.kind === 'invalid' ? ['faulty', outcome.errors] : [outcome.kind, []];
  const result = {
    file,
    collection,
    outcome: kind,
    rows,
    fault_count: errors.length,
    faults: errors.slice(0, MAX_ERRORS),
  };
  stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}

function formatErrors(file: string, errors: readonly LineError[], colour: boolean): readonly string[] {
  const lines = errors
    .slice(0, MAX_ERRORS)
    .flatMap(({ line, code, message, details }) => [
      `${styled('red', `${file}:${line}`, colour)} ${code} ${message}`,
      ...details.map((detail) => `  ${detail.field}: ${detail.message}`),
    ]);
  return errors.length > MAX_ERRORS ? [...lines, `... and ${formatCount(errors.length - MAX_ERRORS)} more`] : lines;
}

function refusedLines(from: number, to: number): string {
  return from === to ? `line ${formatCount(from)} was` : `lines ${formatCount(from)} to ${formatCount(to)} were`;
}

function summary(file: string, outcome: ImportOutcome): string {
  const rows = countNoun(outcome.rows, 'row');
  if (outcome.kind === 'stopped') return `stopped after importing ${rows}; run the same command again to resume`;
  if (outcome.kind === 'invalid') {
    return (
      `imported ${rows} and stopped: ${refusedLines(outcome.from, outcome.to)} not imported; ` +
      'correct the errors and run the same command again to resume'
    );
  }
  if (outcome.rows > 0) return outcome.resumed ? `imported ${rows} more; ${file} is complete` : `imported ${rows}`;
  return outcome.resumed ? `${file} is already imported` : `${file} has no rows`;
}
