import { ApiError, type ErrorDetail } from '../../conventions/errors.ts';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { recordContent, isBlank, type RawRecord } from '../../formats/split-records.ts';
import type { ReadRecord } from './record-reader.ts';
import { type ImportCheckpoint, checkpointAt, type ResumePoint } from './import-checkpoint.ts';

/** The size of one transaction: large enough for many rows to share one sync, small enough to hold in memory. */
export const CHUNK_LIMITS = { rows: 1_000, bytes: 1_048_576 };

/** The longest record of a file, in bytes. A row that grew by many updates may be larger than one request body. */
export const MAX_RECORD_BYTES = 67_108_864;

/** An error in a line of the file. */
export interface LineError {
  /** From 1. */
  readonly line: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

/** Records that are committed in one transaction. */
export interface ImportChunk {
  /** The line of each row. */
  readonly lines: readonly number[];
  /**
   * A row for each record that is not blank. An unreadable record is null, which is never a valid row: the chunk is
   * refused as a whole, and every row is validated.
   */
  readonly rows: readonly Json[];
  /** The errors of unreadable records. */
  readonly errors: readonly LineError[];
  /** The checkpoint after the last record. */
  readonly end: ImportCheckpoint;
}

/** Groups records into chunks. @param from where the first record begins */
export async function* readImportChunks(
  records: AsyncIterable<RawRecord>,
  from: ResumePoint,
  readRecord: ReadRecord,
): AsyncGenerator<ImportChunk> {
  const chunk = new ImportChunkBuilder(from, readRecord);
  for await (const record of records) {
    chunk.add(record);
    if (chunk.isFull) yield chunk.finish();
  }
  if (!chunk.isEmpty) yield chunk.finish();
}

class ImportChunkBuilder {
  readonly #hash: ResumePoint['hash'];
  readonly #readRecord: ReadRecord;
  #breaks: number;
  #bytes: number;
  #start: number;
  #lines: number[] = [];
  #rows: Json[] = [];
  #errors: LineError[] = [];

  constructor({ lines, bytes, hash }: ResumePoint, readRecord: ReadRecord) {
    this.#hash = hash;
    this.#breaks = lines;
    this.#bytes = bytes;
    this.#start = bytes;
    this.#readRecord = readRecord;
  }

  get isFull(): boolean {
    return this.#rows.length >= CHUNK_LIMITS.rows || this.#bytes - this.#start >= CHUNK_LIMITS.bytes;
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  add({ number, breaks, raw }: RawRecord): void {
    if (raw === null) {
      const message = `The record is longer than ${MAX_RECORD_BYTES} bytes; shorten it.`;
      this.#addError({ line: number, code: 'REQUEST_BODY_TOO_LARGE', message, details: [] });
      return;
    }
    this.#hash.update(raw);
    this.#bytes += raw.length;
    this.#breaks += breaks;
    if (!isBlank(recordContent(raw))) this.#read(number, raw);
  }

  finish(): ImportChunk {
    const end = checkpointAt({ lines: this.#breaks, bytes: this.#bytes, hash: this.#hash });
    const chunk = { lines: this.#lines, rows: this.#rows, errors: this.#errors, end };
    this.#start = this.#bytes;
    this.#lines = [];
    this.#rows = [];
    this.#errors = [];
    return chunk;
  }

  #read(line: number, raw: Uint8Array): void {
    try {
      const value = this.#readRecord(raw);
      if (value === undefined) return;
      if (isJsonObject(value)) {
        this.#lines.push(line);
        this.#rows.push(value);
      } else {
        const message = 'The record is not a JSON object; write one object for each row.';
        this.#addError({ line, code: 'REQUEST_BODY_MALFORMED', message, details: [] });
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The reader sees a single line, so that the line number in its message is always 1.
      const message = error.message.replace('line 1, column', 'column');
      this.#addError({ line, code: error.code, message, details: error.details });
    }
  }

  #addError(error: LineError): void {
    this.#errors.push(error);
    this.#lines.push(error.line);
    this.#rows.push(null);
  }
}
