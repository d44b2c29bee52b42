import { type ExitCode, usageError } from '../command-error.ts';
import { type CommandSpec, jsonOption, MODEL_ARGUMENT } from '../command-spec.ts';
import { diffJson, diffLines, diffMarkdown } from '../diff/diff-report.ts';
import { compareModels, readCompared } from '../diff/model-pair.ts';
import { findModel } from '../model-file/find-model.ts';
import { supportsColour, type Terminal } from '../terminal/terminal.ts';

interface DiffFlags {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly strict?: boolean;
}

/**
 * Compares two models, or descriptions of them, for their clients (VER-6). @returns 0 where the version of the new one
 * is high enough, else 1
 */
async function diff(
  files: readonly [old: string, is: string],
  flags: DiffFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const { env, stdout } = terminal;
  if (flags.json === true && flags.markdown === true)
    throw usageError('--json and --markdown cannot be combined; pass one of them.');
  const was = await readCompared('old', files[0], env);
  const is = await readCompared('new', files[1], env);
  const compared = compareModels(was, is, flags.strict === true ? 'strict' : 'tolerant');
  if (flags.json === true) stdout.write(`${JSON.stringify(diffJson(compared), null, 2)}\n`);
  else if (flags.markdown === true) stdout.write(diffMarkdown(compared));
  else stdout.write(`${diffLines(compared, supportsColour(stdout, env)).join('\n')}\n`);
  return compared.verdict.isEnough ? 0 : 1;
}

export const diffSpec: CommandSpec = {
  name: 'diff',
  group: 'Models:',
  summary: 'compare two models, and print the version that the changes require',
  description:
    'Compares two models as clients see them. Prints the differences, whether they break requests or responses, and the version that the new model requires. Either model can also be an OpenAPI description in JSON or YAML, such as the published one.',
  arguments: [
    {
      name: 'old',
      completes: 'file',
      description: 'path to the old model, such as the last published one, or to its OpenAPI description',
    },
    { ...MODEL_ARGUMENT, name: 'new' },
  ],
  options: [
    {
      name: 'strict',
      value: null,
      description:
        'assume that clients reject unknown values: a change that may break such clients also requires a major version',
    },
    { name: 'markdown', value: null, description: 'print a changelog in Markdown', group: 'Output:' },
    jsonOption('the differences'),
  ],
  notes: `The exit code is 1 if the version of the new model is too low.

Examples:
  restwright diff published.yaml shop.yaml
  restwright diff published.yaml shop.yaml --markdown
  restwright diff published-openapi.json shop.yaml
`,
  run: ([old = '', is = findModel()], flags: DiffFlags, terminal) => diff([old, is], flags, terminal),
};
