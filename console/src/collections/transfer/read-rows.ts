import { parseRowText } from '../../../../src/formats/row-values.ts';
import { splitCollections } from '../../../../src/formats/split-collections.ts';
import { recordContent, splitRecords } from '../../../../src/formats/split-records.ts';
import {
  decodeStart,
  detectDelimiter,
  detectEncoding,
  encodeAsUtf8,
  type Encoding,
  hasSeveralValues,
  namedDelimiter,
} from '../../../../src/formats/text-form.ts';
import { isRecord, type JsonRecord } from '../../schema/json-access.ts';
import type { FileFormat } from './file-format.ts';

/** The form of a file of rows, as its first bytes show it. */
export interface FileForm {
  readonly format: FileFormat;
  readonly encoding: Encoding;
  /** The separator of the cells of CSV. */
  readonly delimiter: string;
}

/** A record of a file. */
export interface FileRecord {
  /** The number of its first line, from 1. */
  readonly line: number;
  /** Its text, without its line break. */
  readonly text: string;
  /** Its length in the file, more or less. */
  readonly bytes: number;
}

const START = 65_536;
const MAX_RECORD = 1_048_576;

/** Detects the form of a file. */
export async function detectForm(file: Blob & { readonly name?: string }): Promise<FileForm> {
  const start = new Uint8Array(await file.slice(0, START).arrayBuffer());
  const encoding = detectEncoding(start);
  const text = decodeStart(start, encoding);
  return { format: detectFormat(file.name ?? '', text), encoding, delimiter: detectDelimiter(text) };
}

function detectFormat(name: string, text: string): FileFormat {
  const extension = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === 'csv' || extension === 'tsv') return 'csv';
  if (extension === 'ndjson' || extension === 'jsonl') return 'ndjson';
  const [first] = text.trimStart();
  if (first === '[') return 'json';
  if (first === '{') return hasSeveralValues(text) ? 'ndjson' : 'json';
  return 'csv';
}

/**
 * The records of a file, in constant memory. Those of CSV begin with the header; blank lines are left out.
 *
 * @param collection the list of a JSON object that is read: the one with this name
 * @throws {Error} where a record is too long, or the JSON is no list of rows
 */
export async function* readRecords(file: Blob, form: FileForm, collection: string): AsyncGenerator<FileRecord> {
  const chunks = encodeAsUtf8(readChunks(file), form.encoding);
  if (form.format === 'json') {
    for await (const part of splitCollections(chunks, MAX_RECORD))
      if (part.kind === 'item' && (part.collection === null || part.collection === collection))
        yield { line: part.line, text: decode(part.raw), bytes: part.raw.length };
    return;
  }
  for await (const { number, raw } of splitRecords(chunks, form.format === 'csv' ? 'csv' : 'lines')) {
    if (raw === null) throw new Error(`Line ${number} is longer than 1 MiB.`);
    const text = decode(recordContent(raw));
    const isNamed = number === 1 && form.format === 'csv' && namedDelimiter(text) !== null;
    if (text.trim() !== '' && !isNamed) yield { line: number, text, bytes: raw.length };
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** The bytes of a file. Not every browser iterates over its stream. */
async function* readChunks(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** The value of a record of JSON; undefined if it is no object. */
export function parseRow(text: string): JsonRecord | undefined {
  try {
    const value = parseRowText(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
