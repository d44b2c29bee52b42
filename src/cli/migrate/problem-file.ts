import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { compileFields, type FieldWriter } from '../../contract/representation.ts';
import { writeOrderedJson } from '../../formats/json.ts';
import type { Resource } from '../../model/model.ts';
import type { ProblemRow } from '../../stores/sql/conversion/problem-rows.ts';
import type { ConversionProblem } from '../../versions/row-conversion.ts';
import { commandFailed, describeFileError, usageError } from '../command-error.ts';
import { partialFile } from '../export/export-file.ts';
import { requireExportFile } from '../export/export-target.ts';
import type { ProtectedFiles } from '../protected-files.ts';

/** A file with the rows that have problems. */
export interface ExportedProblems {
  readonly file: string;
  readonly rows: number;
}

/** Characters that are collected before they are written. */
const BUFFER = 65_536;

/**
 * Writes the rows that a migration cannot carry over whole as NDJSON: `id`, `collection`, `row` as the older contract
 * shows it, and `problems`. `FILE.partial` becomes the file once it is complete and synced. Memory is constant.
 */
export class ProblemFile {
  readonly #file: string;
  readonly #handle: number;
  readonly #writers = new Map<Resource, FieldWriter>();
  #lines = '';
  #isOpen = true;
  #rows = 0;

  /**
   * @throws {CommandError} exit 2 for an existing file and one that must not be written, exit 1 where it cannot be
   *   created
   */
  constructor(file: string, used: ProtectedFiles) {
    if (existsSync(file)) throw usageError(`--export: ${file} already exists; name another file.`);
    this.#file = file;
    this.#handle = writing(file, () => {
      requireExportFile(file, used, true);
      rmSync(partialFile(file), { force: true });
      // It has rows of the database, which its owner alone may read.
      return openSync(partialFile(file), 'wx', 0o600);
    });
  }

  /** @throws {CommandError} exit 1 where it cannot be written */
  add({ older, row, problems }: ProblemRow): void {
    const line = {
      id: row.id,
      collection: older.collection,
      row: this.#writer(older)(row),
      problems: problems.map(describeProblem),
    };
    this.#rows += 1;
    this.#lines += `${writeOrderedJson(line)}\n`;
    if (this.#lines.length >= BUFFER) this.#flush();
  }

  /** Syncs the file and its folder. @throws {CommandError} exit 1 where it cannot be written */
  complete(): ExportedProblems {
    this.#flush();
    const partial = partialFile(this.#file);
    writing(this.#file, () => {
      fsyncSync(this.#handle);
      this.#close();
      renameSync(partial, this.#file);
      const folder = openSync(path.dirname(this.#file), 'r');
      fsyncSync(folder);
      closeSync(folder);
    });
    return { file: this.#file, rows: this.#rows };
  }

  /** Removes what was written. */
  discard(): void {
    this.#close();
    rmSync(partialFile(this.#file), { force: true });
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#handle);
    this.#isOpen = false;
  }

  #flush(): void {
    const lines = Buffer.from(this.#lines);
    this.#lines = '';
    writing(this.#file, () => {
      for (let start = 0; start < lines.length; ) start += writeSync(this.#handle, lines, start);
    });
  }

  #writer(older: Resource): FieldWriter {
    const known = this.#writers.get(older);
    if (known !== undefined) return known;
    // Computed members whose function fails are null, as in a response.
    const made = compileFields(older, () => undefined);
    this.#writers.set(older, made);
    return made;
  }
}

function describeProblem(problem: ConversionProblem): { [name: string]: string } {
  const message = problem.kind === 'lost' ? 'would be shown as another value' : problem.message;
  return { field: problem.field, problem: problem.kind, message };
}

/** @throws {CommandError} exit 1 where the file system fails */
function writing<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw commandFailed(`--export: cannot write ${file}: ${describeFileError(error)}`);
    throw error;
  }
}
