import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Fault, formatFault, ModelError } from '../model/fault.ts';
import { loadModel, type LoadedModel } from '../model/load.ts';
import { digest } from '../platform/digest.ts';
import { notYet, refused, wrongUsage } from './command-failure.ts';
import type { Environment } from './settings.ts';

/** What a model file is: a model, or what is wrong with it. */
export type ReadModel =
  | { readonly kind: 'model'; readonly loaded: LoadedModel }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] };

/**
 * Reads and compiles a model file.
 *
 * @param file as the person named it, which is how messages name it
 * @throws {CommandFailure} exit 2 where there is no such file, or one of a kind that this version does not read
 */
export async function readModel(file: string, env: Environment): Promise<ReadModel> {
  if (/^\.[cm]?[jt]s$/.test(path.extname(file))) throw notYet(`${file}: a model in TypeScript or JavaScript`);
  const text = await readText(file);
  try {
    return { kind: 'model', loaded: loadModel({ file, text, env, digest }) };
  } catch (error) {
    if (error instanceof ModelError) return { kind: 'faulty', faults: error.faults };
    throw error;
  }
}

/**
 * The compiled model of a file, for commands that need one.
 *
 * @throws {CommandFailure} exit 1 with every fault of the model, exit 2 as {@link readModel}
 */
export async function requireModel(file: string, env: Environment): Promise<LoadedModel> {
  const read = await readModel(file, env);
  if (read.kind === 'faulty') throw refused(read.faults.map(formatFault).join('\n'));
  return read.loaded;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw wrongUsage(`cannot read the model ${file}: ${reason(error)}`);
  }
}

/** What the file system says, in words. */
export function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file.';
    case 'EISDIR':
      return 'it is a folder.';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not.';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
