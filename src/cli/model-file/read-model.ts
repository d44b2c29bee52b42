import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatProblem, ModelError, type ModelProblem } from '../../model/document/model-error.ts';
import { loadDefinition, type LoadedModel, loadModel } from '../../model/compile/load-model.ts';
import type { Model, Resource } from '../../model/model.ts';
import { listOwnResources, showsTables } from '../../model/table-source.ts';
import { type DefinedModel, isDefinedModel } from '../../model/typescript/define-model.ts';
import { digest } from '../../platform/digest.ts';
import { commandFailed, describeFileError, usageError } from '../command-error.ts';
import type { EnvironmentVariables } from '../setting-value.ts';
import { captureModuleSources } from './module-sources.ts';

/** The model of a file, or its errors. */
type ModelFileResult =
  | { readonly kind: 'model'; readonly loaded: LoadedModel }
  | { readonly kind: 'invalid'; readonly problems: readonly ModelProblem[] };

const MODULE = /^\.[cm]?[jt]s$/;

/**
 * Reads and compiles a model file: a document, or a module whose default export is the result of `defineModel`.
 *
 * @param file the path as given on the command line; messages name it so
 * @throws {CommandError} exit 2 for a missing file, exit 1 for a module that cannot be loaded or does not export a
 *   model
 */
export async function readModel(file: string, env: EnvironmentVariables): Promise<ModelFileResult> {
  try {
    const text = await readText(file);
    if (!MODULE.test(path.extname(file))) return { kind: 'model', loaded: loadModel({ file, text, env }) };
    const { loaded: defined, sources } = await captureModuleSources(() => loadModule(file, text));
    const source = [text, ...sources].join('\n');
    return { kind: 'model', loaded: loadDefinition({ file, defined, env, text: source }) };
  } catch (error) {
    if (error instanceof ModelError) return { kind: 'invalid', problems: error.problems };
    throw error;
  }
}

/**
 * The compiled model of a file, for commands that need a valid one.
 *
 * @throws {CommandError} exit 1 with every error of the model, else as {@link readModel}
 */
export async function requireModel(file: string, env: EnvironmentVariables): Promise<LoadedModel> {
  const read = await readModel(file, env);
  if (read.kind === 'invalid') throw commandFailed(read.problems.map(formatProblem).join('\n'));
  return read.loaded;
}

/**
 * Refuses a command that moves or changes whole tables, for a model of tables that exist.
 *
 * @param advice what to do for the rows of the server's own
 * @throws {CommandError} exit 1
 */
export function requireOwnRows(model: Model, command: string, advice: string): void {
  if (!showsTables(model)) return;
  const own = listOwnResources(model).length === 0 ? '' : ` ${advice}`;
  throw commandFailed(
    `${command} needs rows of the server's own: the model shows tables that exist. Use the tools of the database.${own}`,
  );
}

/** The collection that a command names. @throws {CommandError} exit 2 where the model has no collection of this name */
export function requireCollection(model: Model, collection: string): Resource {
  const resource = model.resources.get(collection) ?? model.collections.get(collection);
  if (resource !== undefined) return resource;
  throw usageError(`the model has no collection '${collection}'; it has ${[...model.resources.keys()].join(', ')}.`);
}

/** The default export of a module. The digest in the URL makes Node.js load a changed file again. */
async function loadModule(file: string, text: string): Promise<DefinedModel> {
  const url = pathToFileURL(path.resolve(file));
  url.searchParams.set('text', digest(text));
  const module: { readonly default?: unknown } = await import(url.href).catch((error: unknown) => {
    throw commandFailed(`${file} cannot be loaded: ${describeModuleError(error, file)}`);
  });
  if (isDefinedModel(module.default)) return module.default;
  throw commandFailed(`${file} does not export a model; add \`export default defineModel({ ... })\`.`);
}

/** The message of an error and its line in the module. */
function describeModuleError(error: unknown, file: string): string {
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
