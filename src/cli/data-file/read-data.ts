import { createReadStream } from 'node:fs';
import path from 'node:path';
import { ApiError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import { joinWithCommas, readCells, readManyCells } from '../../formats/csv.ts';
import type { StructureLimits } from '../../formats/json-scan.ts';
import { decodeUtf8 } from '../../formats/malformed-body.ts';
import { type DataPart, splitCollections } from '../../formats/split-collections.ts';
import { isBlank, type RecordFraming, recordContent, splitRecords } from '../../formats/split-records.ts';
import { type Delimiter, encodeAsUtf8, namedDelimiter } from '../../formats/text-form.ts';
import { DataError } from '../../infer/data-error.ts';
import { readRowJson } from '../../formats/row-json.ts';
import { MAX_RECORD_BYTES } from '../import/import-chunks.ts';
import type { DataFile } from './data-file.ts';

/** A part of a data file. */
export type DataRecord =
  /** A collection starts. `isAlone`: the file has no other. `isSingle`: it is one object. */
  | {
      readonly kind: 'collection';
      readonly collection: string;
      readonly isAlone: boolean;
      readonly isSingle?: boolean;
    }
  /** The bytes of a row. In CSV, the columns are those of the header. */
  | { readonly kind: 'row'; readonly collection: string; readonly line: number; readonly raw: Uint8Array }
  /** A part that has no rows, and why. */
  | { readonly kind: 'ignored'; readonly collection: string; readonly line: number };

export type RowRecord = Extract<DataRecord, { readonly kind: 'row' }>;

/** The source of the rows of a file. */
export interface DataSource {
  readonly data: DataFile;
  /** Called with the number of bytes that have been read. */
  readonly onRead?: (bytes: number) => void;
}

const FRAMINGS: Readonly<Record<'csv' | 'ndjson', RecordFraming>> = { csv: 'csv', ndjson: 'lines' };
const READ_BYTES = 262_144;

/** The name of a data file without its extensions: that of its collection, if it has one. */
export function dataName(file: string): string {
  return path.basename(file).replace(/\.[^.]*$/, '');
}

/**
 * Reads the collections of a file, in constant memory. A member of a JSON object that is an object is a collection with
 * one row; other members, such as numbers, are ignored.
 *
 * @throws {DataError} with the line of a syntax error
 */
export async function* readData(source: DataSource): AsyncGenerator<DataRecord> {
  const { data } = source;
  if (data.format === 'json') yield* readCollections(source);
  else yield* readLines(source, data.format);
}

async function* readLines(source: DataSource, format: 'csv' | 'ndjson'): AsyncGenerator<DataRecord> {
  const { file, delimiter } = source.data;
  const collection = dataName(file);
  yield { kind: 'collection', collection, isAlone: true };
  let header = format === 'csv';
  for await (const { number: line, raw } of splitRecords(readBytes(source), FRAMINGS[format], 1, MAX_RECORD_BYTES)) {
    if (raw === null) throw new DataError(line, `the row is longer than ${MAX_RECORD_BYTES} bytes`);
    const content = recordContent(raw);
    if (isBlank(content) || (header && isDelimiterLine(content))) continue;
    if (header) header = false;
    else
      yield { kind: 'row', collection, line, raw: format === 'csv' ? withCommas(content, delimiter, line) : content };
  }
}

/** Checks if a line names the separator of the cells (`sep=;`), and is no header. */
function isDelimiterLine(content: Uint8Array): boolean {
  return content.length < 10 && namedDelimiter(decodeUtf8(content)) !== null;
}

/** A record of CSV as one whose cells are separated by commas. @throws {DataError} */
function withCommas(content: Uint8Array, delimiter: Delimiter, line: number): Uint8Array {
  if (delimiter === ',') return content;
  return Buffer.from(readingRow(line, () => joinWithCommas(decodeUtf8(content), delimiter)));
}

async function* readCollections(source: DataSource): AsyncGenerator<DataRecord> {
  const seen = new Set<string | null>();
  for await (const part of splitCollections(readBytes(source), MAX_RECORD_BYTES)) {
    const collection = part.collection ?? dataName(source.data.file);
    if (part.kind !== 'item' && seen.has(part.collection)) {
      throw new DataError(part.line, `the file has two members ${JSON.stringify(collection)}; rename one of them`);
    }
    seen.add(part.collection);
    if (part.kind === 'list') yield { kind: 'collection', collection, isAlone: part.collection === null };
    else if (part.kind === 'item') yield { kind: 'row', collection, line: part.line, raw: part.raw };
    else yield* readMember(part, collection);
  }
}

/** A member of the file that is no array. */
function* readMember({ line, raw }: DataPart, collection: string): Generator<DataRecord> {
  if (raw[0] === 0x7b) {
    yield { kind: 'collection', collection, isAlone: false, isSingle: true };
    yield { kind: 'row', collection, line, raw };
    return;
  }
  parseJson(raw, line, ANY_STRUCTURE);
  yield { kind: 'ignored', collection, line };
}

const ANY_STRUCTURE: StructureLimits = { depth: 1_000, items: Number.MAX_SAFE_INTEGER };

/** The value of a row of JSON. @throws {DataError} */
export function parseJson(raw: Uint8Array, line: number, limits: StructureLimits): Json {
  return readingRow(line, () => readRowJson(raw, limits));
}

/** The error of a row of JSON that is not an object. */
export function notAnObject({ collection, line }: { readonly collection: string; readonly line: number }): DataError {
  return new DataError(line, `${collection}: the row is not an object; write one object for each row`);
}

/** The cells of rows of CSV. @throws {DataError} with the line of a malformed row */
export function parseManyCells(records: readonly RowRecord[]): readonly (readonly (string | null)[])[] {
  const texts = records.map(({ raw, line }) => readingRow(line, () => decodeUtf8(raw)));
  return readManyCells(texts) ?? records.map(({ raw, line }) => parseCells(raw, line));
}

/** The cells of a row of CSV. @throws {DataError} */
function parseCells(raw: Uint8Array, line: number): readonly (string | null)[] {
  return readingRow(line, () => readCells(decodeUtf8(raw)));
}

/**
 * The first record of a CSV file, which names its columns; null for a file without one.
 *
 * @throws {DataError} for two columns with one name
 */
export async function readHeader(
  data: DataFile,
): Promise<{ readonly text: string; readonly columns: readonly string[] } | null> {
  for await (const { number: line, raw } of splitRecords(readBytes({ data }), 'csv', 1, MAX_RECORD_BYTES)) {
    const written = recordContent(raw ?? new Uint8Array());
    if (isBlank(written) || isDelimiterLine(written)) continue;
    const content = withCommas(written, data.delimiter, line);
    const columns = parseCells(content, line).map((cell) => cell ?? '');
    const duplicate = columns.find((column, index) => columns.indexOf(column) !== index);
    if (duplicate !== undefined) {
      throw new DataError(line, `two columns have the name ${JSON.stringify(duplicate)}; rename one of them`);
    }
    return { text: decodeUtf8(content), columns };
  }
  return null;
}

/** Adds the line to the errors of a row. @throws {DataError} */
export function readingRow<T>(line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The reader sees a single row, whose lines it counts from 1.
    const at = Number(/line (\d+)/.exec(error.message)?.[1] ?? 1);
    const message = error.message.replace(/^Malformed (?:body|CSV)(?: at line \d+, (column \d+))?: /, (_, column) =>
      column === undefined ? '' : `${column}: `,
    );
    throw new DataError(line + at - 1, message.replace(/\.$/, ''));
  }
}

/** The bytes of a file as UTF-8. */
function readBytes(source: DataSource): AsyncGenerator<Uint8Array> {
  return encodeAsUtf8(readWrittenBytes(source), source.data.encoding);
}

async function* readWrittenBytes({ data, onRead }: DataSource): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of createReadStream(data.file, { highWaterMark: READ_BYTES })) {
    const buffer: Uint8Array = chunk;
    bytes += buffer.length;
    yield buffer;
    onRead?.(bytes);
  }
}
