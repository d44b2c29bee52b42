import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ModelDraft } from '../../infer/model-draft.ts';
import { type ValidModel, writeValidModel } from '../../infer/valid-model.ts';
import { ModelError } from '../../model/document/model-error.ts';
import { commandFailed, describeFileError } from '../command-error.ts';
import { schemaLocation } from '../init/schema-location.ts';

/**
 * Writes a draft as a model that is valid: what the compiler refuses is left out, with the reason.
 *
 * @param schema path or URL of the JSON Schema of models
 * @param output the name of the model, for messages
 * @throws {CommandError} exit 1 for a model that nothing makes valid
 */
export function validModel(draft: ModelDraft, schema: string, output: string): ValidModel {
  try {
    return writeValidModel(draft, schema, output);
  } catch (error) {
    if (error instanceof ModelError) throw commandFailed(error.message);
    throw error;
  }
}

/** The path of the model that `serve` writes next to a file of data, or a database. */
export function modelPathFor(file: string): string {
  return path.join(path.dirname(file), `${path.parse(file).name}.restwright.yaml`);
}

/** Writes a new file with a model. @throws {CommandError} exit 1 where it exists, or cannot be written */
export async function writeNewModel(model: string, compose: (schema: string) => string): Promise<void> {
  try {
    await writeFile(model, compose(schemaLocation(path.dirname(model))), { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw commandFailed(`cannot write ${model}: ${describeFileError(error)}`);
  }
}
