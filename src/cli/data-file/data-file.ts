import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { describeFileError, usageError } from '../command-error.ts';

/** A file of rows: CSV, NDJSON, or JSON that is an array or an object of arrays. */
export interface DataFile {
  /** The path as given on the command line. */
  readonly file: string;
  readonly format: 'csv' | 'ndjson' | 'json';
}

/** The kind of a file, as far as `serve` and `init` need it. */
export type FileKind =
  | { readonly kind: 'data'; readonly data: DataFile }
  /** A model, or a file that is no data. */
  | { readonly kind: 'model' }
  | { readonly kind: 'open-api' };

const DATA_EXTENSIONS: Readonly<Record<string, DataFile['format']>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};
const YAML = /^\.ya?ml$/;
/** The length of the longest model, in bytes of UTF-8. A longer file can only be data. */
const MAX_MODEL_BYTES = 48 * 1024 * 1024;

/**
 * Finds the kind of a file: by its extension and, for JSON and YAML, by its content. An object with an object
 * `resources` is a model, one with `openapi` or `swagger` a description. An array is data, and so is any other object
 * with an array.
 *
 * @throws {CommandError} exit 2 for a file that cannot be read, and for a JSON object that is none of them
 */
export async function fileKind(file: string): Promise<FileKind> {
  const extension = path.extname(file).toLowerCase();
  const format = DATA_EXTENSIONS[extension];
  if (format !== undefined) return { kind: 'data', data: { file, format } };
  // If it cannot be read, reading it as a model names the error.
  if (YAML.test(extension)) return { kind: (await hasOpenApi(file).catch(() => false)) ? 'open-api' : 'model' };
  if (extension !== '.json') return { kind: 'model' };
  return reading(file, () => jsonKind(file));
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

async function jsonKind(file: string): Promise<FileKind> {
  const data: FileKind = { kind: 'data', data: { file, format: 'json' } };
  if ((await firstCharacter(file)) === '[') return data;
  if ((await stat(file)).size > MAX_MODEL_BYTES) return (await hasOpenApi(file)) ? { kind: 'open-api' } : data;
  const value = parse(await readFile(file, 'utf8'));
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
export function startsWithObject(file: string): Promise<boolean> {
  return reading(file, async () => (await firstCharacter(file)) === '{');
}

async function firstCharacter(file: string): Promise<string> {
  return (await start(file))
    .replace(/^\uFEFF/, '')
    .trimStart()
    .charAt(0);
}

/** True if a file in JSON or YAML begins like a description. */
async function hasOpenApi(file: string): Promise<boolean> {
  const text = (await start(file)).replace(/^\uFEFF/, '');
  return /^\s*\{\s*"(?:openapi|swagger)"/.test(text) || /^(?:openapi|swagger) *:/m.test(text);
}

/** The first bytes of a file, as text. */
async function start(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4_096), 0, 4_096, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
