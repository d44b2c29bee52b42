import { type FileHandle, open } from 'node:fs/promises';
import type { RowImportOutcome } from '../../api.ts';
import { ApiError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import { isBlank, recordContent, splitRecords } from '../../formats/split-records.ts';
import type { Bookmark } from '../../plan/bookmark.ts';
import type { Bookmarks } from '../../stores/store.ts';
import type { Progress } from '../terminal/progress.ts';
import {
  advanceCheckpoint,
  checkpointAt,
  checkpointName,
  findResumePoint,
  parseCheckpoints,
} from './import-checkpoint.ts';
import { type ImportChunk, type LineError, MAX_RECORD_BYTES, readImportChunks } from './import-chunks.ts';
import { importJoined } from './joined-chunks.ts';
import { FRAMINGS, type ReadRecord, type RecordFormat, recordReader, type RecordSource } from './record-reader.ts';

/** Size of one read, in bytes. */
const READ_BYTES = 262_144;

/** A file to import, and what the import needs. */
export interface ImportJob {
  /** Path of the file. */
  readonly file: string;
  /** Name of the resource. */
  readonly collection: string;
  /** Imports the rows of a chunk together with the checkpoint after it. */
  readonly importRows: (collection: string, rows: readonly Json[], checkpoint: Bookmark) => Promise<RowImportOutcome>;
  /** Reads the stored checkpoints. */
  readonly readBookmark: Bookmarks['get'];
  readonly source: RecordSource;
  /** Once aborted, the import ends after the current chunk. */
  readonly signal: AbortSignal;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** The outcome of an import. `rows` counts the rows of this run. */
export type ImportOutcome =
  /** `resumed`: an earlier run imported a part of the file, or all of it. */
  | { readonly kind: 'complete'; readonly rows: number; readonly resumed: boolean }
  | { readonly kind: 'stopped'; readonly rows: number }
  /** The chunk from line `from` to line `to`, both included, has errors and was not imported. */
  | ({ readonly kind: 'invalid'; readonly rows: number } & ChunkErrors);

/** The errors of a chunk, and its first and last line. */
export interface ChunkErrors {
  readonly from: number;
  readonly to: number;
  readonly errors: readonly LineError[];
}

/**
 * Imports a file of rows. Each chunk commits together with the checkpoint after it, so that the next run resumes there,
 * however this one ended, and imports no row twice. A chunk with an error is not imported.
 *
 * @throws the error of the file system where the file cannot be read
 */
export async function importFile(job: ImportJob, onProgress: (progress: Progress) => void): Promise<ImportOutcome> {
  const file = await open(job.file);
  try {
    return await importFrom(file, job, onProgress);
  } finally {
    await file.close();
  }
}

async function importFrom(
  file: FileHandle,
  job: ImportJob,
  onProgress: (progress: Progress) => void,
): Promise<ImportOutcome> {
  const { format } = job.source;
  const first = await firstRecord(file, format);
  const name = checkpointName(job.collection, first);
  let checkpoints = parseCheckpoints(await job.readBookmark(name));
  const resumed = await findResumePoint(checkpoints, readBytes(file, 0));
  const start = job.now();
  const { size: total } = await file.stat();
  let checkpoint = checkpointAt(resumed);
  let rows = 0;
  const reader = openRecordReader(job, first, resumed.bytes === 0);
  if ('error' in reader) return { kind: 'invalid', rows, from: 1, to: 1, errors: [reader.error] };
  const records = splitRecords(readBytes(file, resumed.bytes), FRAMINGS[format], resumed.lines + 1, MAX_RECORD_BYTES);
  const chunks = readImportChunks(records, { ...resumed, hash: resumed.hash.copy() }, reader.read);
  for await (const next of chunks) {
    if (job.signal.aborted) return { kind: 'stopped', rows };
    const { chunk, outcome } = await importJoined(next, chunks, ({ rows: all, end }) => {
      const value = JSON.stringify(advanceCheckpoint(checkpoints, checkpoint, end));
      return job.importRows(job.collection, all, { name, value });
    });
    checkpoints = advanceCheckpoint(checkpoints, checkpoint, chunk.end);
    if (outcome.kind === 'refused') return { kind: 'invalid', rows, ...listRowErrors(chunk, outcome) };
    checkpoint = chunk.end;
    rows += chunk.rows.length;
    onProgress({ rows, done: checkpoint.bytes, start: resumed.bytes, total, elapsed: job.now() - start });
  }
  return { kind: 'complete', rows, resumed: resumed.bytes > 0 };
}

/** The reader of the records, or the error in the header of the file. */
function openRecordReader(
  { source }: ImportJob,
  first: Uint8Array,
  atStart: boolean,
): { readonly read: ReadRecord } | { readonly error: LineError } {
  try {
    return { read: recordReader(source, first, atStart) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { error: { line: 1, code: error.code, message: error.message, details: error.details } };
  }
}

/** The errors of unreadable lines and of refused rows, in the order of the file. */
function listRowErrors(chunk: ImportChunk, refused: Extract<RowImportOutcome, { kind: 'refused' }>): ChunkErrors {
  const unreadable = new Set(chunk.errors.map(({ line }) => line));
  const rowErrors = refused.errors.flatMap(({ row, code, message, details }) => {
    const line = chunk.lines[row];
    return line === undefined || unreadable.has(line) ? [] : [{ line, code, message, details }];
  });
  return {
    from: chunk.lines[0] ?? 0,
    to: chunk.lines.at(-1) ?? 0,
    errors: [...chunk.errors, ...rowErrors].toSorted((one, other) => one.line - other.line),
  };
}

/** The first record that is not blank; empty where there is none. */
async function firstRecord(file: FileHandle, format: RecordFormat): Promise<Uint8Array> {
  for await (const { raw } of splitRecords(readBytes(file, 0), FRAMINGS[format], 1, MAX_RECORD_BYTES)) {
    const bytes = raw === null ? new Uint8Array() : recordContent(raw);
    if (!isBlank(bytes)) return bytes;
  }
  return new Uint8Array();
}

/** The bytes of a file from an offset to its end. Each buffer is newly allocated, since records keep views into it. */
async function* readBytes(file: FileHandle, start: number): AsyncGenerator<Uint8Array> {
  for (let offset = start; ; ) {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES, offset);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    offset += bytesRead;
  }
}
