import { performance } from 'node:perf_hooks';
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type ExitCode, commandFailed, usageError } from '../command-error.ts';
import { exportToFile, type ExportJob, type ExportOutcome, writeRows } from '../export/export-file.ts';
import { openForRows, requireResource } from './import.ts';
import { formatCount, reportProgress } from '../terminal/progress.ts';
import { describeFileError, requireModel } from '../model-file/read-model.ts';
import { recordFormat } from '../import/record-reader.ts';
import { databaseFile, databaseLocation } from '../settings.ts';
import { exitCodeOf, supportsColour, signalOf, type Terminal } from '../terminal/terminal.ts';

export interface ExportFlags {
  readonly database?: string;
  readonly format?: string;
  readonly json?: boolean;
}

/** What is exported, and where to. */
export interface ExportTarget {
  readonly model: string;
  readonly collection: string;
  /** Path of the file; `-` is standard output. */
  readonly file: string;
}

/**
 * Writes a whole collection to a file or to standard output.
 *
 * @returns 0 when all of it is written, 130 or 143 when a signal stopped it
 * @throws {CommandFailure} exit 2 for a collection that is not there, exit 1 for a faulty model, no database, or a file that cannot be written
 */
export async function exportCommand(target: ExportTarget, flags: ExportFlags, terminal: Terminal): Promise<ExitCode> {
  const { file } = target;
  const format = recordFormat(file, flags.format);
  if (flags.json === true && file === '-')
    throw usageError('--json tells the outcome on standard output; name a file for the rows.');
  const setting = databaseLocation(flags.database, terminal.env);
  const { model } = await requireModel(target.model, terminal.env);
  const resource = requireResource(model, target.collection);
  const database = databaseFile(setting, model.name);
  if (!existsSync(database)) throw commandFailed(`there is no database ${database}; name another with --database.`);
  const stop = terminal.stopSignal();
  const { api, store } = await openForRows(model, database, terminal);
  const progress = reportProgress(resource.name, terminal.stderr, supportsColour(terminal.stderr, terminal.env));
  const now = (): number => performance.now();
  const job: ExportJob = {
    collection: resource.name,
    format,
    api,
    signal: stop,
    now,
    onProgress: (advance) => progress.show(advance),
  };
  try {
    const outcome = file === '-' ? await toStream(job, terminal.stream) : await toFile(file, job);
    progress.end();
    tell(target, resource.name, outcome, flags, terminal);
    return outcome.kind === 'stopped' ? exitCodeOf(signalOf(stop)) : 0;
  } finally {
    progress.end();
    await store.close();
  }
}

async function toFile(file: string, job: ExportJob): Promise<ExportOutcome> {
  try {
    return await exportToFile(file, job);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw commandFailed(`cannot write ${file}: ${describeFileError(error)}`);
    throw error;
  }
}

/** Who reads may stop reading, as `head` does: that is no failure. */
async function toStream(job: ExportJob, stream: Writable): Promise<ExportOutcome> {
  let broken: unknown = null;
  const onError = (error: unknown): void => {
    broken = error;
    stream.destroy();
  };
  stream.on('error', onError);
  try {
    const outcome = await writeRows(stream, job);
    if (broken instanceof Error && !('code' in broken && broken.code === 'EPIPE')) throw broken;
    return outcome;
  } finally {
    stream.off('error', onError);
  }
}

function tell(
  { file }: ExportTarget,
  collection: string,
  { kind, rows }: ExportOutcome,
  flags: ExportFlags,
  { stdout, stderr }: Terminal,
): void {
  if (flags.json === true) {
    stdout.write(`${JSON.stringify({ file, collection, outcome: kind, rows }, null, 2)}\n`);
    return;
  }
  const said =
    kind === 'complete'
      ? `exported ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`
      : `stopped after ${formatCount(rows)} rows`;
  const place = file === '-' || kind !== 'complete' ? '' : ` to ${file}`;
  stderr.write(`${collection}: ${said}${place}\n`);
}
