import { watch } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { LoadedModel } from '../../model/load-model.ts';
import { CommandError } from '../command-error.ts';
import type { ReloadableApi } from './reloadable-api.ts';
import type { OpenedApi } from '../open-database.ts';
import { describeFileError, requireModel } from '../model-file/read-model.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Editors write a file in several steps: after this many milliseconds it is taken to be whole. */
const SETTLED = 50;

/** A model that is served, to be exchanged when its file changes. */
export interface WatchedModel {
  readonly file: string;
  readonly loaded: LoadedModel;
  readonly api: ReloadableApi;
  readonly open: (loaded: LoadedModel) => Promise<OpenedApi>;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/**
 * Serves each new state of the model's file, until it is asked to stop. A state that cannot be served is told, and the one before
 * goes on. The folder is watched, since editors put a new file in the place of the old one.
 */
export async function watchModel(followed: WatchedModel): Promise<void> {
  const { file, signal: stop, terminal } = followed;
  let served = followed.loaded.model.fingerprint;
  try {
    for await (const { filename } of watch(path.dirname(path.resolve(file)), { signal: stop })) {
      if (filename !== path.basename(file)) continue;
      await setTimeout(SETTLED);
      served = await reload(followed, served);
    }
  } catch (error) {
    if (!stop.aborted)
      terminal.stderr.write(`changes of ${file} are not followed any more: ${describeFileError(error)}\n`);
  }
}

/** @returns the fingerprint of the model that is served from now on */
async function reload({ file, api, open, terminal }: WatchedModel, served: string): Promise<string> {
  try {
    const loaded = await requireModel(file, terminal.env);
    const { model } = loaded;
    if (model.fingerprint === served) return served;
    api.reload(await open(loaded));
    terminal.stderr.write(`reloaded ${file}\n`);
    return model.fingerprint;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    terminal.stderr.write(`${file} is not reloaded, the model before it goes on:\n${error.message}\n`);
    return served;
  }
}
