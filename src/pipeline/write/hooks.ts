import { type ApiError, type ErrorDetail, resourceError } from '../../conventions/errors.ts';
import { jsonEquals } from '../../conventions/json-equality.ts';
import { timestamp } from '../../conventions/timestamp.ts';
import type { Resource } from '../../model/model.ts';
import { isHidden } from '../../model/row-key.ts';
import { HookRefusal, type WriteContext } from '../../model/typescript/hooks.ts';
import { deepFreeze } from '../../model/values/deep-freeze.ts';
import { changedFields } from '../../plan/draft.ts';
import type { FieldValues, Row } from '../../plan/plan.ts';
import type { CompiledResource } from '../contract.ts';
import type { Negotiated } from '../negotiate.ts';
import type { Services } from '../services.ts';
import type { WriteTarget } from './write.ts';
import { invalid } from './write-refusal.ts';

type ContextServices = Pick<Services, 'application' | 'sources'>;

/**
 * Runs the application's code on a valid draft: first `check`, then `before` (model.md). Hooks are not called for a draft that changes nothing
 * (MET-7).
 *
 * @param current the current row; null for a new one
 * @returns the values to be written, validated again
 * @throws {ApiError} {R}_INVALID with the errors that `check` returned; what `refuse` was called with
 */
export async function applyHooks(
  { request, compiled }: WriteTarget,
  values: FieldValues,
  current: Row | null,
  services: ContextServices,
): Promise<FieldValues> {
  const { resource } = compiled;
  const { before, check } = resource.hooks;
  const hook = current === null ? before.create : before.update;
  if (hook === null && check.size === 0) return values;
  if (current !== null && changedFields(resource, values, current).length === 0) return values;
  const context = writeContext(request, services);
  return withRefusals(resource, async () => {
    await runChecks(resource, values, current, context);
    const changed =
      current === null
        ? await before.create?.(structuredClone(values), context)
        : await before.update?.(structuredClone(values), context, shownRow(current));
    return changed === undefined ? values : validatedAgain(compiled, changed, values);
  });
}

/** Lets the application's code refuse a deletion. @throws {ApiError} what `refuse` was called with */
export async function beforeDelete(
  request: Negotiated,
  resource: Resource,
  row: Row,
  services: ContextServices,
): Promise<void> {
  const hook = resource.hooks.before.delete;
  if (hook === null) return;
  await withRefusals(resource, async () => hook(shownRow(row), writeContext(request, services)));
}

function writeContext({ exchange, principal }: Negotiated, { application, sources }: ContextServices): WriteContext {
  return {
    ...application,
    caller: { subject: principal.subject },
    correlationId: exchange.correlationId,
    at: timestamp(sources.now()),
  };
}

/** A row for the application's code: frozen, without hidden members. */
function shownRow(row: Row): Row {
  const hidden = Object.keys(row).filter(isHidden);
  if (hidden.length === 0) return deepFreeze(row);
  const shown = { ...row };
  for (const name of hidden) Reflect.deleteProperty(shown, name);
  return deepFreeze(shown);
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

/** The path names the parent of a row, whatever a hook returns. */
function validatedAgain(
  { resource, validator }: CompiledResource,
  changed: FieldValues,
  before: FieldValues,
): FieldValues {
  const { parent } = resource;
  const candidate = parent === null ? changed : { ...changed, [parent.field]: before[parent.field] ?? null };
  const checked = validator.check(candidate, { unknown: 'refuse' });
  if (checked.kind === 'valid') return checked.values;
  const errors = checked.details.map(({ field, message }) => `${field} ${message}`).join('; ');
  throw new Error(`a before hook of ${resource.name} returned values that the schema does not allow: ${errors}`);
}

async function withRefusals<T>(resource: Resource, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof HookRefusal ? hookError(resource, error) : error;
  }
}

function hookError({ code }: Resource, { reason, message, details }: HookRefusal): ApiError {
  return resourceError(code, reason, message, { details });
}
