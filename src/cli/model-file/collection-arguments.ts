import { type CommandError, usageError } from '../command-error.ts';
import { findModel, isModelPath } from './find-model.ts';

/** A model, a collection of it, and a file. */
export interface CollectionArguments {
  readonly model: string;
  readonly collection: string;
  readonly file: string;
}

/**
 * Reads the arguments `[model] <collection> [file]`. A first argument with a dot or a slash, or that is a file, is the
 * model; else the model of the folder is used.
 *
 * @param fallback the file where none is named; null where one is required
 * @throws {CommandError} exit 2 for a missing argument and a missing model
 */
export function collectionArguments(
  given: readonly (string | undefined)[],
  fallback: string | null,
): CollectionArguments {
  const named = given.filter((each) => each !== undefined);
  const [first] = named;
  if (first === undefined) throw missingCollection();
  const isNamed = named.length === 3 || isModelPath(first);
  const [collection, file = fallback] = isNamed ? named.slice(1) : named;
  if (collection === undefined) throw missingCollection();
  if (file === null) throw usageError("missing required argument 'file'. Pass the path of the file.");
  return { model: isNamed ? first : findModel(), collection, file };
}

function missingCollection(): CommandError {
  return usageError("missing required argument 'collection'. Pass the name of a collection of the model.");
}
