import type { LineError } from './import-chunks.ts';
import type { ImportOutcome } from './import-file.ts';
import { formatCount } from '../terminal/progress.ts';
import { supportsColour, styled, type Terminal } from '../terminal/terminal.ts';

/** Most faults that are told; of the others only their number. */
const SHOWN = 100;

/** Tells how an import ended, on standard error: faults with the line that each stands on, then one line in sum. */
export function printSummary(file: string, collection: string, outcome: ImportOutcome, terminal: Terminal): void {
  const colour = supportsColour(terminal.stderr, terminal.env);
  const faults = outcome.kind === 'faulty' ? faultLines(file, outcome.faults, colour) : [];
  terminal.stderr.write(`${[...faults, `${collection}: ${inSum(file, outcome)}`].join('\n')}\n`);
}

/** The same as one JSON object on standard output. `rows` were written by this run. */
export function printJson(file: string, collection: string, outcome: ImportOutcome, { stdout }: Terminal): void {
  const { kind, rows } = outcome;
  const faults = outcome.kind === 'faulty' ? outcome.faults : [];
  const report = { file, collection, outcome: kind, rows, fault_count: faults.length, faults: faults.slice(0, SHOWN) };
  stdout.write(`${JSON.stringify(report, null, 2)}\n`);
}

function faultLines(file: string, faults: readonly LineError[], colour: boolean): readonly string[] {
  const lines = faults
    .slice(0, SHOWN)
    .flatMap(({ line, code, message, details }) => [
      `${styled('red', `${file}:${line}`, colour)} ${code} ${message}`,
      ...details.map((detail) => `  ${detail.field}: ${detail.message}`),
    ]);
  return faults.length > SHOWN ? [...lines, `... and ${formatCount(faults.length - SHOWN)} more`] : lines;
}

function inSum(file: string, outcome: ImportOutcome): string {
  const rows = outcome.rows === 1 ? '1 row' : `${formatCount(outcome.rows)} rows`;
  if (outcome.kind === 'stopped') return `stopped after ${rows}, all of them kept; run the same command again to go on`;
  if (outcome.kind === 'faulty') {
    return (
      `imported ${rows} and stopped: nothing was kept of the lines from ${formatCount(outcome.from)} to ${formatCount(outcome.to)}; ` +
      'correct them and run the same command again to go on'
    );
  }
  if (outcome.rows > 0) return outcome.resumed ? `imported ${rows} more, ${file} is complete` : `imported ${rows}`;
  return outcome.resumed ? `${file} is imported already, nothing to do` : `${file} holds no rows`;
}
