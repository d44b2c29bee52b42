import { formatProblem, type ModelProblem } from '../../model/document/model-error.ts';
import { describeWarnings } from '../../plan/warnings.ts';
import type { ExitCode } from '../command-error.ts';
import { type CommandSpec, jsonOption, MODEL_ARGUMENT } from '../command-spec.ts';
import { findModel } from '../model-file/find-model.ts';
import { readModel } from '../model-file/read-model.ts';
import type { EnvironmentVariables } from '../settings.ts';
import { styled, supportsColour, type Terminal } from '../terminal/terminal.ts';

interface CheckFlags {
  readonly json?: boolean;
}

interface CheckResult {
  readonly problems: readonly ModelProblem[];
  readonly warnings: readonly string[];
  /** Declared parts of the model that this version does not support yet. */
  readonly unsupported: readonly string[];
}

/** Prints every error and warning of a model. @returns 0 for a valid model, else 1 */
async function check(file: string, flags: CheckFlags, terminal: Terminal): Promise<ExitCode> {
  const result = await checkModel(file, terminal.env);
  if (flags.json === true) printJson(file, result, terminal);
  else printText(file, result, terminal);
  return result.problems.length === 0 ? 0 : 1;
}

async function checkModel(file: string, env: EnvironmentVariables): Promise<CheckResult> {
  const read = await readModel(file, env);
  if (read.kind === 'invalid') return { problems: read.problems, warnings: [], unsupported: [] };
  const { model, unsupported } = read.loaded;
  return { problems: [], warnings: describeWarnings(model), unsupported };
}

function printJson(file: string, { problems, warnings, unsupported }: CheckResult, { stdout }: Terminal): void {
  const result = { model: file, ok: problems.length === 0, faults: problems, warnings, not_served: unsupported };
  stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}

function printText(file: string, { problems, warnings, unsupported }: CheckResult, { env, stdout }: Terminal): void {
  const colour = supportsColour(stdout, env);
  const lines = [
    ...problems.map((problem) => `${styled('red', 'error', colour)} ${formatProblem(problem)}`),
    ...[...warnings, ...unsupported].map((warning) => `${styled('yellow', 'warning', colour)} ${warning}`),
    problems.length === 0
      ? `${file} is valid`
      : `${file} has ${problems.length === 1 ? '1 error' : `${problems.length} errors`}`,
  ];
  stdout.write(`${lines.join('\n')}\n`);
}

export const checkSpec: CommandSpec = {
  name: 'check',
  group: 'Models:',
  summary: 'validate a model',
  description: 'Validates a model. Prints every error with its location, cause and fix, and warnings.',
  arguments: [MODEL_ARGUMENT],
  options: [jsonOption('the result')],
  notes: `Examples:
  restwright check shop.yaml
  restwright check shop.yaml --json
`,
  run: ([model = findModel()], flags: CheckFlags, terminal) => check(model, flags, terminal),
};
