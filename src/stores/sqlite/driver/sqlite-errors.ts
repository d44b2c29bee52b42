/** SQLite's names of its primary result codes, without the prefix. */
const PRIMARY: Readonly<Record<number, string>> = {
  1: 'ERROR',
  2: 'INTERNAL',
  3: 'PERM',
  4: 'ABORT',
  5: 'BUSY',
  6: 'LOCKED',
  7: 'NOMEM',
  8: 'READONLY',
  9: 'INTERRUPT',
  10: 'IOERR',
  11: 'CORRUPT',
  12: 'NOTFOUND',
  13: 'FULL',
  14: 'CANTOPEN',
  15: 'PROTOCOL',
  16: 'EMPTY',
  17: 'SCHEMA',
  18: 'TOOBIG',
  19: 'CONSTRAINT',
  20: 'MISMATCH',
  21: 'MISUSE',
  22: 'NOLFS',
  23: 'AUTH',
  24: 'FORMAT',
  25: 'RANGE',
  26: 'NOTADB',
};

/** The rest of the names of its extended result codes, by the primary code: the first has the number 1. */
const EXTENDED: Readonly<Record<string, readonly string[]>> = {
  ERROR: 'MISSING_COLLSEQ RETRY SNAPSHOT RESERVESIZE KEY UNABLE'.split(' '),
  ABORT: ['', 'ROLLBACK'],
  BUSY: ['RECOVERY', 'SNAPSHOT', 'TIMEOUT'],
  LOCKED: ['SHAREDCACHE', 'VTAB'],
  READONLY: 'RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY'.split(' '),
  IOERR: (
    'READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK ' +
    'LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH ' +
    'BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE BADKEY CODEC'
  ).split(' '),
  CORRUPT: ['VTAB', 'SEQUENCE', 'INDEX'],
  CANTOPEN: 'NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK'.split(' '),
  CONSTRAINT: 'CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE'.split(
    ' ',
  ),
  AUTH: ['USER'],
};

/** Messages of SQLite by which an error without a code is recognised: in Deno, `open` and `exec` throw such errors. */
const MESSAGES: readonly (readonly [message: RegExp, code: string])[] = [
  [/^database (?:table )?is locked/, 'SQLITE_BUSY'],
  [/ constraint failed/, 'SQLITE_CONSTRAINT'],
  [/^database or disk is full/, 'SQLITE_FULL'],
  [/^disk I\/O error/, 'SQLITE_IOERR'],
  [/^unable to open database file/, 'SQLITE_CANTOPEN'],
  [/^attempt to write a readonly database/, 'SQLITE_READONLY'],
  [/^database disk image is malformed/, 'SQLITE_CORRUPT'],
  [/^file is not a database/, 'SQLITE_NOTADB'],
];

/**
 * SQLite's extended name of an error, such as `SQLITE_IOERR_WRITE`; empty for any other error. The errors of
 * better-sqlite3 have the name, those of `node:sqlite` the number.
 */
export function sqliteCode(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return '';
  if (error.code.startsWith('SQLITE_')) return error.code;
  if (error.code !== 'ERR_SQLITE_ERROR') return '';
  return 'errcode' in error && typeof error.errcode === 'number'
    ? nameCode(error.errcode)
    : codeByMessage(error.message);
}

/** @param code an extended result code of SQLite: the primary one in the low byte */
function nameCode(code: number): string {
  const primary = PRIMARY[code & 0xff] ?? 'ERROR';
  const extended = EXTENDED[primary]?.[(code >> 8) - 1] ?? '';
  return extended === '' ? `SQLITE_${primary}` : `SQLITE_${primary}_${extended}`;
}

function codeByMessage(message: string): string {
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ?? 'SQLITE_ERROR';
}

/** Checks if an error is a constraint violation. SQLite has rolled back that statement alone. */
export function isConstraintFailure(error: unknown): boolean {
  return sqliteCode(error).startsWith('SQLITE_CONSTRAINT');
}

/** Checks if an error comes from the database rather than from a statement: I/O, disk full, locked. */
export function isDatabaseFailure(error: unknown): boolean {
  return sqliteCode(error) !== '' && !isConstraintFailure(error);
}

/** Checks if an error says that another process has locked the database. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error).startsWith('SQLITE_BUSY');
}

/** Checks if an error says that the file is corrupt or not a database. */
export function isCorrupt(error: unknown): boolean {
  return sqliteCode(error).startsWith('SQLITE_CORRUPT') || sqliteCode(error) === 'SQLITE_NOTADB';
}
