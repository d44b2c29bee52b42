import { watch } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** Editors write a file in several steps: milliseconds after which it is complete. */
const DEBOUNCE = 50;

/**
 * Yields whenever a file has changed, until the signal aborts. Watches the directory, since many editors save by
 * replacing the file.
 *
 * @throws the reason of the signal, or an error of the file system
 */
export async function* fileChanges(file: string, signal: AbortSignal): AsyncGenerator<void> {
  for await (const { filename } of watch(path.dirname(path.resolve(file)), { signal })) {
    if (filename !== path.basename(file)) continue;
    await setTimeout(DEBOUNCE);
    yield;
  }
}
