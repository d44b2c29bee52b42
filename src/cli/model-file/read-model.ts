import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DefinedModel, isDefinedModel } from '../../model/typescript/define-model.ts';
import { type ModelProblem, formatProblem, ModelError } from '../../model/document/model-error.ts';
import { loadDefinition, loadModel, type LoadedModel } from '../../model/load-model.ts';
import { digest } from '../../platform/digest.ts';
import { commandFailed, usageError } from '../command-error.ts';
import { captureModuleSources } from './module-sources.ts';
import type { EnvironmentVariables } from '../settings.ts';

/** What a model file is: a model, or what is wrong with it. */
export type ModelFileResult =
  | { readonly kind: 'model'; readonly loaded: LoadedModel }
  | { readonly kind: 'faulty'; readonly faults: readonly ModelProblem[] };

const MODULE = /^\.[cm]?[jt]s$/;

/**
 * Reads and compiles a model file: a document, or a module whose default export is what `defineModel` returns.
 *
 * @param file as the person named it, which is how messages name it
 * @throws {CommandFailure} exit 2 where there is no such file, exit 1 for a module that cannot be loaded or holds no model
 */
export async function readModel(file: string, env: EnvironmentVariables): Promise<ModelFileResult> {
  try {
    const text = await readText(file);
    if (!MODULE.test(path.extname(file))) return { kind: 'model', loaded: loadModel({ file, text, env }) };
    const { loaded: defined, texts } = await captureModuleSources(() => loadModule(file, text));
    return { kind: 'model', loaded: loadDefinition({ file, defined, env, text: [text, ...texts].join('\n') }) };
  } catch (error) {
    if (error instanceof ModelError) return { kind: 'faulty', faults: error.problems };
    throw error;
  }
}

/**
 * The compiled model of a file, for commands that need one.
 *
 * @throws {CommandFailure} exit 1 with every fault of the model, exit 2 as {@link readModel}
 */
export async function requireModel(file: string, env: EnvironmentVariables): Promise<LoadedModel> {
  const read = await readModel(file, env);
  if (read.kind === 'faulty') throw commandFailed(read.faults.map(formatProblem).join('\n'));
  return read.loaded;
}

/** What a module exports by default. Each text of its file is a module of its own: a changed one is read anew. */
async function loadModule(file: string, text: string): Promise<DefinedModel> {
  const url = pathToFileURL(path.resolve(file));
  url.searchParams.set('text', digest(text));
  const module: { readonly default?: unknown } = await import(url.href).catch((error: unknown) => {
    throw commandFailed(`${file} cannot be loaded: ${told(error, file)}`);
  });
  if (isDefinedModel(module.default)) return module.default;
  throw commandFailed(`${file} exports no model; write \`export default defineModel({ ... })\`.`);
}

/** What went wrong in a module, and where in it. */
function told(error: unknown, file: string): string {
  if (!(error instanceof Error)) return String(error);
  const [, line] = new RegExp(`${RegExp.escape(path.basename(file))}[^\\n:]*:(\\d+)`).exec(error.stack ?? '') ?? [];
  return line === undefined ? error.message : `${error.message} (line ${line})`;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw usageError(`cannot read the model ${file}: ${describeFileError(error)}`);
  }
}

/** What the file system says, in words. */
export function describeFileError(error: unknown): string {
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
