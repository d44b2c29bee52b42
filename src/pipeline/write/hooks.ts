import { type ApiError, type ErrorDetail, resourceError } from '../../conventions/errors.ts';
import { jsonEquals } from '../../conventions/json-equality.ts';
import { timestamp } from '../../conventions/timestamp.ts';
import { deepFreeze } from '../../model/values/deep-freeze.ts';
import { HookRefusal, type WriteContext } from '../../model/typescript/hooks.ts';
import type { Resource } from '../../model/model.ts';
import { changedFields } from '../../plan/draft.ts';
import type { Row, FieldValues } from '../../plan/plan.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { CompiledResource } from '../contract.ts';
import type { Negotiated } from '../negotiate.ts';
import { invalid } from './write-refusal.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * What an application's code makes of a draft that its schema admits: first what it checks, then what it changes (model.md, `check` and
 * `before`). A draft that changes nothing is not asked about (MET-7).
 *
 * @param current the row as it stands; null where the draft is a new one
 * @returns the values to be written, checked again
 * @throws {ApiError} {R}_INVALID with the faults that `check` found; whatever `refuse` was called with
 */
export function applyHooks(
  compiled: CompiledResource,
  values: FieldValues,
  current: Row | null,
  request: Negotiated,
  surroundings: Surroundings,
): MaybePromise<FieldValues> {
  const { resource } = compiled;
  const { before, check } = resource.hooks;
  const hook = current === null ? before.create : before.update;
  if (hook === null && check.size === 0) return values;
  if (current !== null && changedFields(resource, values, current).length === 0) return values;
  const context = writeContext(request, surroundings);
  return guarded(resource, async () => {
    await runChecks(resource, values, current, context);
    const changed =
      current === null
        ? await before.create?.(structuredClone(values), context)
        : await before.update?.(structuredClone(values), context, deepFreeze(current));
    return changed === undefined ? values : checkedAgain(compiled, changed, values);
  });
}

/** Lets an application's code refuse a removal. @throws {ApiError} whatever `refuse` was called with */
export async function beforeDelete(
  resource: Resource,
  row: Row,
  request: Negotiated,
  surroundings: Surroundings,
): Promise<void> {
  const hook = resource.hooks.before.delete;
  if (hook === null) return;
  await guarded(resource, async () => hook(deepFreeze(row), writeContext(request, surroundings)));
}

function writeContext({ exchange, principal }: Negotiated, { context, now }: Surroundings): WriteContext {
  return {
    ...context,
    caller: { subject: principal.subject },
    correlationId: exchange.correlationId,
    at: timestamp(now()),
  };
}

/** Asks about every value that the write sets anew, all at once. */
async function runChecks(
  resource: Resource,
  values: FieldValues,
  current: Row | null,
  context: WriteContext,
): Promise<void> {
  const asked = [...resource.hooks.check].filter(([name]) => {
    const value = values[name] ?? null;
    return value !== null && (current === null || !jsonEquals(value, current[name] ?? null));
  });
  const answers = await Promise.all(
    asked.map(async ([field, check]): Promise<ErrorDetail | null> => {
      const message = await check(values[field] ?? null, context);
      return message === null ? null : { field, message };
    }),
  );
  const faults = answers.filter((fault) => fault !== null);
  if (faults.length > 0) throw invalid(resource, faults);
}

/** The parent of a row is its path's to say, whatever a hook returns. */
function checkedAgain(
  { resource, validator }: CompiledResource,
  changed: FieldValues,
  before: FieldValues,
): FieldValues {
  const { parent } = resource;
  const candidate = parent === null ? changed : { ...changed, [parent.field]: before[parent.field] ?? null };
  const checked = validator.check(candidate, { unknown: 'refuse' });
  if (checked.kind === 'valid') return checked.values;
  const faults = checked.details.map(({ field, message }) => `${field} ${message}`).join('; ');
  throw new Error(`a before hook of ${resource.name} returned values that the schema does not admit: ${faults}`);
}

async function guarded<T>(resource: Resource, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof HookRefusal ? hookError(resource, error) : error;
  }
}

function hookError({ code }: Resource, { reason, message, details }: HookRefusal): ApiError {
  return resourceError(code, reason, message, { details });
}
