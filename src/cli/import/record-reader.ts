import path from 'node:path';
import { ApiError, apiError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import type { CsvReader } from '../../formats/csv.ts';
import type { StructureLimits } from '../../formats/json-scan.ts';
import { recordContent, type RecordFraming } from '../../formats/split-records.ts';
import { readRowJson } from '../../formats/row-json.ts';
import { usageError } from '../command-error.ts';

/** The format of an imported or exported file. */
export const FORMATS = ['ndjson', 'json', 'csv'] as const;

export type RecordFormat = (typeof FORMATS)[number];

const EXTENSIONS: Readonly<Record<string, RecordFormat>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.tab': 'csv',
  '.psv': 'csv',
};

/** The framing of the records of each format. */
export const FRAMINGS: Readonly<Record<RecordFormat, RecordFraming>> = { ndjson: 'lines', json: 'json', csv: 'csv' };

/**
 * The format of a file: the one that the flag names, else by the file extension, else NDJSON.
 *
 * @throws {CommandError} exit 2 for an unknown format
 */
export function recordFormat(file: string, flag: string | undefined): RecordFormat {
  if (flag === undefined) return EXTENSIONS[path.extname(file).toLowerCase()] ?? 'ndjson';
  const format = FORMATS.find((name) => name === flag);
  if (format !== undefined) return format;
  throw usageError(`--format: '${flag}' is not a valid format; use ndjson, json or csv.`);
}

/**
 * Parses a record. Returns undefined for one that holds no row: the header of CSV, the closing bracket of a JSON array.
 */
export type ReadRecord = (raw: Uint8Array) => Json | undefined;

/** The facts of a collection that a reader of records needs. */
export interface RecordSource {
  readonly format: RecordFormat;
  readonly limits: StructureLimits;
  /** @throws {ApiError} for a header that the collection has no columns for */
  readonly csvReader: (header: string) => CsvReader;
}

/**
 * Creates the reader of a file's records.
 *
 * @param first the first record of the file, which is the header in CSV
 * @param atStart whether reading starts with the first record; false where an import resumes after it
 * @throws {ApiError} REQUEST_BODY_MALFORMED for an invalid header
 */
export function recordReader(
  { format, limits, csvReader }: RecordSource,
  first: Uint8Array,
  atStart: boolean,
): ReadRecord {
  switch (format) {
    case 'ndjson':
      return (raw) => readRowJson(recordContent(raw), limits);
    case 'csv':
      return csvRecords(csvReader(decodeUtf8(first)), atStart);
    case 'json':
      return jsonRecords(limits, atStart);
  }
}

function csvRecords(read: CsvReader, atStart: boolean): ReadRecord {
  let header = atStart;
  return (raw) => {
    if (!header) return read(decodeUtf8(recordContent(raw)));
    header = false;
    return undefined;
  };
}

/** Reads the items of one array. A record is an item with the bracket or comma before it, or the closing bracket. */
function jsonRecords(limits: StructureLimits, atStart: boolean): ReadRecord {
  let first = atStart;
  return (raw) => {
    const bytes = recordContent(raw);
    const separator = skipWhitespace(bytes, 0);
    const isFirst = first;
    first = false;
    let at = separator;
    if (bytes[at] === (isFirst ? OPEN : COMMA)) at = skipWhitespace(bytes, at + 1);
    if (
      bytes[at] === CLOSE &&
      (isFirst ? at > separator : at === separator) &&
      skipWhitespace(bytes, at + 1) === bytes.length
    )
      return undefined;
    if (at === separator) {
      const message = isFirst
        ? 'The file must be a single array of objects.'
        : 'The objects of the array must be separated by commas.';
      throw apiError('REQUEST_BODY_MALFORMED', message);
    }
    return readRowJson(bytes.subarray(at), limits);
  };
}

const [OPEN, CLOSE, COMMA] = [0x5b, 0x5d, 0x2c];
const WHITESPACE: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

function skipWhitespace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (WHITESPACE.has(bytes[at])) at += 1;
  return at;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError(400, 'REQUEST_BODY_MALFORMED', 'The record is not valid UTF-8; save the file as UTF-8.', {
      cause,
    });
  }
}
