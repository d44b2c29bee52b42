import path from 'node:path';
import { ApiError, apiError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json.ts';
import type { CsvReader } from '../../formats/csv.ts';
import { readJson } from '../../formats/json.ts';
import type { StructureLimits } from '../../formats/json-scan.ts';
import { recordContent, type RecordFraming } from '../../formats/split-records.ts';
import { usageError } from '../command-error.ts';

/** How the rows of a file are written. */
export type RecordFormat = 'ndjson' | 'json' | 'csv';

const EXTENSIONS: Readonly<Record<string, RecordFormat>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.csv': 'csv',
};

/** What parts the records of each format. */
export const FRAMINGS: Readonly<Record<RecordFormat, RecordFraming>> = { ndjson: 'lines', json: 'json', csv: 'csv' };

/**
 * The format that a flag names, else the one that the name of a file tells.
 *
 * @throws {CommandFailure} exit 2 for a flag that names none
 */
export function recordFormat(file: string, flag: string | undefined): RecordFormat {
  if (flag === undefined) return EXTENSIONS[path.extname(file).toLowerCase()] ?? 'ndjson';
  if (flag === 'ndjson' || flag === 'json' || flag === 'csv') return flag;
  throw usageError(`--format: '${flag}' is no format; use ndjson, json or csv.`);
}

/** What a record holds: a row, or nothing but what stands around rows. */
export type ReadRecord = (raw: Uint8Array) => Json | undefined;

/** What reading records takes from the API. */
export interface RecordSource {
  readonly format: RecordFormat;
  readonly limits: StructureLimits;
  /** @throws {ApiError} for a header that the collection has no columns for */
  readonly csvReader: (header: string) => CsvReader;
}

/**
 * The reading of a file's records.
 *
 * @param first the first record of the file, which in CSV names the columns
 * @param begins whether the reading begins with it, and not behind it
 * @throws {ApiError} REQUEST_BODY_MALFORMED for a header that cannot be
 */
export function recordReader(
  { format, limits, csvReader }: RecordSource,
  first: Uint8Array,
  begins: boolean,
): ReadRecord {
  switch (format) {
    case 'ndjson':
      return (raw) => readJson(recordContent(raw), limits);
    case 'csv':
      return csvRecords(csvReader(text(first)), begins);
    case 'json':
      return jsonRecords(limits, begins);
  }
}

function csvRecords(read: CsvReader, begins: boolean): ReadRecord {
  let header = begins;
  return (raw) => {
    if (!header) return read(text(recordContent(raw)));
    header = false;
    return undefined;
  };
}

/** The items of one array, each with the bracket or comma before it; the closing bracket stands by itself. */
function jsonRecords(limits: StructureLimits, begins: boolean): ReadRecord {
  let first = begins;
  return (raw) => {
    const bytes = recordContent(raw);
    const sign = skipSpace(bytes, 0);
    const isFirst = first;
    first = false;
    let at = sign;
    if (bytes[at] === (isFirst ? OPEN : COMMA)) at = skipSpace(bytes, at + 1);
    if (bytes[at] === CLOSE && (isFirst ? at > sign : at === sign) && skipSpace(bytes, at + 1) === bytes.length)
      return undefined;
    if (at === sign) {
      const message = isFirst
        ? 'The file must be one array of objects.'
        : 'A comma must part the objects of the array.';
      throw apiError('REQUEST_BODY_MALFORMED', message);
    }
    return readJson(bytes.subarray(at), limits);
  };
}

const [OPEN, CLOSE, COMMA] = [0x5b, 0x5d, 0x2c];
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (SPACES.has(bytes[at])) at += 1;
  return at;
}

function text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError(400, 'REQUEST_BODY_MALFORMED', 'The record is not UTF-8: save the file in UTF-8.', { cause });
  }
}
