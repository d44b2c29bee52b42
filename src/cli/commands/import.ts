import { stat } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { compileSourceRows } from '../../infer/source-row.ts';
import type { Model, Resource } from '../../model/model.ts';
import type { StartedApi } from '../../start-api.ts';
import { commandFailed, describeFileError, type ExitCode, usageError } from '../command-error.ts';
import { type CommandSpec, DATABASE_OPTIONS, jsonOption, MODEL_ARGUMENT } from '../command-spec.ts';
import { measureContent } from '../data-file/data-bookmark.ts';
import { type DataFile, describeData, startsWithObject } from '../data-file/data-file.ts';
import { type DataImport, importData } from '../data-file/import-data.ts';
import { describingErrors } from '../data-file/infer-file.ts';
import { importProgress } from '../data-file/import-progress.ts';
import { FORM_OPTIONS, type FormFlags, namedForm } from '../data-file/named-form.ts';
import { dataName } from '../data-file/read-data.ts';
import { importFile, type ImportJob, type ImportOutcome } from '../import/import-file.ts';
import { printJson, printSummary } from '../import/import-report.ts';
import { FORMATS, recordFormat } from '../import/record-reader.ts';
import { describingStoreErrors } from '../import/store-error.ts';
import { type CollectionArguments, collectionArguments } from '../model-file/collection-arguments.ts';
import { requireCollection, requireModel } from '../model-file/read-model.ts';
import { openWithoutServer } from '../open-database.ts';
import { protectedFileAt } from '../protected-files.ts';
import { type DatabaseFlags, databaseLocation, usedDatabase } from '../database-settings.ts';
import { reportProgress } from '../terminal/progress.ts';
import { toExitCode, readStopSignal, supportsColour, type Terminal } from '../terminal/terminal.ts';

interface ImportFlags extends DatabaseFlags, FormFlags {
  readonly json?: boolean;
  readonly format?: string;
  /** `false` for `--no-events`. */
  readonly events?: boolean;
}

/**
 * Imports the rows of a file into a collection. Resumes where an earlier import of the same file stopped.
 *
 * @returns 0 when the whole file is imported, 1 for an invalid line, 130 or 143 when a signal stopped it
 * @throws {CommandError} exit 2 for an unknown collection and a file that cannot be imported; exit 1 for an invalid
 *   model or an unusable database
 */
async function importCommand(target: CollectionArguments, flags: ImportFlags, terminal: Terminal): Promise<ExitCode> {
  const format = recordFormat(target.file, flags.format);
  await requireRegularFile(target.file);
  const data = await describeData(target.file, format, namedForm(flags));
  const location = databaseLocation(flags, terminal.env);
  const { model } = await requireModel(target.model, terminal.env);
  const resource = requireCollection(model, target.collection);
  if (resource.table !== null && resource.readOnly)
    throw commandFailed(`cannot import into ${resource.name}: the model only reads the table ${resource.table.table}.`);
  const used = usedDatabase(location, model.name);
  const name = protectedFileAt(target.file, { database: used.database, model: target.model });
  if (name !== null) throw usageError(`cannot import ${target.file}: it is ${name}; name another file.`);
  const signal = terminal.stopSignal();
  const opened = await openWithoutServer(model, { ...used, modelFile: target.model }, terminal);
  try {
    const { events = true } = flags;
    const parts = { data, resource, model, opened, events, signal };
    const job = importJob(parts);
    const isObject = data.format === 'json' && (await startsWithObject(data));
    const outcome =
      isObject || !data.isPlain ? await importMember(parts, isObject, terminal) : await runImport(job, terminal);
    if (flags.json === true) printJson(job, outcome, terminal);
    else printSummary(job, outcome, terminal);
    return exitCode(outcome, signal);
  } finally {
    await opened.close();
  }
}

interface ImportParts {
  readonly data: DataFile;
  readonly resource: Resource;
  readonly model: Model;
  readonly opened: StartedApi;
  readonly events: boolean;
  readonly signal: AbortSignal;
}

function importJob({ data, resource, model, opened, events, signal }: ImportParts): ImportJob {
  const { file, format } = data;
  const { api, store } = opened;
  const { row, nameOf } = compileSourceRows(resource);
  const converted = (read: Json): Json => (format !== 'csv' && isJsonObject(read) ? row(read) : read);
  return {
    file,
    collection: resource.name,
    importRows: (name, rows, bookmark) => api.importRows(name, rows.map(converted), bookmark, { events }),
    readBookmark: (name) => store.bookmarks.get(name),
    source: { format, limits: model.limits, csvReader: (header) => api.csv(resource.name).reader(header, nameOf) },
    signal,
    now: () => performance.now(),
  };
}

async function runImport(job: ImportJob, { stderr, env }: Terminal): Promise<ImportOutcome> {
  const progress = reportProgress(job.collection, stderr, supportsColour(stderr, env));
  try {
    return await describingStoreErrors(job.file, () => importFile(job, (advance) => progress.show(advance)));
  } finally {
    progress.end();
  }
}

/**
 * Imports the rows of a file that is read from its start: one with several collections, and one in another encoding.
 *
 * @param isObject true for a file with several collections
 */
async function importMember(
  { data, resource, model, opened, events, signal }: ImportParts,
  isObject: boolean,
  terminal: Terminal,
): Promise<ImportOutcome> {
  const { file } = data;
  const progress = importProgress(terminal);
  const { sha256 } = await measureContent(file, null);
  const job: DataImport = {
    data,
    ...(isObject ? {} : { collection: dataName(file) }),
    model,
    opened,
    resources: [resource],
    bookmark: `data:${resource.name}:${sha256}`,
    requireAll: true,
    events,
    signal,
    onProgress: progress.onProgress,
  };
  try {
    const outcome = await describingStoreErrors(file, () => describingErrors(file, () => importData(job)));
    const imported = outcome.kind === 'imported' ? outcome.resources.get(resource.name) : undefined;
    return imported ?? { kind: 'complete', rows: 0, resumed: true };
  } finally {
    progress.end();
  }
}

function exitCode(outcome: ImportOutcome, signal: AbortSignal): ExitCode {
  if (outcome.kind === 'stopped') return toExitCode(readStopSignal(signal));
  return outcome.kind === 'invalid' ? 1 : 0;
}

/** An import can only resume from a regular file: a pipe cannot be read again. */
async function requireRegularFile(file: string): Promise<void> {
  if (file === '-')
    throw usageError('cannot import from standard input, because an interrupted import could not resume; name a file.');
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    (error: unknown) => {
      throw usageError(`cannot read ${file}: ${describeFileError(error)}`);
    },
  );
  if (!isFile) throw usageError(`cannot import ${file}: it is not a regular file; name one that is.`);
}

export const importSpec: CommandSpec = {
  name: 'import',
  group: 'Data:',
  summary: 'import the rows of a file into a collection',
  description: 'Imports the rows of a file into a collection. An interrupted import resumes where it stopped.',
  arguments: [
    MODEL_ARGUMENT,
    { name: 'collection', completes: 'none', description: 'collection to import into', fallback: '' },
    {
      name: 'file',
      completes: 'file',
      description:
        'NDJSON, CSV or JSON file (an array, or an object of arrays with one for the collection); the file extension selects the format',
      fallback: '',
    },
  ],
  options: [
    {
      name: 'format',
      value: { name: 'format', completes: FORMATS },
      description: 'ndjson, json or csv; overrides the file extension',
      group: 'Input:',
    },
    ...FORM_OPTIONS,
    {
      name: 'no-events',
      value: null,
      description: 'publish no events for the imported rows; consumers of the event log do not see these rows',
      group: 'Input:',
    },
    ...DATABASE_OPTIONS,
    jsonOption('the result'),
  ],
  notes: `Invalid lines are reported with their line numbers. Rows before them remain
imported. Correct the lines and run the same command again.

Examples:
  restwright import products products.ndjson
  restwright import shop.yaml products products.ndjson
  restwright import shop.yaml products products.ndjson --database /var/lib/shop/shop.db
  restwright import shop.yaml products products.ndjson --no-events
`,
  run: (given, flags: ImportFlags, terminal) => importCommand(collectionArguments(given, null), flags, terminal),
};
