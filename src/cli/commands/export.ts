import type { Writable } from 'node:stream';
import { commandFailed, describeFileError, type ExitCode, usageError } from '../command-error.ts';
import { type CommandSpec, DATABASE_OPTIONS, jsonOption, MODEL_ARGUMENT } from '../command-spec.ts';
import { type ExportJob, type ExportOutcome, exportToFile, writeRows } from '../export/export-file.ts';
import { requireExportFile, requireExportStream } from '../export/export-target.ts';
import { FORMATS, recordFormat } from '../import/record-reader.ts';
import { UnusableToken } from '../../operations/read/token-rows.ts';
import { listOwnResources } from '../../model/table-source.ts';
import { monotonicNow } from '../../platform/clock.ts';
import { type CollectionArguments, collectionArguments } from '../model-file/collection-arguments.ts';
import { requireCollection, requireModel } from '../model-file/read-model.ts';
import { openWithoutServer } from '../open-database.ts';
import { type DatabaseFlags, databaseLocation, requireDatabase, usedDatabase } from '../database-settings.ts';
import { countNoun, reportProgress } from '../terminal/progress.ts';
import { toExitCode, readStopSignal, supportsColour, type Terminal } from '../terminal/terminal.ts';

interface ExportFlags extends DatabaseFlags {
  readonly format?: string;
  /** A bearer token: what its caller may read is exported. */
  readonly as?: string;
  /** True if an existing file is replaced. */
  readonly force?: boolean;
  readonly json?: boolean;
}

/**
 * Exports a collection to a file, or to standard output where the file is `-`.
 *
 * @returns 0 when all rows are written, 130 or 143 when a signal stopped it
 * @throws {CommandError} exit 2 for an unknown collection and a file that must not be written; exit 1 for a model or
 *   database that cannot be used
 */
async function exportCommand(target: CollectionArguments, flags: ExportFlags, terminal: Terminal): Promise<ExitCode> {
  const { file } = target;
  const format = recordFormat(file, flags.format);
  if (flags.json === true && file === '-')
    throw usageError('--json prints the result on standard output; name a file for the rows.');
  const location = databaseLocation(flags, terminal.env);
  const { model } = await requireModel(target.model, terminal.env);
  const { name: collection } = requireCollection(model, target.collection);
  if (flags.as !== undefined && model.auth === null)
    throw usageError('--as: the model has no authentication, so every caller can read all rows; omit --as.');
  const opened = usedDatabase(location, model.name);
  requireDatabase(opened);
  const used = { database: opened.database, model: target.model };
  if (file === '-') requireExportStream(terminal.stream, used);
  else await writing(file, () => requireExportFile(file, used, flags.force === true));
  const signal = terminal.stopSignal();
  const readOnly = listOwnResources(model).length === 0;
  const { api, store } = await openWithoutServer(model, { ...opened, modelFile: target.model, readOnly }, terminal);
  const progress = reportProgress(collection, terminal.stderr, supportsColour(terminal.stderr, terminal.env));
  const onProgress: ExportJob['onProgress'] = (advance) => progress.show(advance);
  const job: ExportJob = { collection, format, as: flags.as, api, signal, now: monotonicNow, onProgress };
  try {
    const outcome =
      file === '-' ? await toStream(job, terminal.stream) : await writing(file, () => exportToFile(file, job));
    progress.end();
    const result = { file, collection, outcome: outcome.kind, rows: outcome.rows };
    if (flags.json === true) terminal.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    else terminal.stderr.write(`${summary(result)}\n`);
    return outcome.kind === 'stopped' ? toExitCode(readStopSignal(signal)) : 0;
  } catch (error) {
    throw error instanceof UnusableToken ? commandFailed(`--as: the token cannot be used: ${error.message}.`) : error;
  } finally {
    progress.end();
    await store.close();
  }
}

/** @throws {CommandError} exit 1 where the file system fails */
async function writing<T>(file: string, write: () => T | Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw commandFailed(`cannot write ${file}: ${describeFileError(error)}`);
    throw error;
  }
}

/** A reader may close the pipe early, as `head` does: that is not an error. */
async function toStream(job: ExportJob, stream: Writable): Promise<ExportOutcome> {
  let streamError: unknown = null;
  const onError = (error: unknown): void => {
    streamError = error;
    stream.destroy();
  };
  stream.on('error', onError);
  try {
    const outcome = await writeRows(stream, job);
    if (streamError instanceof Error && !('code' in streamError && streamError.code === 'EPIPE')) throw streamError;
    return outcome;
  } finally {
    stream.off('error', onError);
  }
}

interface ExportResult {
  readonly file: string;
  readonly collection: string;
  readonly outcome: ExportOutcome['kind'];
  readonly rows: number;
}

function summary({ file, collection, outcome, rows }: ExportResult): string {
  if (outcome !== 'complete') return `${collection}: stopped after ${countNoun(rows, 'row')}`;
  const exported = `${collection}: exported ${countNoun(rows, 'row')}`;
  return file === '-' ? exported : `${exported} to ${file}`;
}

export const exportSpec: CommandSpec = {
  name: 'export',
  group: 'Data:',
  summary: 'export a collection to a file',
  description: 'Exports a collection to a file or to standard output, in constant memory.',
  arguments: [
    MODEL_ARGUMENT,
    { name: 'collection', completes: 'none', description: 'collection to export', fallback: '' },
    { name: 'file', completes: 'file', description: 'file to write; default: - for standard output', fallback: '' },
  ],
  options: [
    {
      name: 'format',
      value: { name: 'format', completes: FORMATS },
      description: 'ndjson, json or csv; default: by the file extension, otherwise ndjson',
      group: 'Output:',
    },
    {
      name: 'as',
      value: { name: 'token', completes: 'none' },
      description: 'export only the rows that the caller with this bearer token can read; default: all rows',
      group: 'Rows:',
    },
    { name: 'force', value: null, description: 'replace an existing file', group: 'Output:' },
    jsonOption('the result'),
    ...DATABASE_OPTIONS,
  ],
  notes: `Each row has the fields that GET returns, without links. \`restwright import\` can
read the exported files.

Examples:
  restwright export products products.csv
  restwright export products mine.csv --as "$TOKEN"
  restwright export shop.yaml products products.csv
  restwright export shop.yaml products | gzip > products.ndjson.gz
`,
  run: (given, flags: ExportFlags, terminal) => exportCommand(collectionArguments(given, '-'), flags, terminal),
};
