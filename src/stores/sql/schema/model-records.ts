import { versionText } from '../../../conventions/versioning.ts';
import type { Model } from '../../../model/model.ts';
import type { Statement } from '../dialect.ts';
import { RETURNED } from '../events/event-steps.ts';
import { noteContract, renameEvents } from './rename-events.ts';
import type { ConvertedContract } from '../conversion/conversion-plan.ts';
import type { Tables } from '../tables.ts';
import { type CurrentModels, type MigrationGoal, recordedModels } from './current-models.ts';
import { fieldRules } from './field-rules.ts';
import { ownerRecord } from './owner-names.ts';
import { METADATA } from '../system-statements.ts';
import { uuidRecord } from './uuid-conversion.ts';

/** A model that a database is migrated to, and the models that were recorded before. */
interface MigratedModel {
  readonly goal: MigrationGoal;
  readonly models: CurrentModels;
  readonly model: Model;
  /** The model, with the names that its resources and fields had before (`was`, `x-was`). */
  readonly renamed: Model;
  /** The contract whose rows were converted. */
  readonly converted: ConvertedContract;
}

/**
 * The metadata that records a model, once the database matches it: names and values. Next to another model nothing is
 * narrowed.
 */
export function modelMetadata({
  goal,
  models,
  model,
}: Omit<MigratedModel, 'renamed' | 'converted'>): readonly (readonly [name: string, value: string])[] {
  const served = [METADATA.models, recordedModels(goal, models, model)] as const;
  if (goal.kind === 'shared') return [served];
  const form = ownerRecord(model);
  const owners = form === null ? [] : [[METADATA.owners, form] as const];
  const contract = [METADATA.contract, versionText(model.version)] as const;
  const rules = [METADATA.rules, JSON.stringify(fieldRules(model))] as const;
  return [served, contract, rules, [METADATA.uuids, uuidRecord(model)], ...owners];
}

/** The statements that adapt stored events and the cache epoch to a model that is the only one from now on. */
export function adaptToModel(
  { goal, models, model, renamed, converted }: MigratedModel,
  { dialect, system }: Pick<Tables, 'dialect' | 'system'>,
): readonly Statement[] {
  if (goal.kind === 'shared') return [];
  // Another model may have been represented in the same epoch.
  const epoch = models.length === 2 ? [system.deleteMetadata(METADATA.cacheEpoch)] : [];
  // Before their names: they are those of that contract.
  const { returnFrom, version } = renamed;
  const { from, form } = converted;
  // The names of the model before are noted themselves: no later model lists it.
  if (from !== null && (form?.former ?? null) !== null)
    return [...renameEvents(models.slice(0, 1), model, dialect), ...epoch];
  const step = returnFrom === undefined ? from : `${RETURNED}${versionText(version)}`;
  const served = models.length === 2 && returnFrom === undefined ? `${version.major}.${version.minor}` : null;
  const noted = from === null || step === null ? [] : [noteContract(step, served, dialect)];
  return [...noted, ...renameEvents(models, renamed, dialect), ...epoch];
}
