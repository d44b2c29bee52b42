import { formatProblem } from '../../model/document/model-error.ts';
import type { Difference } from '../../model/diff/difference.ts';
import { diffModels } from '../../model/diff/diff-models.ts';
import { type Clients, highestPart, judgeVersion, type VersionVerdict } from '../../model/diff/needed-version.ts';
import type { Model } from '../../model/model.ts';
import { CommandError, commandFailed } from '../command-error.ts';
import { readModel } from '../model-file/read-model.ts';
import type { EnvironmentVariables } from '../settings.ts';

/** A model and the path of its file as given on the command line. */
export interface NamedModel {
  readonly file: string;
  readonly model: Model;
}

/** Two models, what differs between them, and what that means for the version of the new one. */
export interface ComparedModels {
  readonly was: NamedModel;
  readonly is: NamedModel;
  readonly clients: Clients;
  readonly differences: readonly Difference[];
  readonly notes: readonly string[];
  readonly verdict: VersionVerdict;
}

/**
 * Reads one of two models.
 *
 * @param role which one, for messages: `old`, `new` or `published`
 * @throws {CommandError} exit 2 for a missing file, exit 1 for an invalid model, with every error
 */
export async function readModelOf(role: string, file: string, env: EnvironmentVariables): Promise<NamedModel> {
  const read = await readModel(file, env).catch((error: unknown) => {
    if (error instanceof CommandError) throw new CommandError(error.exitCode, `the ${role} model: ${error.message}`);
    throw error;
  });
  if (read.kind === 'model') return { file, model: read.loaded.model };
  throw commandFailed(`the ${role} model is not valid:\n${read.problems.map(formatProblem).join('\n')}`);
}

/** Compares two models and judges the version of the new one (VER-6). */
export function compareModels(was: NamedModel, is: NamedModel, clients: Clients): ComparedModels {
  const { differences, notes } = diffModels(was.model, is.model);
  const verdict = judgeVersion(highestPart(differences, clients), was.model.version, is.model.version);
  return { was, is, clients, differences, notes, verdict };
}
