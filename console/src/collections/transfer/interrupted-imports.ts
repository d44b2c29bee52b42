import { isRecord } from '../../schema/json-access.ts';
import type { ColumnMapping } from './file-columns.ts';

/** An import that has begun and is not complete. It survives a reload of the page. */
export interface InterruptedImport {
  readonly key: string;
  readonly mapping: ColumnMapping;
  /** Milliseconds since the epoch. */
  readonly started: number;
}

/** The server knows a key for 24 hours (MET-12). */
const LIFETIME = 23 * 3_600_000;

/** The place of an import: the same file into the same collection. @param path of the collection, with its parents */
export function nameImport(path: string, { name, size, lastModified }: File): string {
  return `restwright-import ${document.baseURI} ${path} ${name} ${size} ${lastModified}`;
}

/** Finds the import that was interrupted; null without one. */
export function findInterrupted(name: string): InterruptedImport | null {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    if (!isRecord(found) || !isRecord(found['mapping'])) return null;
    const { key, started } = found;
    if (typeof key !== 'string' || typeof started !== 'number' || Date.now() - started > LIFETIME) return null;
    const pairs = Object.entries(found['mapping']).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    );
    return { key, started, mapping: Object.fromEntries(pairs) };
  } catch {
    // Without storage, an import continues only while its dialog is open.
    return null;
  }
}

/** Stores that an import has begun. */
export function storeInterrupted(name: string, begun: InterruptedImport): void {
  try {
    localStorage.setItem(name, JSON.stringify(begun));
  } catch {
    // The storage is full or not allowed.
  }
}

/** Removes an import that is complete: the same file may be imported again. */
export function removeInterrupted(name: string): void {
  try {
    localStorage.removeItem(name);
  } catch {
    // The storage is not allowed.
  }
}
