import { type ModelProblem, formatProblem } from '../../model/document/model-error.ts';
import { describeWarnings } from '../../plan/warnings.ts';
import type { ExitCode } from '../command-error.ts';
import { readModel } from '../model-file/read-model.ts';
import { supportsColour, styled, type Terminal } from '../terminal/terminal.ts';

export interface CheckFlags {
  readonly json?: boolean;
}

/** What a check found. */
interface CheckResult {
  readonly faults: readonly ModelProblem[];
  readonly warnings: readonly string[];
  readonly notServed: readonly string[];
}

/** Tells every fault and warning of a model. The answer is no (exit 1) when it has a fault. */
export async function check(file: string, flags: CheckFlags, terminal: Terminal): Promise<ExitCode> {
  const verdict = await judge(file, terminal);
  if (flags.json === true) printJson(file, verdict, terminal);
  else printText(file, verdict, terminal);
  return verdict.faults.length === 0 ? 0 : 1;
}

async function judge(file: string, { env }: Terminal): Promise<CheckResult> {
  const read = await readModel(file, env);
  if (read.kind === 'faulty') return { faults: read.faults, warnings: [], notServed: [] };
  const { model, unsupported } = read.loaded;
  return { faults: [], warnings: describeWarnings(model), notServed: unsupported };
}

function printJson(file: string, { faults, warnings, notServed }: CheckResult, { stdout }: Terminal): void {
  const report = { model: file, ok: faults.length === 0, faults, warnings, not_served: notServed };
  stdout.write(`${JSON.stringify(report, null, 2)}\n`);
}

function printText(file: string, { faults, warnings, notServed }: CheckResult, { env, stdout }: Terminal): void {
  const colour = supportsColour(stdout, env);
  const lines = [
    ...faults.map((fault) => `${styled('red', 'fault', colour)} ${formatProblem(fault)}`),
    ...warnings.map((warning) => `${styled('yellow', 'warning', colour)} ${warning}`),
    ...notServed.map((declared) => `${styled('yellow', 'warning', colour)} ${declared}`),
    faults.length === 0
      ? `${file} is valid`
      : `${file} has ${faults.length === 1 ? '1 fault' : `${faults.length} faults`}`,
  ];
  stdout.write(`${lines.join('\n')}\n`);
}
