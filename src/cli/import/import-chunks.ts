import { ApiError, type ErrorDetail } from '../../conventions/errors.ts';
import { isJsonObject, type Json } from '../../conventions/json.ts';
import { recordContent, isBlank, type RawRecord } from '../../formats/split-records.ts';
import type { ReadRecord } from './record-reader.ts';
import { type ImportCheckpoint, checkpointAt, type ResumePoint } from './import-checkpoint.ts';

/** How much goes into one transaction: enough that its sync is shared by many rows, little enough to lose or to hold in memory. */
export const CHUNK_LIMITS = { rows: 1_000, bytes: 1_048_576 };

/** The longest record of a file, in bytes: a row may grow larger by and by than any one body, and comes back all the same. */
export const MAX_RECORD_BYTES = 67_108_864;

/** What is wrong with a line of the source. */
export interface LineError {
  /** Counted from 1. */
  readonly line: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

/** Lines that are committed together. */
export interface ImportChunk {
  /** The line of each row. */
  readonly lines: readonly number[];
  /** A row for each line that is not blank. Null where the line holds none: no row is null, so the batch is refused, and all of it judged. */
  readonly rows: readonly Json[];
  /** Lines that hold no row. */
  readonly errors: readonly LineError[];
  /** The position behind the last line. */
  readonly end: ImportCheckpoint;
}

/** Gathers lines into batches. @param from where the first line begins */
export async function* readImportChunks(
  lines: AsyncIterable<RawRecord>,
  from: ResumePoint,
  readRecord: ReadRecord,
): AsyncGenerator<ImportChunk> {
  const batch = new ImportChunkBuilder(from, readRecord);
  for await (const line of lines) {
    batch.add(line);
    if (batch.full) yield batch.finish();
  }
  if (!batch.empty) yield batch.finish();
}

class ImportChunkBuilder {
  readonly #hash: ResumePoint['hash'];
  readonly #readRecord: ReadRecord;
  #breaks: number;
  #bytes: number;
  #start: number;
  #lines: number[] = [];
  #rows: Json[] = [];
  #faults: LineError[] = [];

  constructor({ lines, bytes, hash }: ResumePoint, readRecord: ReadRecord) {
    this.#hash = hash;
    this.#breaks = lines;
    this.#bytes = bytes;
    this.#start = bytes;
    this.#readRecord = readRecord;
  }

  get full(): boolean {
    return this.#rows.length >= CHUNK_LIMITS.rows || this.#bytes - this.#start >= CHUNK_LIMITS.bytes;
  }

  get empty(): boolean {
    return this.#rows.length === 0;
  }

  add({ number, breaks, raw }: RawRecord): void {
    if (raw === null) {
      this.#refuse(
        number,
        'REQUEST_BODY_TOO_LARGE',
        `The record is longer than ${MAX_RECORD_BYTES} bytes; shorten it.`,
      );
      return;
    }
    this.#hash.update(raw);
    this.#bytes += raw.length;
    this.#breaks += breaks;
    if (!isBlank(recordContent(raw))) this.#read(number, raw);
  }

  finish(): ImportChunk {
    const end = checkpointAt({ lines: this.#breaks, bytes: this.#bytes, hash: this.#hash });
    const batch = { lines: this.#lines, rows: this.#rows, errors: this.#faults, end };
    this.#start = this.#bytes;
    this.#lines = [];
    this.#rows = [];
    this.#faults = [];
    return batch;
  }

  #read(number: number, raw: Uint8Array): void {
    try {
      const value = this.#readRecord(raw);
      if (value === undefined) return;
      if (isJsonObject(value)) {
        this.#lines.push(number);
        this.#rows.push(value);
      } else {
        this.#refuse(
          number,
          'REQUEST_BODY_MALFORMED',
          'The record is not a JSON object; write one object for each row.',
        );
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // What is read is one line, so a place in it is a column.
      this.#refuse(number, error.code, error.message.replace('line 1, column', 'column'), error.details);
    }
  }

  #refuse(line: number, code: string, message: string, details: readonly ErrorDetail[] = []): void {
    this.#faults.push({ line, code, message, details });
    this.#lines.push(line);
    this.#rows.push(null);
  }
}
