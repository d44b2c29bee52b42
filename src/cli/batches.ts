import { ApiError, type ErrorDetail } from '../conventions/errors.ts';
import { isJsonObject, type Json } from '../conventions/json.ts';
import { content, isBlank, type Line, MAX_LINE } from '../formats/lines.ts';
import { type Position, positionOf, type Reached } from './position.ts';

/** How much goes into one transaction: enough that its sync is shared by many rows, little enough to lose or to hold in memory. */
export const BATCH = { rows: 1_000, bytes: 1_048_576 };

/** What is wrong with a line of the source. */
export interface LineFault {
  /** Counted from 1. */
  readonly line: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

/** Lines that are committed together. */
export interface Batch {
  /** The line of each row. */
  readonly lines: readonly number[];
  /** A row for each line that is not blank. Null where the line holds none: no row is null, so the batch is refused, and all of it judged. */
  readonly rows: readonly Json[];
  /** Lines that hold no row. */
  readonly faults: readonly LineFault[];
  /** The position behind the last line. */
  readonly end: Position;
}

/** Reads the value of a line. @throws {ApiError} where the bytes are not I-JSON (REP-7) */
export type ReadValue = (bytes: Uint8Array) => Json;

/** Gathers lines into batches. @param from where the first line begins */
export async function* readBatches(
  lines: AsyncIterable<Line>,
  from: Reached,
  readValue: ReadValue,
): AsyncGenerator<Batch> {
  const batch = new BatchBuilder(from, readValue);
  for await (const line of lines) {
    batch.add(line);
    if (batch.full) yield batch.finish();
  }
  if (!batch.empty) yield batch.finish();
}

class BatchBuilder {
  readonly #hash: Reached['hash'];
  readonly #readValue: ReadValue;
  #breaks: number;
  #bytes: number;
  #start: number;
  #lines: number[] = [];
  #rows: Json[] = [];
  #faults: LineFault[] = [];

  constructor({ lines, bytes, hash }: Reached, readValue: ReadValue) {
    this.#hash = hash;
    this.#breaks = lines;
    this.#bytes = bytes;
    this.#start = bytes;
    this.#readValue = readValue;
  }

  get full(): boolean {
    return this.#rows.length >= BATCH.rows || this.#bytes - this.#start >= BATCH.bytes;
  }

  get empty(): boolean {
    return this.#rows.length === 0;
  }

  add({ number, raw }: Line): void {
    if (raw === null) {
      this.#refuse(number, 'REQUEST_BODY_TOO_LARGE', `The line is longer than ${MAX_LINE} bytes; shorten it.`);
      return;
    }
    this.#hash.update(raw);
    this.#bytes += raw.length;
    this.#breaks += raw.at(-1) === 0x0a ? 1 : 0;
    const bytes = content(raw);
    if (!isBlank(bytes)) this.#read(number, bytes);
  }

  finish(): Batch {
    const end = positionOf({ lines: this.#breaks, bytes: this.#bytes, hash: this.#hash });
    const batch = { lines: this.#lines, rows: this.#rows, faults: this.#faults, end };
    this.#start = this.#bytes;
    this.#lines = [];
    this.#rows = [];
    this.#faults = [];
    return batch;
  }

  #read(number: number, bytes: Uint8Array): void {
    try {
      const value = this.#readValue(bytes);
      if (isJsonObject(value)) {
        this.#lines.push(number);
        this.#rows.push(value);
      } else {
        this.#refuse(number, 'REQUEST_BODY_MALFORMED', 'The line is not a JSON object; write one object on each line.');
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
