import { existsSync } from 'node:fs';
import path from 'node:path';
import { modelPathFor, validModel, writeNewModel } from '../model-file/write-draft.ts';
import { countNoun } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { draftFromDatabase } from '../init/database-file.ts';
import { schemaLocation } from '../init/schema-location.ts';

/**
 * Finds the model with which a SQLite file is served: `NAME.restwright.yaml` next to it. Writes one over its tables
 * unless there is one. The database is only read.
 *
 * @returns the path of the model
 * @throws {CommandError} exit 1 for a file that cannot be used or has no table, exit 2 for one that cannot be read
 */
export async function modelOfDatabase(file: string, { stderr }: Terminal): Promise<string> {
  const model = modelPathFor(file);
  if (existsSync(model)) return model;
  const draft = await draftFromDatabase(file, {});
  const valid = validModel(draft, schemaLocation(path.dirname(model)), model);
  await writeNewModel(model, () => valid.text);
  stderr.write(`wrote ${model}: ${countNoun(valid.model.resources.size, 'resource')} over the tables of ${file}\n`);
  return model;
}
