import { existsSync } from 'node:fs';
import { writeFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { formatProblem } from '../../model/document/model-error.ts';
import { importOrder } from '../../infer/import-order.ts';
import type { ModelDraft } from '../../infer/model-draft.ts';
import { commandFailed, describeFileError, usageError, type ExitCode } from '../command-error.ts';
import type { CommandSpec } from '../command-spec.ts';
import { fileKind, reading } from '../data-file/data-file.ts';
import { describeRows, inferFile, describingErrors } from '../data-file/infer-file.ts';
import { FORM_OPTIONS, type FormFlags, namedForm } from '../data-file/named-form.ts';
import { draftFromDatabase, isDatabaseFile } from '../init/database-file.ts';
import { draftFromServer } from '../init/database-server.ts';
import { refuseTableFlags, TABLE_OPTIONS, type TableFlags } from '../init/draft-tables.ts';
import { schemaLocation } from '../init/schema-location.ts';
import { validModel } from '../model-file/write-draft.ts';
import { starterModel } from '../init/starter-model.ts';
import { countNoun } from '../terminal/progress.ts';
import { commandName, quoteArgument } from '../terminal/command-line.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { isPostgresUrl, withoutPassword } from '../../stores/postgres/driver/database-url.ts';
import { readDocument } from '../../model/document/read-document.ts';
import { bundleDescription } from '../../infer/open-api/bundled-description.ts';
import { describedBy, inferOpenApi } from '../../infer/open-api/infer-open-api.ts';

interface InitFlags extends FormFlags, TableFlags {
  readonly from?: string;
  readonly output?: string;
  /** True if an existing file is replaced. */
  readonly force?: boolean;
}

const OUTPUT = 'restwright.yaml';

/**
 * Writes a model: inferred from a file, or a small one to start with.
 *
 * @returns 0 when it is written
 * @throws {CommandError} exit 2 for a file that exists (without `--force`) or cannot be read, exit 1 for data without a
 *   model
 */
async function init(flags: InitFlags, terminal: Terminal): Promise<ExitCode> {
  const { from, output = OUTPUT, force = false } = flags;
  requireOutput(output, from, force);
  if (from === undefined) refuseTableFlags(flags);
  const schema = schemaLocation(output === '-' ? '.' : path.dirname(output));
  const written =
    from === undefined ? starter(schema, output) : await modelFrom(from, schema, { output, flags, terminal });
  if (output === '-') {
    terminal.stdout.write(written.text);
    return 0;
  }
  await write(output, written.text, force);
  const name = commandName(process.argv[1] ?? '', terminal.env);
  const next = written.next.map((line) => `  ${name} ${line}\n`);
  terminal.stdout.write(`wrote ${output}${written.summary}\n\n${next.join('')}`);
  return 0;
}

/** A model as text, and what is printed about it. */
interface WrittenModel {
  readonly text: string;
  readonly summary: string;
  /** Commands to run next, without the name of the program. */
  readonly next: readonly string[];
}

function starter(schema: string, output: string): WrittenModel {
  const summary = ': an example with customers and orders; replace them with your own resources';
  return { text: starterModel(schema), summary, next: nextCommands(output) };
}

async function modelFrom(
  from: string,
  schema: string,
  { output, flags, terminal }: { readonly output: string; readonly flags: InitFlags; readonly terminal: Terminal },
): Promise<WrittenModel> {
  if (isPostgresUrl(from)) {
    const draft = await draftFromServer(from, flags, output, terminal.env);
    return modelOverTables(draft, withoutPassword(from), schema, output);
  }
  const named = namedForm(flags);
  if (await isDatabaseFile(from)) return modelOverTables(await draftFromDatabase(from, flags), from, schema, output);
  refuseTableFlags(flags);
  const found = await fileKind(from, named);
  if (found.kind !== 'data') return inferModelFrom(await readOpenApi(from), schema, output);
  const { draft, rows, remarks } = await inferFile(found.data, terminal);
  for (const remark of remarks) terminal.stderr.write(`${remark}\n`);
  const { text, model: compiled } = validModel(draft, schema, output);
  const model = output === OUTPUT ? '' : `${quoteArgument(output)} `;
  const form = [
    ...(flags.delimiter === undefined ? [] : [` --delimiter ${quoteArgument(flags.delimiter)}`]),
    ...(flags.encoding === undefined ? [] : [` --encoding ${quoteArgument(flags.encoding)}`]),
  ].join('');
  const imports = importOrder(compiled)
    .filter(({ name }) => (rows.get(name) ?? 0) > 0)
    .map(({ name }) => `import ${model}${name} ${quoteArgument(from)}${form}`);
  return { text, summary: `: ${describeRows(rows)}`, next: nextCommands(output, imports) };
}

/** The model over the tables of a database, whose rows stay where they are. */
function modelOverTables(draft: ModelDraft, from: string, schema: string, output: string): WrittenModel {
  const [check = '', serve = ''] = nextCommands(output);
  const writing = `${serve} --database ${quoteArgument(from)}`;
  const created = isPostgresUrl(from) ? 'the schema restwright' : 'the tables restwright_*';
  const next = [check, `${writing} --read-only`, `${writing}  # writes rows, too, and creates ${created}`];
  const { text, model } = validModel(draft, schema, output);
  const summary = `: ${countNoun(model.resources.size, 'resource')} over the tables of ${from}`;
  return { text, summary, next };
}

/** The model of a description, which has no rows. */
function inferModelFrom(draft: ModelDraft, schema: string, output: string): WrittenModel {
  const { text, model } = validModel(draft, schema, output);
  const names = [...model.resources.keys()];
  return { text, summary: `: ${names.join(', ')}`, next: nextCommands(output) };
}

function nextCommands(output: string, imports: readonly string[] = []): readonly string[] {
  const model = output === OUTPUT ? '' : ` ${quoteArgument(output)}`;
  return [`check${model}`, ...imports, `serve${model}`];
}

/** @throws {CommandError} exit 2 */
function requireOutput(output: string, from: string | undefined, force: boolean): void {
  if (output === '-') return;
  if (!/\.ya?ml$/i.test(output)) throw usageError(`--output: the file name ${output} must end with .yaml or .yml.`);
  if (from !== undefined && path.resolve(from) === path.resolve(output)) {
    throw usageError(`--output: ${output} is also the file that --from reads; name another file.`);
  }
  if (!force && existsSync(output)) throw exists(output);
}

function exists(output: string): Error {
  return usageError(`${output} already exists; name another file with --output, or replace it with --force.`);
}

async function write(output: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(output, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw exists(output);
    throw commandFailed(`cannot write ${output}: ${describeFileError(error)}`);
  }
}

export const initSpec: CommandSpec = {
  name: 'init',
  group: 'Models:',
  summary: 'write an example model, or one inferred from data',
  description:
    'Writes a commented model: an example with two resources or, with --from, a model inferred from all rows of a data file (types, formats, ids, references), from the collections of an OpenAPI description, or from the tables of a database of SQLite or PostgreSQL, whose rows stay where they are.',
  arguments: [],
  options: [
    {
      name: 'from',
      value: { name: 'file', completes: 'file' },
      description:
        'CSV or NDJSON file, JSON file with an array or an object of arrays, OpenAPI description (2.0 to 3.2), JSON Schema, SQLite database, or postgres://USER@HOST/DATABASE',
      group: 'Input:',
    },
    ...FORM_OPTIONS,
    ...TABLE_OPTIONS,
    {
      name: 'output',
      value: { name: 'file', completes: 'file' },
      description: `file to write (default: ${OUTPUT}); - for standard output`,
      group: 'Output:',
    },
    { name: 'force', value: null, description: 'replace an existing file', group: 'Output:' },
  ],
  notes: `The first line of the model names its JSON Schema, so that editors can complete
and validate it.

Examples:
  restwright init
  restwright init --from customers.csv
  restwright init --from db.json --output shop.yaml
  restwright init --from openapi.yaml
  restwright init --from shop.sqlite --tables 'order*,customer'
  restwright init --from postgres://app@db/shop --schema sales,stock
`,
  run: (_given, flags: InitFlags, terminal) => init(flags, terminal),
};

/**
 * The model of an OpenAPI description or of a JSON Schema, in JSON or YAML.
 *
 * @throws {CommandError} exit 2 for a file that cannot be read or is no description, exit 1 for an invalid one
 */
async function readOpenApi(file: string): Promise<ModelDraft> {
  const value = await readPart(file);
  const description = isJsonObject(value) ? describedBy(value, path.parse(file).name) : null;
  if (description === null) {
    throw usageError(
      `--from: ${file} is neither a data file nor an OpenAPI description; name a CSV or NDJSON file, a JSON file with an array or an object of arrays, a description, or a JSON Schema.`,
    );
  }
  const folder = path.dirname(file);
  const bundled = await bundleDescription(description, async (part) => {
    const named = path.join(folder, part);
    return existsSync(named) ? await readPart(named) : null;
  });
  return describingErrors(file, async () => inferOpenApi(bundled));
}

/** @throws {CommandError} */
async function readPart(file: string): Promise<Json> {
  const text = await reading(file, () => readFile(file, 'utf8'));
  // Integers that are too large are left out: only the syntax must be valid.
  const { value, problems, readable } = readDocument({ file, text, env: null });
  if (!readable) throw commandFailed(problems.map(formatProblem).join('\n'));
  return value;
}
