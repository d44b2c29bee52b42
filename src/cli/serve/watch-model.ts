import { watch } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { LoadedModel } from '../../model/load-model.ts';
import type { Observe } from '../../observe/observation.ts';
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
  readonly observe: Observe;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/**
 * Reloads the model whenever its file changes, until the signal aborts. Reports the errors of an invalid model and keeps serving the previous
 * one. Watches the directory, since many editors save by replacing the file.
 */
export async function watchModel(watched: WatchedModel): Promise<void> {
  const { file, signal, observe } = watched;
  let fingerprint = watched.loaded.model.fingerprint;
  try {
    for await (const { filename } of watch(path.dirname(path.resolve(file)), { signal })) {
      if (filename !== path.basename(file)) continue;
      await setTimeout(DEBOUNCE);
      fingerprint = await reload(watched, fingerprint);
    }
  } catch (error) {
    if (!signal.aborted)
      observe({ kind: 'model-changed', file, problem: `it is no longer watched: ${describeFileError(error)}` });
  }
}

/** @returns the fingerprint of the model that is served afterwards */
async function reload({ file, api, open, observe, terminal }: WatchedModel, current: string): Promise<string> {
  try {
    const loaded = await requireModel(file, terminal.env);
    const { fingerprint } = loaded.model;
    if (fingerprint === current) return current;
    api.reload(await open(loaded));
    observe({ kind: 'model-changed', file, problem: null });
    return fingerprint;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    observe({ kind: 'model-changed', file, problem: error.message });
    return current;
  }
}
