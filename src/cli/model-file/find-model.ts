import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { usageError } from '../command-error.ts';

const EXTENSIONS = ['yaml', 'yml', 'json', 'ts', 'mts', 'js', 'mjs'];
/** The names of a model that need not be named on the command line: those of the first group that exists. */
const NAMES: readonly (readonly string[])[] = ['restwright', 'model'].map((name) =>
  EXTENSIONS.map((extension) => `${name}.${extension}`),
);
/** The ending of the model that `serve` writes for a data file. */
const WRITTEN = '.restwright.yaml';

/**
 * Finds the model of a folder for a command that names none. It is `restwright.yaml`, else `model.yaml`, with any
 * extension of a model; else the only file that ends with `.restwright.yaml`.
 *
 * @throws {CommandError} exit 2 where there is none, or more than one
 */
export function findModel(folder = '.'): string {
  for (const names of NAMES) {
    const found = names.filter((name) => existsSync(path.join(folder, name)));
    if (found.length > 0) return onlyOne(found, folder);
  }
  const written = readdirSync(folder).filter((name) => name.endsWith(WRITTEN) && name !== WRITTEN);
  if (written.length > 0) return onlyOne(written.toSorted(), folder);
  const extensions = EXTENSIONS.join(',');
  throw usageError(
    `there is no model in this folder: looked for restwright.{${extensions}}, model.{${extensions}} and *${WRITTEN}. ` +
      'Name a model, or write one with `restwright init`.',
  );
}

/** True if an argument is the path of a model and not the name of a collection, which has neither dots nor slashes. */
export function isModelPath(argument: string): boolean {
  return /[./\\]/.test(argument) || existsSync(argument);
}

function onlyOne(found: readonly string[], folder: string): string {
  const [only = '', another] = found;
  if (another === undefined) return path.join(folder, only);
  throw usageError(`there are several models in this folder: ${found.join(', ')}. Name one of them.`);
}
