import { type OwnerForm, ownerForm } from '../../../auth/policy-caller.ts';
import type { Model } from '../../../model/model.ts';
import type { CurrentTable } from './alteration.ts';
import type { SchemaStep } from './schema-errors.ts';
import type { StoredRows } from './stored-rows.ts';

const NAMES: Readonly<Record<OwnerForm, string>> = { subject: '{sub}', 'issuer:subject': '{issuer}:{sub}' };

/** The form in which owner fields of a model name callers; null if it has none. */
export function declaredOwnerForm({ auth, resources }: Model): OwnerForm | null {
  return auth === null || [...resources.values()].every(({ owner }) => owner === null) ? null : ownerForm(auth);
}

/**
 * The step that changes how owner fields name callers, which nothing can convert: the owners of stored rows would not
 * be found any more (AUTH-9).
 *
 * @param recorded the form since the first start with an owner; null before it
 * @returns null where nothing is lost
 */
export function ownerStep(
  rows: StoredRows,
  model: Model,
  tables: readonly CurrentTable[],
  recorded: string | null,
): SchemaStep | null {
  const form = declaredOwnerForm(model);
  if (form === null || recorded === null || recorded === form) return null;
  const owned = [...model.resources.values()].flatMap(({ name, owner, was }) => {
    const table = tables.find((each) => each.name === name || each.name === was);
    if (owner === null || table?.columns.every((column) => column.name !== owner) !== false) return [];
    const count = rows.countValues(table.name, owner);
    return count === 0 ? [] : [{ field: `${name}.${owner}`, count }];
  });
  if (owned.length === 0) return null;
  const before = NAMES[recorded === 'subject' ? 'subject' : 'issuer:subject'];
  const losses = owned.map(
    ({ field, count }) =>
      `${field} names the owners of ${count === 1 ? '1 row' : `${count} rows`} as ${before}, and now callers are ${NAMES[form]}: no caller would own them any more; keep as many sources of identity (issuers, api_keys, gateway) as before, or rewrite the field`,
  );
  const total = owned.reduce((sum, { count }) => sum + count, 0);
  return {
    purpose: `name owners as ${NAMES[form]}`,
    statements: [],
    cost: { kind: 'constant', rows: total },
    lock: null,
    losses,
    broken: [],
  };
}
