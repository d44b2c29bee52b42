import { stat } from 'node:fs/promises';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { isJsonObject } from '../../conventions/json/json.ts';
import { MalformedData } from '../../formats/split-collections.ts';
import { CollectionFacts } from '../../infer/collection-facts.ts';
import { DataError } from '../../infer/data-error.ts';
import { inferModel } from '../../infer/infer-model.ts';
import type { ModelDraft } from '../../infer/model-draft.ts';
import { compileLimits } from '../../model/document/limits.ts';
import { commandFailed } from '../command-error.ts';
import { countNoun, reportProgress } from '../terminal/progress.ts';
import { supportsColour, type Terminal } from '../terminal/terminal.ts';
import { type DataFile, reading } from './data-file.ts';
import {
  dataName,
  type DataRecord,
  notAnObject,
  parseJson,
  parseManyCells,
  readData,
  readHeader,
  type RowRecord,
} from './read-data.ts';

/** Rows of JSON are read with the limits that a model has by default. */
const LIMITS = compileLimits({ declared: {}, path: [], report: () => undefined }, false);
/** Milliseconds after which progress is shown. */
const SHOWN_AFTER = 1_000;

/** The content of a file. */
export interface InferredFile {
  readonly draft: ModelDraft;
  /** The number of rows of each resource, by its name. */
  readonly rows: ReadonlyMap<string, number>;
  /** Facts about the file that a person may not expect, a line each. */
  readonly remarks: readonly string[];
}

/**
 * Infers a model from all rows of a file.
 *
 * @throws {CommandError} exit 2 for a file that cannot be read, exit 1 for invalid data, with its line
 */
export async function inferFile(data: DataFile, terminal: Terminal): Promise<InferredFile> {
  return describingErrors(data.file, async () => {
    const { collections, ignored } = await collectFacts(data, terminal);
    if (collections.length === 0) throw new DataError(null, 'the file has no rows');
    const notes = [
      `Inferred from ${path.basename(data.file)}: check the types and remove what is not needed.`,
      ...ignored.map((name) => `Left out: ${JSON.stringify(name)}, which is not a list of objects.`),
    ];
    const draft = inferModel(dataName(data.file), collections, notes);
    const rows = new Map(draft.resources.map(({ name }, index) => [name, collections[index]?.rows ?? 0]));
    const remarks = [...notes.slice(1), ...describeSingles(draft, collections)];
    return { draft, rows, remarks };
  });
}

/** A member of the file that is one object is a collection with one row, and no object of the API. */
function describeSingles({ resources }: ModelDraft, collections: readonly CollectionFacts[]): readonly string[] {
  return collections.flatMap(({ source, isSingle }, index) =>
    isSingle ? [`${JSON.stringify(source)} is one object: ${resources[index]?.name ?? source} has one row.`] : [],
  );
}

/** `posts (3 rows), users (1 row)` */
export function describeRows(rows: InferredFile['rows']): string {
  return [...rows].map(([name, count]) => `${name} (${countNoun(count, 'row')})`).join(', ');
}

/** @throws {CommandError} exit 1 with the file and the line */
export async function describingErrors<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await reading(file, read);
  } catch (error) {
    if (!(error instanceof DataError || error instanceof MalformedData)) throw error;
    throw commandFailed(`${file}${error.line === null ? '' : `:${error.line}`}: ${error.message}.`);
  }
}

interface FileFacts {
  readonly collections: readonly CollectionFacts[];
  /** The members without rows. */
  readonly ignored: readonly string[];
}

async function collectFacts(data: DataFile, { stderr, env }: Terminal): Promise<FileFacts> {
  const { size: total } = await stat(data.file);
  const progress = reportProgress(`reading ${data.file}`, stderr, supportsColour(stderr, env));
  const start = performance.now();
  const header = data.format === 'csv' ? await readHeader(data) : null;
  if (data.format === 'csv' && header === null)
    throw new DataError(null, 'the file has no header; write the names of the columns in its first line');
  const collector = new FactCollector(header?.columns ?? null);
  const onRead = (done: number): void => {
    const elapsed = performance.now() - start;
    if (elapsed > SHOWN_AFTER) progress.show({ rows: collector.rows, done, start: 0, total, elapsed });
  };
  try {
    for await (const record of readData({ data, onRead })) collector.add(record);
  } finally {
    progress.end();
  }
  return collector.finish();
}

/** Rows of CSV that are parsed together. */
const BATCH = 256;

class FactCollector {
  rows = 0;
  /** The columns of CSV; null for JSON. */
  readonly #columns: readonly string[] | null;
  readonly #collections = new Map<string, CollectionFacts>();
  readonly #ignored = new Set<string>();
  #batch: RowRecord[] = [];

  constructor(columns: readonly string[] | null) {
    this.#columns = columns;
  }

  add(record: DataRecord): void {
    if (record.kind === 'ignored') this.#ignored.add(record.collection);
    else if (record.kind === 'collection') {
      const facts = new CollectionFacts(record.collection, record);
      facts.declare(this.#columns ?? []);
      this.#collections.set(record.collection, facts);
    } else {
      this.rows += 1;
      if (this.#columns === null) this.#addObject(record);
      else if (this.#batch.push(record) === BATCH) this.#addCells(this.#columns);
    }
  }

  finish(): FileFacts {
    this.#addCells(this.#columns ?? []);
    return { collections: [...this.#collections.values()], ignored: [...this.#ignored] };
  }

  #addObject(record: RowRecord): void {
    const { collection, line, raw } = record;
    const facts = this.#collections.get(collection);
    const members = parseJson(raw, line, LIMITS);
    const isObject = isJsonObject(members);
    if (isObject && facts !== undefined) facts.observe({ kind: 'object', members }, line);
    else if (isObject)
      throw new DataError(line, `${collection}: only some values are objects; write one object for each row`);
    else if (facts?.isAlone === true || (facts?.rows ?? 0) > 0) throw notAnObject(record);
    else this.#ignore(collection);
  }

  #addCells(columns: readonly string[]): void {
    const cells = parseManyCells(this.#batch);
    for (const [index, { collection, line }] of this.#batch.entries()) {
      const byColumn = cellsByColumn(cells[index] ?? [], columns, line);
      this.#collections.get(collection)?.observe({ kind: 'cells', cells: byColumn }, line);
    }
    this.#batch = [];
  }

  /** A list of other values than objects has no rows. */
  #ignore(collection: string): void {
    this.#collections.delete(collection);
    this.#ignored.add(collection);
  }
}

function cellsByColumn(
  cells: readonly (string | null)[],
  columns: readonly string[],
  line: number,
): ReadonlyMap<string, string | null> {
  if (cells.length !== columns.length) {
    throw new DataError(line, `the row has ${cells.length} cells for ${columns.length} columns`);
  }
  return new Map(columns.map((column, index) => [column, cells[index] ?? null]));
}
