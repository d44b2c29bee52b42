import { type BigIntStats, fstatSync, statSync } from 'node:fs';
import path from 'node:path';

/** The files that a command uses itself: it neither overwrites them nor reads rows from them. */
export interface ProtectedFiles {
  /** Path of the database. */
  readonly database: string;
  /** Path of the model. */
  readonly model: string;
}

/**
 * The files of a SQLite database: the database, its write-ahead log with the index of that, and its rollback journal.
 */
const DATABASE_SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Which protected file a path leads to, directly or through links: 'the database shop.db'; null for any other file.
 * Files are compared by device and inode. A file that does not exist is compared by its name: SQLite would take a file
 * that gets this name as its own.
 *
 * @throws the error of the file system where a path cannot be followed
 */
export function protectedFileAt(file: string, files: ProtectedFiles): string | null {
  const { dir, base } = path.parse(path.resolve(file));
  const [found, directory] = [stats(file), stats(dir)];
  return nameProtectedFile(files, (other) => {
    const existing = stats(other);
    if (found !== undefined || existing !== undefined) return isSameInode(found, existing);
    return base === path.basename(other) && isSameInode(directory, stats(path.dirname(other)));
  });
}

/** As {@link protectedFileAt}, for an open file. */
export function findProtectedFile(descriptor: number, files: ProtectedFiles): string | null {
  const open = fstatSync(descriptor, { bigint: true });
  return nameProtectedFile(files, (other) => isSameInode(open, stats(other)));
}

function nameProtectedFile({ database, model }: ProtectedFiles, isSame: (file: string) => boolean): string | null {
  if (isSame(model)) return `the model ${model}`;
  const file = DATABASE_SUFFIXES.map((suffix) => `${database}${suffix}`).find(isSame);
  if (file === undefined) return null;
  return file === database ? `the database ${database}` : `the file ${file} of the database`;
}

function stats(file: string): BigIntStats | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false });
}

function isSameInode(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}
