import { type OwnerForm, ownerForm } from '../../../auth/policy-caller.ts';
import type { Model } from '../../../model/model.ts';
import { type ConvertedDatabase, convertOwners, findStored, listOwnerFields } from './owner-conversion.ts';
import { IncompatibleModels, type SchemaStep } from './schema-errors.ts';

const NAMES: Readonly<Record<OwnerForm, string>> = { subject: '{sub}', 'issuer:subject': '{issuer}:{sub}' };

/**
 * The record of each form. `issuer:subject` is that of databases whose names of issuers could have a colon, so that two
 * callers could be one owner.
 */
const RECORDS: Readonly<Record<OwnerForm, string>> = { subject: 'subject', 'issuer:subject': 'name:subject' };
const WITH_COLONS = 'issuer:subject';

/** The form in which owner fields of a model name callers; null if it has none. */
export function declaredOwnerForm(model: Model): OwnerForm | null {
  return model.auth === null || listOwnerFields(model).length === 0 ? null : ownerForm(model.auth);
}

/** The record of the form in which owner fields of a model name callers; null if it has none. */
export function ownerRecord(model: Model): string | null {
  const form = declaredOwnerForm(model);
  return form === null ? null : RECORDS[form];
}

/**
 * Makes the steps that change how owner fields name callers (AUTH-9).
 *
 * @param recorded the record of the form since the first start with an owner; null before it
 * @param isShared true if instances of another model serve the database, too
 * @throws {IncompatibleModels} if owners have to be converted then
 */
export function ownerSteps(
  model: Model,
  database: ConvertedDatabase,
  recorded: string | null,
  isShared: boolean,
): readonly SchemaStep[] {
  const record = ownerRecord(model);
  if (record === null || recorded === null || recorded === record) return [];
  if (recorded !== WITH_COLONS || record !== RECORDS[WITH_COLONS])
    return isShared ? [] : listLostOwners(model, database, recorded);
  const steps = convertOwners(model, database);
  if (isShared && steps.length > 0) {
    const fix = 'stop all instances and apply it without --phase';
    throw new IncompatibleModels(steps.map(({ purpose }) => `${purpose}: ${fix}`));
  }
  return steps;
}

/** The step of a change of the form that nothing can convert: no caller would own the stored rows any more. */
function listLostOwners(model: Model, { rows, tables }: ConvertedDatabase, recorded: string): readonly SchemaStep[] {
  const form = declaredOwnerForm(model);
  if (form === null) return [];
  const owned = listOwnerFields(model).flatMap((owners) => {
    const stored = findStored(owners, tables);
    const count = stored === null ? 0 : rows.countValues(stored.table, stored.column);
    return count === 0 ? [] : [{ field: `${owners.resource.name}.${owners.field.name}`, count }];
  });
  if (owned.length === 0) return [];
  const before = NAMES[recorded === 'subject' ? 'subject' : 'issuer:subject'];
  const losses = owned.map(
    ({ field, count }) =>
      `${field} names the owners of ${count === 1 ? '1 row' : `${count} rows`} as ${before}, and now callers are ${NAMES[form]}: no caller would own them any more; keep as many sources of identity (issuers, api_keys, gateway) as before, or rewrite the field`,
  );
  const total = owned.reduce((sum, { count }) => sum + count, 0);
  const cost = { kind: 'constant', rows: total } as const;
  const purpose = `name owners as ${NAMES[form]}`;
  return [{ purpose, statements: [], cost, lock: null, losses, broken: [] }];
}
