import { watch } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { LoadedModel } from '../../model/load-model.ts';
import type { OpenedApi } from '../../open-api.ts';
import { CommandError, describeFileError } from '../command-error.ts';
import { requireModel } from '../model-file/read-model.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ReloadableApi } from './reloadable-api.ts';

/** Editors write a file in several steps: milliseconds after which it is complete. */
const DEBOUNCE = 50;

/** A model that is reloaded when its file changes. */
interface WatchedModel {
  readonly file: string;
  readonly loaded: LoadedModel;
  readonly api: ReloadableApi;
  readonly open: (loaded: LoadedModel) => Promise<OpenedApi>;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/**
 * Reloads the model whenever its file changes, until the signal aborts. Prints the errors of an invalid model and keeps serving the previous
 * one. Watches the directory, since many editors save by replacing the file.
 */
export async function watchModel(watched: WatchedModel): Promise<void> {
  const { file, signal, terminal } = watched;
  let fingerprint = watched.loaded.model.fingerprint;
  try {
    for await (const { filename } of watch(path.dirname(path.resolve(file)), { signal })) {
      if (filename !== path.basename(file)) continue;
      await setTimeout(DEBOUNCE);
      fingerprint = await reload(watched, fingerprint);
    }
  } catch (error) {
    if (!signal.aborted) terminal.stderr.write(`${file} is no longer watched: ${describeFileError(error)}\n`);
  }
}

/** @returns the fingerprint of the model that is served afterwards */
async function reload({ file, api, open, terminal }: WatchedModel, current: string): Promise<string> {
  try {
    const loaded = await requireModel(file, terminal.env);
    const { fingerprint } = loaded.model;
    if (fingerprint === current) return current;
    api.reload(await open(loaded));
    terminal.stderr.write(`reloaded ${file}\n`);
    return fingerprint;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    terminal.stderr.write(`${file} was not reloaded, the previous model is still served:\n${error.message}\n`);
    return current;
  }
}
