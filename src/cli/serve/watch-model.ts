import type { LoadedModel } from '../../model/compile/load-model.ts';
import type { Observe } from '../../observe/observation.ts';
import type { StartedApi } from '../../start-api.ts';
import { CommandError, describeFileError } from '../command-error.ts';
import { fileChanges } from '../model-file/file-changes.ts';
import { requireModel } from '../model-file/read-model.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { identifyModel } from './model-identity.ts';
import type { ReloadableApi } from './reloadable-api.ts';

/** A model that is reloaded when its file changes. */
interface WatchedModel {
  readonly file: string;
  readonly loaded: LoadedModel;
  readonly api: ReloadableApi;
  readonly open: (loaded: LoadedModel) => Promise<StartedApi>;
  readonly observe: Observe;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/**
 * Reloads the model whenever its file changes, until the signal aborts. Reports the errors of an invalid model and
 * keeps serving the previous one.
 */
export async function watchModel(watched: WatchedModel): Promise<void> {
  const { file, signal, observe } = watched;
  let identity = identifyModel(watched.loaded.model);
  try {
    for await (const _ of fileChanges(file, signal)) identity = await reload(watched, identity);
  } catch (error) {
    if (!signal.aborted)
      observe({ kind: 'model-changed', file, problem: `it is no longer watched: ${describeFileError(error)}` });
  }
}

/** @returns the identity of the model that is served afterwards */
async function reload({ file, api, open, observe, terminal }: WatchedModel, current: string): Promise<string> {
  try {
    const loaded = await requireModel(file, terminal.env);
    const identity = identifyModel(loaded.model);
    if (identity === current) return current;
    api.reload(await open(loaded));
    observe({ kind: 'model-changed', file, problem: null });
    return identity;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    observe({ kind: 'model-changed', file, problem: error.message });
    return current;
  }
}
