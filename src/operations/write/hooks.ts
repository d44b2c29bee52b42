import { ApiError, type ErrorDetail, resourceError } from '../../conventions/errors.ts';
import { jsonEquals } from '../../conventions/json/json-equality.ts';
import { withWellFormedTexts } from '../../conventions/text/allowed-text.ts';
import type { Resource } from '../../model/model.ts';
import { HookRefusal, type WriteContext } from '../../model/hooks.ts';
import { changedFields } from '../../plan/write/draft.ts';
import type { FieldValues, Row } from '../../plan/plan.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import type { Caller } from '../caller.ts';
import { invalid } from '../failures.ts';
import type { CascadePlans } from './cascade.ts';
import { type ContextServices, HookWork, shownRow } from './hook-work.ts';
import { errorList, refineDraft } from './refine.ts';
import { inCallersTerms } from './refusals/older-contract-error.ts';
import { type WriteTarget } from './write.ts';
import { checkStoredSize, storedHidden } from './complete-draft.ts';

/** The values of a write after its hooks, and the work of the hooks. */
interface HookedValues {
  readonly values: FieldValues;
  /** null if no hook has run. */
  readonly work: HookWork | null;
}

/**
 * Runs the application's code on a valid draft: the refinements and transforms of a library's schema, `check`, `before`
 * (model.md). None of it runs for a draft that changes nothing (MET-7).
 *
 * @param current the current row; null for a new one
 * @returns the values to be written, validated again, and the work of the hooks
 * @throws {ApiError} {R}_INVALID with the errors of refinements or of `check`; the error of `refuse`;
 *   REQUEST_BODY_TOO_LARGE if they have made the row too large
 */
export async function applyHooks(
  target: WriteTarget,
  draft: FieldValues,
  current: Row | null,
  services: ContextServices,
): Promise<HookedValues> {
  const hooked = await inCallersTerms(target, () => runHooks(target, draft, current, services));
  if (hooked.values !== draft) checkStoredSize(target, hooked.values, current);
  return hooked;
}

async function runHooks(
  target: WriteTarget,
  draft: FieldValues,
  current: Row | null,
  services: ContextServices,
): Promise<HookedValues> {
  const { system, systemResource: compiled } = target;
  const { resource } = compiled;
  const { before, check, refine } = resource.hooks;
  const hook = current === null ? before.create : before.update;
  const hasHooks = hook !== null || check.size > 0;
  if ((!hasHooks && refine === null) || isUnchanged(resource, draft, current)) return { values: draft, work: null };
  const hidden = storedHidden(target);
  const values = await refinedValues(compiled, draft, { current, hidden });
  if (!hasHooks || isUnchanged(resource, values, current)) return { values, work: null };
  const work = new HookWork(system, services);
  const { context } = work;
  const run = withoutNames(hidden, () =>
    withRefusals(resource, async () => {
      await runChecks(resource, values, current, context);
      const changed =
        current === null
          ? await before.create?.(structuredClone(values), context)
          : await before.update?.(structuredClone(values), context, shownRow(current));
      return changed === undefined ? values : validatedAgain(compiled, changed, values);
    }),
  );
  return { values: await run, work };
}

function isUnchanged(resource: Resource, values: FieldValues, current: Row | null): boolean {
  return current !== null && changedFields(resource, values, current).length === 0;
}

/** @throws {ApiError} {R}_INVALID with the errors of refinements */
async function refinedValues(
  compiled: CompiledResource,
  draft: FieldValues,
  { current, hidden }: { readonly current: Row | null; readonly hidden: ReadonlySet<string> },
): Promise<FieldValues> {
  const { resource } = compiled;
  return withoutNames(hidden, async () => {
    const refined = await withRefusals(resource, () => refineDraft(compiled, draft, current, hidden));
    if (refined.kind === 'valid') return refined.values;
    throw invalid(resource, refined.details);
  });
}

/**
 * Runs code of the application. Errors of fields that the caller may not read become errors of the whole body (REP-11).
 */
async function withoutNames<T>(hidden: ReadonlySet<string>, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (hidden.size === 0 || !(error instanceof ApiError)) throw error;
    const details = error.details.map((detail) =>
      hidden.has(detail.field.split(/[.[]/, 1)[0] ?? '') ? { field: 'body', message: 'is not valid' } : detail,
    );
    const { status, code, message, headers, cause } = error;
    throw new ApiError(status, code, message, { details, headers, cause });
  }
}

/**
 * Runs the application's code before a deletion, which may refuse it.
 *
 * @returns the work of the hooks
 * @throws {ApiError} the error of `refuse`
 */
export async function beforeDelete(
  system: Caller,
  deleted: CascadePlans['deleted'],
  services: ContextServices,
): Promise<HookWork | null> {
  if (deleted.every(({ resource }) => resource.hooks.before.delete === null)) return null;
  const work = new HookWork(system, services);
  for (const { resource, row } of deleted) {
    const hook = resource.hooks.before.delete;
    if (hook === null) continue;
    await withRefusals(resource, async () => hook(shownRow(row), work.context));
  }
  return work;
}

/** Checks every value that the write changes, concurrently. */
async function runChecks(
  resource: Resource,
  values: FieldValues,
  current: Row | null,
  context: WriteContext,
): Promise<void> {
  const changed = [...resource.hooks.check].filter(([name]) => {
    const value = values[name] ?? null;
    return value !== null && (current === null || !jsonEquals(value, current[name] ?? null));
  });
  const details = await Promise.all(
    changed.map(async ([field, check]): Promise<ErrorDetail | null> => {
      const message = await check(values[field] ?? null, context);
      return message === null ? null : { field, message };
    }),
  );
  const errors = details.filter((detail) => detail !== null);
  if (errors.length > 0) throw invalid(resource, errors);
}

/**
 * Validates the values that a hook returned. The path names the parent of a row, whatever a hook returns. Transforms
 * have run before.
 */
async function validatedAgain(
  compiled: CompiledResource,
  changed: FieldValues,
  before: FieldValues,
): Promise<FieldValues> {
  const { resource, validator } = compiled;
  const { parent } = resource;
  const candidate = parent === null ? changed : { ...changed, [parent.field]: before[parent.field] ?? null };
  const errors = [];
  const checked = validator.check(withWellFormedTexts(candidate), { unknown: 'refuse', texts: 'unchecked' });
  if (checked.kind === 'invalid') errors.push(...checked.details);
  else {
    const refined = jsonEquals(checked.values, before) ? checked : await refineDraft(compiled, checked.values, null);
    if (refined.kind === 'valid') return checked.values;
    errors.push(...refined.details);
  }
  throw new Error(
    `a before hook of ${resource.name} returned values that the schema does not allow: ${errorList(errors)}`,
  );
}

/** Runs code of the application, which may refuse the write. @throws {ApiError} the error of `refuse` */
export async function withRefusals<T>(resource: Resource, run: () => MaybePromise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof HookRefusal ? hookError(resource, error) : error;
  }
}

function hookError({ code }: Resource, { reason, message, details }: HookRefusal): ApiError {
  return resourceError(code, reason, message, { details });
}
