import { escapeFormula } from '../../../../src/formats/csv-formula.ts';
import { type CreatedLine, isRequestError } from 'restwright/client';
import type { AnyCollection, ApiCalls } from '../../api/calls.ts';
import type { ApiField } from '../../schema/api-schema.ts';
import { texts } from '../../texts.ts';
import { type ColumnMapping, createBodyReader, type ReadBody } from './file-columns.ts';
import { type FileForm, type FileRecord, readRecords } from './read-rows.ts';
import { type PageOptions, pause } from './read-page.ts';

/** The rows to import. */
export interface ImportSource {
  readonly file: File;
  readonly form: FileForm;
  readonly mapping: ColumnMapping;
  readonly targets: readonly ApiField[];
  /** The name of the collection. */
  readonly collection: string;
}

/** A record that is no row of the collection, or that the server has refused. */
export interface RefusedRecord {
  readonly line: number;
  readonly message: string;
  readonly text: string;
}

/** The state of an import. */
export interface ImportProgress {
  readonly created: number;
  readonly refused: readonly RefusedRecord[];
  /** The part of the file that is done, up to 1. */
  readonly part: number;
}

/** Records of a request: few, so that people see progress, and little is sent again after a stop. */
const BATCH_RECORDS = 200;
const BATCH_CHARACTERS = 262_144;
/** Refused records in a row after which an import ends: the file does not fit. */
const MAX_REFUSED = 1_000;

/** The import ended because too many records in a row were refused. */
export class UnfitFileError extends Error {}

/**
 * Imports the rows of a file in batches. Each batch has an idempotency key of its own, by its number. After a stop, a
 * failure or a reload, a run with the same key therefore creates no row twice.
 */
export class RowImport {
  readonly #source: ImportSource;
  readonly #key: string;
  readonly #refused: RefusedRecord[] = [];
  #read: ReadBody | null = null;
  #header = '';
  #created = 0;
  #bytes = 0;
  #records = 0;
  #batches = 0;
  #refusedInRow = 0;

  /** @param key that of the whole import */
  constructor(source: ImportSource, key: string) {
    this.#source = source;
    this.#key = key;
  }

  /**
   * Imports the rest of the file.
   *
   * @throws {UnfitFileError} after 1,000 refused records in a row
   * @throws {RequestError} if a batch could not be sent; {@link run} may be called again after any exception
   */
  async run(
    { calls, target }: { readonly calls: ApiCalls; readonly target: AnyCollection },
    options: PageOptions,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<void> {
    const { file } = this.#source;
    for await (const batch of this.#batchesAfter(this.#records)) {
      options.signal.throwIfAborted();
      const rows = batch.map((record) => this.#read?.(record));
      const bodies = rows.filter((row) => row !== undefined);
      const idempotencyKey = `${this.#key}-${this.#batches}`;
      const send = (): Promise<readonly CreatedLine[]> =>
        calls.run(() => collect(target.createMany(bodies, { idempotencyKey, signal: options.signal })));
      const results = [...(await waitForLimits(send, options))];
      for (const [index, record] of batch.entries())
        this.#note(record, rows[index] === undefined ? null : (results.shift() ?? null));
      this.#batches += 1;
      this.#records += batch.length;
      const part = file.size === 0 ? 1 : Math.min(1, this.#bytes / file.size);
      onProgress({ created: this.#created, refused: [...this.#refused], part });
      if (this.#refusedInRow < MAX_REFUSED) continue;
      this.#refusedInRow = 0;
      throw new UnfitFileError(texts.transfer.unfit);
    }
    onProgress({ created: this.#created, refused: [...this.#refused], part: 1 });
  }

  /** The name of the file that {@link listRefused} makes. */
  get refusedName(): string {
    return `${this.#source.collection}-refused.${this.#source.form.format === 'csv' ? 'csv' : 'ndjson'}`;
  }

  /** The refused records with their reasons: CSV for CSV, which can be corrected and imported, else NDJSON. */
  listRefused(): Blob {
    const { format, delimiter } = this.#source.form;
    const lines = this.#refused.map(({ line, message, text }) =>
      format === 'csv'
        ? `${[line, quoteCell(escapeFormula(message)), text].join(delimiter)}\r\n`
        : `${JSON.stringify({ line, error: message, record: text })}\n`,
    );
    const header = format === 'csv' ? `${['line', 'error', this.#header].join(delimiter)}\r\n` : '';
    return new Blob([header, ...lines]);
  }

  #note(record: FileRecord, result: CreatedLine | null): void {
    this.#bytes += record.bytes;
    if (result !== null && result.error === null) {
      this.#created += 1;
      this.#refusedInRow = 0;
      return;
    }
    const message = result === null ? texts.transfer.malformed : describeRefusal(result.error);
    this.#refused.push({ line: record.line, message, text: record.text });
    this.#refusedInRow += 1;
  }

  /** The batches of the file, which are the same in each run, without records that are done. */
  async *#batchesAfter(done: number): AsyncGenerator<readonly FileRecord[]> {
    let batch: FileRecord[] = [];
    let size = 0;
    let count = 0;
    for await (const record of this.#rows()) {
      count += 1;
      if (count <= done) continue;
      if (batch.length === BATCH_RECORDS || (size > 0 && size + record.text.length > BATCH_CHARACTERS)) {
        yield batch;
        [batch, size] = [[], 0];
      }
      batch.push(record);
      size += record.text.length;
    }
    if (batch.length > 0) yield batch;
  }

  /** The records without the header, which makes the reader of the others. */
  async *#rows(): AsyncGenerator<FileRecord> {
    const { file, form, collection } = this.#source;
    let isHeader = form.format === 'csv';
    if (!isHeader) this.#read = createBodyReader(form, '', this.#source);
    for await (const record of readRecords(file, form, collection)) {
      if (isHeader) {
        this.#header = record.text;
        this.#read = createBodyReader(form, record.text, this.#source);
      } else yield record;
      isHeader = false;
    }
  }
}

async function collect(results: AsyncIterable<CreatedLine>): Promise<readonly CreatedLine[]> {
  const all: CreatedLine[] = [];
  for await (const result of results) all.push(result);
  return all;
}

/** Sends again what a limit has refused, as soon as the server allows it. */
export async function waitForLimits<T>(send: () => Promise<T>, options: PageOptions): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isRequestError(error) || (error.status !== 429 && error.status !== 503)) throw error;
      if (error.retryAfter === null) throw error;
      await pause(error.retryAfter, options);
    }
  }
}

/** The reasons of a refusal, field by field. */
export function describeRefusal(error: unknown): string {
  if (!isRequestError(error)) return error instanceof Error ? error.message : String(error);
  const { details, message } = error;
  return details.length === 0 ? message : details.map((each) => `${each.field} ${each.message}`.trim()).join('; ');
}

function quoteCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
