import { performance } from 'node:perf_hooks';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { decodeUtf8 } from '../../formats/malformed-body.ts';
import { DataError } from '../../infer/data-error.ts';
import { compileSourceRows } from '../../infer/source-row.ts';
import type { Model, Resource } from '../../model/model.ts';
import { readString } from '../../model/values/access.ts';
import type { StartedApi } from '../../start-api.ts';
import { CHUNK_LIMITS } from '../import/import-chunks.ts';
import type { ChunkErrors, ImportOutcome } from '../import/import-file.ts';
import type { Progress } from '../terminal/progress.ts';
import { measureContent, type DataBookmark, type FileContent, parseBookmark } from './data-bookmark.ts';
import type { DataFile } from './data-file.ts';
import { notAnObject, parseJson, readData, readHeader, readingRow, type RowRecord } from './read-data.ts';

/** A data file to import, and what the import needs. */
export interface DataImport {
  readonly data: DataFile;
  readonly model: Model;
  readonly opened: StartedApi;
  /** The resources whose rows are imported, in order. */
  readonly resources: readonly Resource[];
  /** The name of the rows in the file, where it is not that of the resource. */
  readonly collection?: string;
  /** The name of the bookmark with which the rows are written. */
  readonly bookmark: string;
  /** True if a file without rows of a resource is an error. */
  readonly requireAll: boolean;
  /** True if events of the rows are published. */
  readonly events: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (resource: string, progress: Progress) => void;
}

/** The outcome of the import of a data file. */
export type DataImportOutcome =
  /** It was imported before. `isChanged`: the file has changed since. */
  | { readonly kind: 'known'; readonly isChanged: boolean }
  /** The file has changed since a part of it was imported. */
  | { readonly kind: 'changed-midway' }
  /** The outcome for each resource, in order; only the last may be incomplete. */
  | { readonly kind: 'imported'; readonly resources: ReadonlyMap<string, ImportOutcome> };

/**
 * Imports the rows of a data file once. Rows are written in chunks, each with a bookmark in its transaction, so that an
 * interrupted import resumes where it stopped. A file that has changed since is not imported again.
 *
 * @throws {DataError} {MalformedData} for a row that cannot be read
 */
export async function importData(job: DataImport): Promise<DataImportOutcome> {
  const { data, opened, resources, events } = job;
  const stored = parseBookmark(await opened.store.bookmarks.get(job.bookmark));
  const content = await measureContent(data.file, stored);
  if (stored !== null && stored.position === null) {
    return { kind: 'known', isChanged: stored.sha256 !== content.sha256 };
  }
  if (stored !== null && stored.sha256 !== content.sha256) return { kind: 'changed-midway' };
  const outcomes = new Map<string, ImportOutcome>();
  const position = stored?.position ?? null;
  const first = resources.findIndex(({ name }) => name === position?.resource);
  for (const resource of resources.slice(Math.max(first, 0))) {
    const skipped = resource.name === position?.resource ? position.rows : 0;
    const outcome = await importResource(job, resource, { content, skipped });
    outcomes.set(resource.name, outcome);
    if (outcome.kind !== 'complete') return { kind: 'imported', resources: outcomes };
  }
  const [last] = resources.slice(-1);
  if (last !== undefined) {
    await opened.api.importRows(last.name, [], composeBookmark(job, { ...content, position: null }), { events });
  }
  return { kind: 'imported', resources: outcomes };
}

/** The name of a resource in data files. */
function sourceName({ name, schema }: Resource): string {
  return readString(schema['x-source']) ?? name;
}

interface ImportStart {
  readonly content: FileContent;
  /** The number of rows that are imported already. */
  readonly skipped: number;
}

async function importResource(job: DataImport, resource: Resource, start: ImportStart): Promise<ImportOutcome> {
  const { skipped, content } = start;
  const began = performance.now();
  const resumed = skipped > 0;
  let bytes = 0;
  let isFound = !job.requireAll;
  let seen = 0;
  let rows = 0;
  const read = await rowReader(job, resource);
  const collection = job.collection ?? sourceName(resource);
  const chunk = new RowChunk();
  const commit = async (): Promise<ImportOutcome | null> => {
    if (job.signal.aborted) return { kind: 'stopped', rows };
    const position = { resource: resource.name, rows: seen };
    const bookmark = composeBookmark(job, { ...content, position });
    const outcome = await job.opened.api.importRows(resource.name, chunk.rows, bookmark, { events: job.events });
    if (outcome.kind === 'refused') return { kind: 'invalid', rows, ...chunk.errors(outcome.errors) };
    rows += chunk.rows.length;
    chunk.clear();
    const elapsed = performance.now() - began;
    job.onProgress(resource.name, { rows, done: bytes, start: 0, total: content.size, elapsed });
    return null;
  };
  for await (const record of readData({ data: job.data, onRead: (done) => void (bytes = done) })) {
    if (record.collection !== collection) continue;
    isFound = true;
    if (record.kind !== 'row') continue;
    seen += 1;
    if (seen <= skipped) continue;
    chunk.add(record.line, read(record), record.raw.length);
    const ended = chunk.isFull ? await commit() : null;
    if (ended !== null) return ended;
  }
  if (!isFound)
    throw new DataError(null, `the file has no member ${JSON.stringify(collection)} with the rows of the collection`);
  const ended = chunk.rows.length === 0 ? null : await commit();
  return ended ?? { kind: 'complete', rows, resumed };
}

/** The rows of one transaction. */
class RowChunk {
  readonly rows: Json[] = [];
  readonly #lines: number[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.rows.length >= CHUNK_LIMITS.rows || this.#bytes >= CHUNK_LIMITS.bytes;
  }

  add(line: number, row: Json, bytes: number): void {
    this.rows.push(row);
    this.#lines.push(line);
    this.#bytes += bytes;
  }

  clear(): void {
    this.rows.length = 0;
    this.#lines.length = 0;
    this.#bytes = 0;
  }

  errors(refused: readonly RefusedRow[]): ChunkErrors {
    return {
      from: this.#lines[0] ?? 0,
      to: this.#lines.at(-1) ?? 0,
      errors: refused.map(({ row, ...error }) => ({ ...error, line: this.#lines[row] ?? 0 })),
    };
  }
}

type RefusedRow = Omit<ChunkErrors['errors'][number], 'line'> & { readonly row: number };

function composeBookmark(
  { bookmark }: DataImport,
  value: DataBookmark,
): { readonly name: string; readonly value: string } {
  return { name: bookmark, value: JSON.stringify(value) };
}

/** Reads the rows of a resource, with the names that it has for them. */
async function rowReader(
  { data, model, opened }: DataImport,
  resource: Resource,
): Promise<(record: RowRecord) => Json> {
  const source = compileSourceRows(resource);
  if (data.format !== 'csv') {
    return (record) => {
      const row = parseJson(record.raw, record.line, model.limits);
      if (isJsonObject(row)) return source.row(row);
      throw notAnObject(record);
    };
  }
  const header = await readHeader(data);
  if (header === null)
    throw new DataError(null, 'the file has no header; write the names of the columns in its first line');
  const read = readingRow(1, () => opened.api.csv(resource.name).reader(header.text, source.nameOf));
  return ({ raw, line }) => readingRow(line, () => read(decodeUtf8(raw)));
}
