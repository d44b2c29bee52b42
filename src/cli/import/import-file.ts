import { open, type FileHandle } from 'node:fs/promises';
import { ApiError } from '../../conventions/errors.ts';
import type { Api, RowImportOutcome } from '../../api.ts';
import type { Bookmarks } from '../../stores/store.ts';
import { type ImportChunk, type LineError, MAX_RECORD_BYTES, readImportChunks } from './import-chunks.ts';
import { recordContent, isBlank, splitRecords } from '../../formats/split-records.ts';
import {
  checkpointName,
  advanceCheckpoint,
  checkpointAt,
  parseCheckpoints,
  findResumePoint,
} from './import-checkpoint.ts';
import type { Progress } from '../terminal/progress.ts';
import { FRAMINGS, type ReadRecord, recordReader, type RecordFormat, type RecordSource } from './record-reader.ts';

/** How much of a file is read at once, in bytes. */
const CHUNK = 262_144;

/** An import to be done, and what it is done with. */
export interface ImportJob {
  /** Path of the file. */
  readonly file: string;
  /** Name of the resource that the rows go to. */
  readonly collection: string;
  readonly ingest: Api['importRows'];
  readonly bookmark: Bookmarks['get'];
  /** How its records are parted and read. */
  readonly source: RecordSource;
  /** Once aborted, the batch in hand is finished and no other begun. */
  readonly signal: AbortSignal;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  readonly onProgress: (advance: Progress) => void;
}

/** How an import ended. `rows` were written by this run. */
export type ImportOutcome =
  /** `resumed`: an earlier run has written a part, or all of it. */
  | { readonly kind: 'complete'; readonly rows: number; readonly resumed: boolean }
  | { readonly kind: 'stopped'; readonly rows: number }
  /** Nothing was written of the batch from one line to another, both counted in. */
  | {
      readonly kind: 'faulty';
      readonly rows: number;
      readonly from: number;
      readonly to: number;
      readonly faults: readonly LineError[];
    };

type FaultyBatch = Pick<Extract<ImportOutcome, { kind: 'faulty' }>, 'from' | 'to' | 'faults'>;

/**
 * Imports a file of rows. Each batch commits together with the position behind it, so that a run that was
 * stopped in whatever way is gone on with by the next one, and no row is written twice. A batch with a fault is not written.
 *
 * @throws the error of the file system where the file cannot be read
 */
export async function importFile(job: ImportJob): Promise<ImportOutcome> {
  const file = await open(job.file);
  try {
    return await importFrom(file, job);
  } finally {
    await file.close();
  }
}

async function importFrom(file: FileHandle, job: ImportJob): Promise<ImportOutcome> {
  const { format } = job.source;
  const first = await firstRecord(file, format);
  const name = checkpointName(job.collection, first);
  let positions = parseCheckpoints(await job.bookmark(name));
  const reached = await findResumePoint(positions, chunksOf(file, 0));
  const start = job.now();
  const { size: total } = await file.stat();
  let at = checkpointAt(reached);
  let rows = 0;
  const reader = readerOf(job, first, reached.bytes === 0);
  if ('fault' in reader) return { kind: 'faulty', rows, from: 1, to: 1, faults: [reader.fault] };
  const records = splitRecords(chunksOf(file, reached.bytes), FRAMINGS[format], reached.lines + 1, MAX_RECORD_BYTES);
  for await (const batch of readImportChunks(records, { ...reached, hash: reached.hash.copy() }, reader.read)) {
    if (job.signal.aborted) return { kind: 'stopped', rows };
    positions = advanceCheckpoint(positions, at, batch.end);
    const outcome = await job.ingest(job.collection, batch.rows, { name, value: JSON.stringify(positions) });
    if (outcome.kind === 'refused') return { kind: 'faulty', rows, ...faultsOf(batch, outcome) };
    at = batch.end;
    rows += batch.rows.length;
    job.onProgress({ rows, done: at.bytes, start: reached.bytes, total, elapsed: job.now() - start });
  }
  return { kind: 'complete', rows, resumed: reached.bytes > 0 };
}

/** The reading of the records, or what is wrong with the header of the file. */
function readerOf(
  job: ImportJob,
  first: Uint8Array,
  begins: boolean,
): { readonly read: ReadRecord } | { readonly fault: LineError } {
  try {
    return { read: recordReader(job.source, first, begins) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { fault: { line: 1, code: error.code, message: error.message, details: error.details } };
  }
}

/** The faults of the lines that hold no row, and of the rows that were refused, in the order of the file. */
function faultsOf(batch: ImportChunk, refused: Extract<RowImportOutcome, { kind: 'refused' }>): FaultyBatch {
  const unreadable = new Set(batch.errors.map(({ line }) => line));
  const faults = refused.errors.flatMap(({ row, code, message, details }) => {
    const line = batch.lines[row];
    return line === undefined || unreadable.has(line) ? [] : [{ line, code, message, details }];
  });
  return {
    from: batch.lines[0] ?? 0,
    to: batch.lines.at(-1) ?? 0,
    faults: [...batch.errors, ...faults].toSorted((one, other) => one.line - other.line),
  };
}

/** The first record that says something; empty where there is none. */
async function firstRecord(file: FileHandle, format: RecordFormat): Promise<Uint8Array> {
  for await (const { raw } of splitRecords(chunksOf(file, 0), FRAMINGS[format], 1, MAX_RECORD_BYTES)) {
    const bytes = raw === null ? new Uint8Array() : recordContent(raw);
    if (!isBlank(bytes)) return bytes;
  }
  return new Uint8Array();
}

/** The bytes of a file from an offset on. Each chunk has memory of its own, which lines may keep pointing into. */
async function* chunksOf(file: FileHandle, start: number): AsyncGenerator<Uint8Array> {
  for (let position = start; ; ) {
    const chunk = Buffer.allocUnsafeSlow(CHUNK);
    const { bytesRead } = await file.read(chunk, 0, CHUNK, position);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    position += bytesRead;
  }
}
