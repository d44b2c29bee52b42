import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { readNumber, readObject, readString } from '../../model/values/access.ts';

/** The progress of the import of a data file. It is stored in the transactions that write the rows. */
export interface DataBookmark extends FileContent {
  /** The resource that is being imported, and the number of its rows so far; null when all are. */
  readonly position: { readonly resource: string; readonly rows: number } | null;
}

/** Identifies the content of a file. */
export interface FileContent {
  readonly size: number;
  /** Time of the last modification, in milliseconds. */
  readonly modified: number;
  /** SHA-256, in hexadecimal. */
  readonly sha256: string;
}

/** Parses a stored bookmark. */
export function parseBookmark(value: string | null): DataBookmark | null {
  if (value === null) return null;
  const parsed: Json = JSON.parse(value);
  const { size, modified, sha256, position = null } = readObject(parsed);
  const at = isJsonObject(position)
    ? { resource: readString(position['resource']) ?? '', rows: readNumber(position['rows']) ?? 0 }
    : null;
  return {
    size: readNumber(size) ?? 0,
    modified: readNumber(modified) ?? 0,
    sha256: readString(sha256) ?? '',
    position: at,
  };
}

/**
 * The content of a file. A file with the size and time that are known already is not read.
 *
 * @throws the error of the file system
 */
export async function measureContent(file: string, known: FileContent | null): Promise<FileContent> {
  const { size, mtimeMs: modified } = await stat(file);
  if (known !== null && known.size === size && known.modified === modified) return known;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) {
    const bytes: Uint8Array = chunk;
    hash.update(bytes);
  }
  return { size, modified, sha256: hash.digest('hex') };
}
