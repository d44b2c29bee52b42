import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import {
  decodeStart,
  type Delimiter,
  detectDelimiter,
  detectEncoding,
  type Encoding,
  hasSeveralValues,
  namedDelimiter,
} from '../../formats/text-form.ts';
import { describeFileError, usageError } from '../command-error.ts';

/** A file of rows: CSV, NDJSON, or JSON that is an array or an object of arrays. */
export interface DataFile extends TextForm {
  /** The path as given on the command line. */
  readonly file: string;
  readonly format: 'csv' | 'ndjson' | 'json';
  /** True for UTF-8 with commas: it can be read from any record on. */
  readonly isPlain: boolean;
}

/** The form of the text of a data file. */
interface TextForm {
  readonly encoding: Encoding;
  /** The separator of cells. */
  readonly delimiter: Delimiter;
}

/** A form that the command line names, in place of the one that is detected. */
export type NamedForm = Partial<TextForm>;

/** The kind of a file, as far as `serve` and `init` need it. */
export type FileKind =
  | { readonly kind: 'data'; readonly data: DataFile }
  /** A model, or a file that is no data. */
  | { readonly kind: 'model' }
  | { readonly kind: 'open-api' };

const CSV: ReadonlySet<string> = new Set(['.csv', '.tsv', '.tab', '.psv']);
const JSON_FILE = /^\.(?:json|ndjson|jsonl)$/;
const YAML = /^\.ya?ml$/;
/** The length of the longest model, in bytes of UTF-8. A longer file can only be data. */
const MAX_MODEL_BYTES = 48 * 1024 * 1024;
/** The first bytes of a file, by which its form is detected. */
const START_BYTES = 262_144;

/**
 * Finds the kind of a file: by its extension and, for JSON and YAML, by its content. An object with an object
 * `resources` is a model, one with `openapi` or `swagger` a description. An array and several values are data, and so
 * is any other object with an array.
 *
 * @throws {CommandError} exit 2 for a file that cannot be read, and for a JSON object that is none of them
 */
export async function fileKind(file: string, named: NamedForm = {}): Promise<FileKind> {
  const extension = path.extname(file).toLowerCase();
  if (CSV.has(extension)) return { kind: 'data', data: await describeData(file, 'csv', named) };
  // If it cannot be read, reading it as a model names the error.
  if (YAML.test(extension)) return { kind: (await hasOpenApi(file).catch(() => false)) ? 'open-api' : 'model' };
  if (!JSON_FILE.test(extension)) return { kind: 'model' };
  const data = await describeData(file, 'json', named);
  return data.format === 'ndjson' ? { kind: 'data', data } : reading(file, () => jsonKind(data, extension));
}

/**
 * Describes a data file by its first bytes: its encoding, the separator of CSV, and whether JSON is one value or
 * several.
 *
 * @param format of the file, as its name has it
 * @throws {CommandError} exit 2 for a file that cannot be read
 */
export async function describeData(file: string, format: DataFile['format'], named: NamedForm): Promise<DataFile> {
  const bytes = await reading(file, () => startBytes(file, START_BYTES));
  const encoding = named.encoding ?? detectEncoding(bytes);
  const text = decodeStart(bytes, encoding);
  const delimiter = named.delimiter ?? (format === 'csv' ? detectDelimiter(text) : ',');
  const isSeveral = format === 'json' && hasSeveralValues(text);
  const [first = ''] = text.split('\n', 1);
  const isPlain = encoding === 'utf-8' && delimiter === ',' && namedDelimiter(first) === null;
  return { file, format: isSeveral ? 'ndjson' : format, encoding, delimiter, isPlain };
}

/** @throws {CommandError} exit 2 where the file system fails */
export async function reading<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw usageError(`cannot read ${file}: ${describeFileError(error)}`);
    throw error;
  }
}

async function jsonKind(json: DataFile, extension: string): Promise<FileKind> {
  const { file, encoding } = json;
  const data: FileKind = { kind: 'data', data: json };
  if (extension !== '.json') return { kind: 'data', data: { ...json, format: 'ndjson' } };
  if ((await firstCharacter(file, encoding)) === '[') return data;
  if ((await stat(file)).size > MAX_MODEL_BYTES) return (await hasOpenApi(file)) ? { kind: 'open-api' } : data;
  const value = parse(new TextDecoder(encoding).decode(await readFile(file)));
  if (!isJsonObject(value)) return { kind: 'model' };
  if ('openapi' in value || 'swagger' in value) return { kind: 'open-api' };
  if (isJsonObject(value['resources'])) return { kind: 'model' };
  if (Object.values(value).some((member) => Array.isArray(member))) return data;
  if ('name' in value || 'resources' in value) return { kind: 'model' };
  throw usageError(
    `${file} is neither a model nor a data file. A model has a name and resources; a data file is an array of objects, or an object of such arrays.`,
  );
}

/** Null for a text that is not JSON: reading it as a model names the error. */
function parse(text: string): Json {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}

/** True if a JSON file is an object. @throws {CommandError} exit 2 for a file that cannot be read */
export function startsWithObject({ file, encoding }: DataFile): Promise<boolean> {
  return reading(file, async () => (await firstCharacter(file, encoding)) === '{');
}

async function firstCharacter(file: string, encoding: Encoding): Promise<string> {
  return decodeStart(await startBytes(file, 4_096), encoding)
    .trimStart()
    .charAt(0);
}

/** True if a file in JSON or YAML begins like a description. */
async function hasOpenApi(file: string): Promise<boolean> {
  const text = decodeStart(await startBytes(file, 4_096), 'utf-8');
  return /^\s*\{\s*"(?:openapi|swagger)"/.test(text) || /^(?:openapi|swagger) *:/m.test(text);
}

async function startBytes(file: string, length: number): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
