import { performance } from 'node:perf_hooks';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Model, Resource } from '../../model/model.ts';
import type { Observe } from '../../observe/observation.ts';
import { StoreUnavailable } from '../../stores/store.ts';
import { serverUrl } from '../serve/address.ts';
import { type ExitCode, commandFailed, usageError } from '../command-error.ts';
import { importFile, type ImportOutcome } from '../import/import-file.ts';
import { printJson, printSummary } from '../import/import-report.ts';
import { openDatabase, type OpenedApi } from '../open-database.ts';
import { reportProgress } from '../terminal/progress.ts';
import { describeFileError, requireModel } from '../model-file/read-model.ts';
import { recordFormat, type RecordFormat } from '../import/record-reader.ts';
import { databaseFile, databaseLocation, serveSettings } from '../settings.ts';
import { exitCodeOf, supportsColour, signalOf, type Terminal } from '../terminal/terminal.ts';

export interface ImportFlags {
  readonly database?: string;
  readonly json?: boolean;
  readonly format?: string;
}

/** What is imported, and where to. */
export interface ImportTarget {
  readonly model: string;
  readonly collection: string;
  /** Path of a file. */
  readonly file: string;
}

/**
 * Imports the rows of a file into a collection, from where an earlier run of the same import stopped.
 *
 * @returns 0 when the whole file is in the database, 1 when a line cannot be, 130 or 143 when a signal stopped it
 * @throws {CommandFailure} exit 2 for a collection or file that is not there, exit 1 for a faulty model or database
 */
export async function importCommand(target: ImportTarget, flags: ImportFlags, terminal: Terminal): Promise<ExitCode> {
  const format = recordFormat(target.file, flags.format);
  await requireImportable(target.file);
  const setting = databaseLocation(flags.database, terminal.env);
  const { model } = await requireModel(target.model, terminal.env);
  const resource = requireResource(model, target.collection);
  const stop = terminal.stopSignal();
  const opened = await openForRows(model, databaseFile(setting, model.name), terminal);
  try {
    const outcome = await runImport({ file: target.file, format, resource }, model, opened, stop, terminal);
    if (flags.json === true) printJson(target.file, resource.name, outcome, terminal);
    else printSummary(target.file, resource.name, outcome, terminal);
    return exitCode(outcome, stop);
  } finally {
    await opened.close();
  }
}

/** Changes that an existing database needs are shown (OPS-4). Events name the address that `serve` would have here. */
export async function openForRows(model: Model, database: string, { env, stderr }: Terminal): Promise<OpenedApi> {
  const { host, port } = serveSettings({ open: true }, env);
  const isNew = !existsSync(database);
  const observe: Observe = (observation) => {
    if (observation.kind !== 'schema-changed' || isNew) return;
    stderr.write(`${database} was brought to the model:\n${observation.statements.join(';\n')};\n`);
  };
  return openDatabase({
    model,
    database,
    observe,
    allowAnyHost: false,
    dispatch: false,
    origin: () => serverUrl(host, port, ''),
  });
}

interface Imported {
  readonly file: string;
  readonly format: RecordFormat;
  readonly resource: Resource;
}

async function runImport(
  { file, format, resource }: Imported,
  { limits }: Model,
  { api, store }: OpenedApi,
  stop: AbortSignal,
  { stderr, env }: Terminal,
): Promise<ImportOutcome> {
  const progress = reportProgress(resource.name, stderr, supportsColour(stderr, env));
  try {
    return await importFile({
      file,
      collection: resource.name,
      ingest: (...batch) => api.importRows(...batch),
      bookmark: (name) => store.bookmarks.get(name),
      source: { format, limits, csvReader: (header) => api.csv(resource.name).reader(header) },
      signal: stop,
      now: () => performance.now(),
      onProgress: (advance) => progress.show(advance),
    });
  } catch (error) {
    // What was committed before is kept and remembered.
    if (error instanceof StoreUnavailable)
      throw commandFailed(`${error.message}. Run the same command again to go on.`);
    throw error;
  } finally {
    progress.end();
  }
}

function exitCode(outcome: ImportOutcome, stop: AbortSignal): ExitCode {
  if (outcome.kind === 'stopped') return exitCodeOf(signalOf(stop));
  return outcome.kind === 'faulty' ? 1 : 0;
}

/** Only a file can be gone on with: what comes through a pipe has no place to return to. */
async function requireImportable(file: string): Promise<void> {
  if (file === '-')
    throw usageError(
      'import reads a file, not standard input: an import that was interrupted goes on where it stopped.',
    );
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    (error: unknown) => {
      throw usageError(`cannot read ${file}: ${describeFileError(error)}`);
    },
  );
  if (!isFile) throw usageError(`cannot import ${file}: it is not a file.`);
}

/** The collection that a command names. @throws {CommandFailure} exit 2 where the model has none of that name */
export function requireResource(model: Model, collection: string): Resource {
  const resource = model.resources.get(collection) ?? model.collections.get(collection);
  if (resource !== undefined) return resource;
  throw usageError(`the model has no collection '${collection}'; it has ${[...model.resources.keys()].join(', ')}.`);
}
