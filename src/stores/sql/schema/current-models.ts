import type { Model } from '../../../model/model.ts';
import { isSameProfile, type ModelProfile, profileModel } from './model-profile.ts';
import { differingFields, neighbourProblems } from './neighbours.ts';
import { IncompatibleModels, UnusableDatabase } from './schema-errors.ts';

/**
 * The models that instances may serve a database with: one, or two neighbouring ones during a deployment. Empty where
 * none is recorded.
 */
export type CurrentModels = readonly ModelProfile[];

/** A phase of a deployment in which two neighbouring models are served (OPS-6). */
export type MigrationPhase = 'expand' | 'contract';

/** The goal of a migration: to make the model the only one, or to add what it needs next to another one. */
export type MigrationGoal = { readonly kind: 'alone' } | { readonly kind: 'shared'; readonly other: ModelProfile };

/** The fields that a message names. */
const SHOWN = 5;

/** @param json as it is recorded; null where nothing is */
export function parseModels(json: string | null): CurrentModels {
  return json === null ? [] : JSON.parse(json);
}

/**
 * The other of two models that are served during a deployment; null where the database has one model.
 *
 * @throws {UnusableDatabase} where the model is neither of them: it could damage what they write
 */
export function otherModel(current: CurrentModels, model: Model): ModelProfile | null {
  const [first, second] = current;
  if (first === undefined || second === undefined) return null;
  const own = profileModel(model);
  if (isSameProfile(own, first)) return second;
  if (isSameProfile(own, second)) return first;
  const named = shortened(differingFields(second, own));
  throw new UnusableDatabase(
    `Two models are being deployed to it, and this model is neither of them: it differs from the newer one in ${named}. ` +
      'Serve one of the two, or end their deployment with restwright migrate MODEL --phase contract --apply, MODEL being the one that remains.',
  );
}

/** Finds the reasons for which instances of a model cannot run next to those of the one before it. */
type FindProblems = (before: ModelProfile, model: Model) => readonly string[];

/** A phase of a deployment, and the models that the database records. */
interface PhaseContext {
  readonly current: CurrentModels;
  /** Null for a migration that stops all instances first. */
  readonly phase: MigrationPhase | null;
  /** True if the database is empty. */
  readonly isNew: boolean;
}

/** The goal of a migration, of `migrate` or of a start. */
export function migrationGoal(
  { current, phase, isNew }: PhaseContext,
  model: Model,
  findProblems: FindProblems = neighbourProblems,
): MigrationGoal {
  const other = otherModel(current, model);
  if (phase === 'contract' || isNew) return contractGoal(current, model, other !== null || isNew);
  if (other !== null) return { kind: 'shared', other };
  if (phase === null) return { kind: 'alone' };
  const [before] = current;
  if (before === undefined)
    throw new UnusableDatabase(
      'It does not record its model yet. Start the old model once with this version, then expand.',
    );
  if (isSameProfile(before, profileModel(model))) return { kind: 'alone' };
  const problems = findProblems(before, model);
  if (problems.length > 0) throw new IncompatibleModels(problems);
  return { kind: 'shared', other: before };
}

function contractGoal(current: CurrentModels, model: Model, isDeployed: boolean): MigrationGoal {
  const [before] = current;
  if (isDeployed || (before !== undefined && isSameProfile(before, profileModel(model)))) return { kind: 'alone' };
  throw new UnusableDatabase(
    'No deployment of two models has begun. Begin it with --phase expand, or stop all instances and migrate without --phase.',
  );
}

function shortened(fields: readonly string[]): string {
  const rest = fields.length - SHOWN;
  return rest > 0 ? `${fields.slice(0, SHOWN).join(', ')} and ${rest} more` : fields.join(', ');
}

/** The record of the models once a database is migrated, as JSON. */
export function recordedModels(goal: MigrationGoal, current: CurrentModels, model: Model): string {
  const own = profileModel(model);
  if (goal.kind === 'alone') return JSON.stringify([own]);
  // The newer one is the second.
  return JSON.stringify(current.length === 2 ? current : [goal.other, own]);
}
