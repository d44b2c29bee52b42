import { closeSync, existsSync, openSync } from 'node:fs';

/** The mode of files with rows and secrets: their owner alone may read them. */
const PRIVATE = 0o600;
const IN_MEMORY = ':memory:';

/**
 * Creates the empty file of a database that does not exist, readable by its owner alone. SQLite gives its mode to the
 * files next to it. What cannot be created here, SQLite reports when it opens the file.
 */
export function createPrivateFile(path: string): void {
  if (path === IN_MEMORY || existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', PRIVATE));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
