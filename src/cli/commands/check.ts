import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { keyFileProblems } from '../../auth/open-verifier.ts';
import { formatProblem, type ModelProblem } from '../../model/document/model-error.ts';
import type { Model, OlderVersion } from '../../model/model.ts';
import { placeResources, versionedPath } from '../../describe/surface/placed-resource.ts';
import { describeWarnings } from '../../plan/list/warnings.ts';
import { audienceWarnings } from '../../plan/routes/protected-resource.ts';
import { type CheckedDatabase, checkDatabase, describeDatabase } from '../check/database-check.ts';
import { CommandError, describeFileError, type ExitCode } from '../command-error.ts';
import { jsonOption, MODEL_ARGUMENT, type CommandSpec } from '../command-spec.ts';
import type { DatabaseFlags } from '../database-settings.ts';
import { diffJson, NO_FINDINGS, versionFindings } from '../diff/diff-report.ts';
import { compareModels, readCompared, type ComparedModels } from '../diff/model-pair.ts';
import { rowChangeLines } from '../migrate/row-changes.ts';
import { codeFrame } from '../model-file/code-frame.ts';
import { fileChanges } from '../model-file/file-changes.ts';
import { findModel } from '../model-file/find-model.ts';
import { readModel } from '../model-file/read-model.ts';
import type { StoredRowChange } from '../../versions/row-changes.ts';
import type { EnvironmentVariables } from '../setting-value.ts';
import { alignColumns } from '../terminal/align-columns.ts';
import { styled, supportsColour, type Terminal } from '../terminal/terminal.ts';
import { versionText } from '../../conventions/versioning.ts';

const DAY = 86_400;
/** Days before its sunset on which a version is first reported. */
const NOTICE = 30;

interface CheckFlags extends Pick<DatabaseFlags, 'database'> {
  readonly json?: boolean;
  readonly watch?: boolean;
  readonly published?: string;
  readonly date?: string;
}

interface CheckResult {
  readonly problems: readonly ModelProblem[];
  readonly warnings: readonly string[];
  /** Declared parts of the model that this version does not support yet. */
  readonly unsupported: readonly string[];
  /** The names that derive from the names of resources. */
  readonly names: readonly DerivedNames[];
  /** The differences from the published model; null if none is named. */
  readonly compared: ComparedModels | null;
  /** The database with the tables of the model; null if none is named. */
  readonly database: CheckedDatabase | null;
}

interface DerivedNames {
  readonly resource: string;
  readonly collection: string;
  /** Below the base path and the version: `/products/{product_id}/reviews`. */
  readonly path: string;
  readonly singular: string;
  readonly error_prefix: string;
}

/** Lines of code that are shown, at most: the first errors are often the cause of others. */
const MAX_FRAMES = 10;

/**
 * Prints every error and warning of a model, with `--watch` again after each change of its file. @returns 0 for a valid
 * model, else 1
 */
async function check(file: string, flags: CheckFlags, terminal: Terminal): Promise<ExitCode> {
  const code = await checkOnce(file, flags, terminal);
  return flags.watch === true ? watchFile(file, flags, terminal) : code;
}

/**
 * Checks a model after each change of its file, until a signal. A file that is missing for a moment is reported and
 * watched on.
 */
async function watchFile(file: string, flags: CheckFlags, terminal: Terminal): Promise<ExitCode> {
  const signal = terminal.stopSignal();
  try {
    for await (const _ of fileChanges(file, signal)) {
      await checkOnce(file, flags, terminal).catch((error: unknown) => {
        if (!(error instanceof CommandError)) throw error;
        terminal.stderr.write(`error: ${error.message}\n`);
      });
    }
  } catch (error) {
    if (!signal.aborted) throw new CommandError(1, `${file} is no longer watched: ${describeFileError(error)}`);
  }
  return 0;
}

async function checkOnce(file: string, flags: CheckFlags, terminal: Terminal): Promise<ExitCode> {
  const result = await checkModel(file, flags, terminal.env);
  if (flags.json === true) printJson(file, result, terminal);
  else printText(file, result, await readFile(file, 'utf8'), terminal);
  return result.problems.length === 0 ? 0 : 1;
}

async function checkModel(
  file: string,
  { published, date, database }: CheckFlags,
  env: EnvironmentVariables,
): Promise<CheckResult> {
  const day = date === undefined ? null : parseSeconds(date);
  const read = await readModel(file, env);
  const was = published === undefined ? null : await readCompared('published', published, env);
  if (read.kind === 'invalid')
    return { problems: read.problems, warnings: [], unsupported: [], names: [], compared: null, database: null };
  const { model, unsupported } = read.loaded;
  const compared = was === null ? null : compareModels(was, { kind: 'model', file, model }, 'tolerant');
  const version = compared === null ? NO_FINDINGS : versionFindings(compared);
  return {
    problems: [...version.problems, ...(await keyProblems(file, model))],
    warnings: [
      ...version.warnings,
      ...(day === null ? [] : sunsetWarnings(model.versions, day)),
      ...audienceWarnings(model),
      ...describeWarnings(model),
    ],
    unsupported,
    names: derivedNames(model),
    compared,
    database: database === undefined ? null : await checkDatabase(file, model, { database }, env),
  };
}

/** 00:00:00 GMT of a date. @throws {CommandError} 2 */
function parseSeconds(date: string): number {
  const milliseconds = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(date))
    throw new CommandError(2, `--date: '${date}' is not a valid date; use one such as 2028-06-01.`);
  return milliseconds / 1000;
}

/** The files with keys that the model names and that cannot be used. */
async function keyProblems(file: string, { auth }: Model): Promise<readonly ModelProblem[]> {
  const problems = auth === null ? [] : await keyFileProblems(auth, path.dirname(file));
  return problems.map(({ index, cause, fix }) => ({
    file,
    line: 0,
    column: 0,
    path: `auth.issuers[${index}].jwks_file`,
    cause,
    fix,
  }));
}

function derivedNames(model: Model): readonly DerivedNames[] {
  const base = versionedPath(model).length;
  return placeResources(model).map(({ resource: { name, collection, singular, code }, path: whole }) => ({
    resource: name,
    collection,
    path: whole.slice(base),
    singular,
    error_prefix: code,
  }));
}

function printJson(
  file: string,
  { problems, unsupported, compared, database, ...others }: CheckResult,
  { stdout }: Terminal,
): void {
  const published = compared === null ? {} : { published: diffJson(compared) };
  const result = {
    model: file,
    ok: problems.length === 0,
    faults: problems,
    ...others,
    not_served: unsupported,
    ...published,
    ...(database === null ? {} : { database }),
  };
  stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}

/** @param text the model as it was read, for the lines around its errors */
function printText(file: string, result: CheckResult, text: string, { env, stdout }: Terminal): void {
  const { problems, warnings, unsupported, names, database } = result;
  const colour = supportsColour(stdout, env);
  const lines = [
    ...problems.flatMap((problem, index) => [
      `${styled('red', 'error', colour)} ${formatProblem(problem)}`,
      ...(index < MAX_FRAMES ? codeFrame(text, problem).map((line) => styled('gray', line, colour)) : []),
    ]),
    ...[...warnings, ...unsupported].map((warning) => `${styled('yellow', 'warning', colour)} ${warning}`),
    problems.length === 0
      ? `${file} is valid`
      : `${file} has ${problems.length === 1 ? '1 error' : `${problems.length} errors`}`,
    ...rowLines(result.compared?.rows ?? [], colour),
    ...nameTable(names),
    ...(database === null ? [] : describeDatabase(database)),
  ];
  stdout.write(`${lines.join('\n')}\n`);
}

/** The effect of a migration from the published model on stored rows. */
function rowLines(rows: readonly StoredRowChange[], colour: boolean): readonly string[] {
  return rows.length === 0 ? [] : ['', ...rowChangeLines(rows, colour)];
}

/** The path, the singular and the error codes of each resource, which clients will depend on. */
function nameTable(names: readonly DerivedNames[]): readonly string[] {
  if (names.length === 0) return [];
  const rows = names.map((each) => [each.path, each.singular, `${each.error_prefix}_NOT_FOUND ...`]);
  const table = [['collection', 'singular', 'error codes'], ...rows];
  return ['', ...alignColumns(table).map((line) => `  ${line}`)];
}

export const checkSpec: CommandSpec = {
  name: 'check',
  group: 'Models:',
  summary: 'validate a model',
  description:
    'Validates a model. Prints each error with its location, cause and fix, all warnings, and the names that are derived from the names of the resources.',
  arguments: [MODEL_ARGUMENT],
  options: [
    {
      name: 'published',
      value: { name: 'model', completes: 'file' },
      description:
        'last published model, or its OpenAPI description; a change that requires a higher version is an error',
    },
    {
      name: 'date',
      value: { name: 'date', completes: 'none' },
      description:
        'warn about versions whose sunset has passed on this date, such as 2028-06-01, or is at most 30 days later',
    },
    {
      name: 'database',
      value: { name: 'path', completes: 'file' },
      description:
        'file or URL of a database whose tables the model shows: compare them as the start does, and list sorts and filters without an index; nothing is written',
    },
    { name: 'watch', value: null, description: 'check again whenever the file changes' },
    jsonOption('the result'),
  ],
  notes: `Examples:
  restwright check shop.yaml
  restwright check shop.yaml --watch
  restwright check shop.yaml --json
  restwright check shop.yaml --database shop.sqlite
  restwright check shop.yaml --published published.yaml
  restwright check shop.yaml --date "$(date +%F)"
`,
  run: ([model = findModel()], flags: CheckFlags, terminal) => check(model, flags, terminal),
};

/**
 * Versions that are served and whose sunset is near or past (VER-4): nothing changes by itself on that day.
 *
 * @param day seconds since the epoch, 00:00:00 GMT
 */
function sunsetWarnings(versions: readonly OlderVersion[], day: number): readonly string[] {
  return versions.flatMap(({ version, sunset, retired }) => {
    if (retired || sunset === null) return [];
    const days = Math.round((sunset - day) / DAY);
    if (days > NOTICE) return [];
    const date = new Date(sunset * 1000).toISOString().slice(0, 10);
    const when = days > 0 ? `in ${daysText(days)}` : days === 0 ? 'today' : `${daysText(-days)} ago`;
    return [
      `versions["${versionText(version)}"]: its sunset is ${date}, ${when}, and it is served until retired: true is set`,
    ];
  });
}

function daysText(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}
