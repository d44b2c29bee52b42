import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import type { Api } from '../../api.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import type { CsvWriter } from '../../formats/csv.ts';
import { writeOrderedJson } from '../../formats/json.ts';
import { waitForDrain } from '../../platform/wait-for-drain.ts';
import type { RecordFormat } from '../import/record-reader.ts';
import type { Progress } from '../terminal/progress.ts';

/** A collection to export, and what the export needs. */
export interface ExportJob {
  /** Name of the resource. */
  readonly collection: string;
  readonly format: RecordFormat;
  /** The bearer token of the caller whose rows are exported; undefined for all rows. */
  readonly as: string | undefined;
  readonly api: Pick<Api, 'exportRows'>;
  /** Once aborted, no more rows are read. */
  readonly signal: AbortSignal;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly onProgress: (progress: Progress) => void;
}

/** The outcome of an export. `closed`: the reader of the output closed it. */
export interface ExportOutcome {
  readonly kind: 'complete' | 'stopped' | 'closed';
  readonly rows: number;
}

/** Serializes pages of rows in a format, between a head and a foot. */
interface RowWriter {
  readonly head: string;
  page(rows: readonly JsonObject[], isFirst: boolean): string;
  readonly foot: string;
}

/** The file that has the rows of an export until it is complete. */
export function partialFile(file: string): string {
  return `${file}.partial`;
}

/**
 * Exports a collection to a file. Writes `FILE.partial`, syncs it and renames it, so that the file is never incomplete
 * and an existing one stays until then. A `FILE.partial` that exists is removed, not written to: it may be a link to
 * another file.
 *
 * @throws the error of the file system where the file cannot be written
 */
export async function exportToFile(file: string, job: ExportJob): Promise<ExportOutcome> {
  const partial = partialFile(file);
  await rm(partial, { force: true });
  // It has rows of the database, which its owner alone may read.
  const handle = await open(partial, 'wx', 0o600);
  const output = createWriteStream(partial, { fd: handle.fd, autoClose: false });
  try {
    const outcome = await writeRows(output, job);
    output.end();
    await once(output, 'finish');
    await handle.sync();
    if (outcome.kind === 'complete') await rename(partial, file);
    else await rm(partial);
    return outcome;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Writes a collection to a stream, no faster than the stream is read (constant memory). The stream stays open. */
export async function writeRows(output: Writable, job: ExportJob): Promise<ExportOutcome> {
  const { total, pages, csv } = await job.api.exportRows(job.collection, job.as === undefined ? {} : { as: job.as });
  const writer = rowWriter(job.format, csv);
  const start = job.now();
  let rows = 0;
  if (!(await sendRecord(output, writer.head))) return { kind: 'closed', rows };
  for await (const page of pages) {
    if (job.signal.aborted) return { kind: 'stopped', rows };
    if (!(await sendRecord(output, writer.page(page, rows === 0)))) return { kind: 'closed', rows };
    rows += page.length;
    job.onProgress({ rows, done: rows, start: 0, total, elapsed: job.now() - start });
  }
  return (await sendRecord(output, writer.foot)) ? { kind: 'complete', rows } : { kind: 'closed', rows };
}

function rowWriter(format: RecordFormat, csv: CsvWriter): RowWriter {
  switch (format) {
    case 'ndjson':
      return { head: '', page: (rows) => rows.map((row) => `${writeOrderedJson(row)}\n`).join(''), foot: '' };
    case 'csv':
      return { head: csv.header, page: (rows) => csv.rows(rows), foot: '' };
    case 'json':
      return {
        head: '[',
        page: (rows, isFirst) => (isFirst ? '\n' : ',\n') + rows.map((row) => writeOrderedJson(row)).join(',\n'),
        foot: '\n]\n',
      };
  }
}

/** Writes, and waits until the stream has drained. @returns whether the stream is still open */
async function sendRecord(output: Writable, text: string): Promise<boolean> {
  if (output.destroyed || output.writableEnded) return false;
  if (text === '' || output.write(text)) return true;
  await waitForDrain(output);
  return !output.destroyed;
}
