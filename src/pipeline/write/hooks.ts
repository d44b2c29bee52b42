import { type ApiError, type ErrorDetail, resourceError } from '../../conventions/errors.ts';
import { jsonEquals } from '../../conventions/json-equality.ts';
import { timestamp } from '../../conventions/timestamp.ts';
import type { Resource } from '../../model/model.ts';
import { HookRefusal, type WriteContext } from '../../model/typescript/hooks.ts';
import { changedFields } from '../../plan/draft.ts';
import type { FieldValues, Row } from '../../plan/plan.ts';
import type { CompiledResource } from '../contract.ts';
import type { Negotiated } from '../negotiate.ts';
import type { Services } from '../services.ts';
import type { CascadePlans } from './cascade.ts';
import { HookWork, shownRow } from './hook-work.ts';
import { originOf, type WriteTarget } from './write.ts';
import { invalid } from './write-refusal.ts';

type ContextServices = Pick<Services, 'application' | 'sources' | 'events'>;

/** The values that a write has after its hooks, and what these read and wrote. */
interface HookedValues {
  readonly values: FieldValues;
  /** null where no hook has run. */
  readonly work: HookWork | null;
}

/**
 * Runs the application's code on a valid draft: first `check`, then `before` (model.md). Hooks are not called for a draft that changes nothing
 * (MET-7).
 *
 * @param current the current row; null for a new one
 * @returns the values to be written, validated again, and the work of the hooks
 * @throws {ApiError} {R}_INVALID with the errors that `check` returned; what `refuse` was called with
 */
export async function applyHooks(
  { request, compiled }: WriteTarget,
  values: FieldValues,
  current: Row | null,
  services: ContextServices,
): Promise<HookedValues> {
  const { resource } = compiled;
  const { before, check } = resource.hooks;
  const hook = current === null ? before.create : before.update;
  if (hook === null && check.size === 0) return { values, work: null };
  if (current !== null && changedFields(resource, values, current).length === 0) return { values, work: null };
  const work = hookWork(request, services);
  const context = writeContext(request, work, services);
  const hooked = await withRefusals(resource, async () => {
    await runChecks(resource, values, current, context);
    const changed =
      current === null
        ? await before.create?.(structuredClone(values), context)
        : await before.update?.(structuredClone(values), context, shownRow(current));
    return changed === undefined ? values : validatedAgain(compiled, changed, values);
  });
  return { values: hooked, work };
}

/** Lets the application's code refuse a deletion. @returns the work of the hooks @throws {ApiError} what `refuse` was called with */
export async function beforeDelete(
  request: Negotiated,
  deleted: CascadePlans['deleted'],
  services: ContextServices,
): Promise<HookWork | null> {
  if (deleted.every(({ resource }) => resource.hooks.before.delete === null)) return null;
  const work = hookWork(request, services);
  for (const { resource, row } of deleted) {
    const hook = resource.hooks.before.delete;
    if (hook === null) continue;
    await withRefusals(resource, async () => hook(shownRow(row), writeContext(request, work, services)));
  }
  return work;
}

function hookWork(request: Negotiated, services: ContextServices): HookWork {
  const author = { events: services.events, origin: originOf(request, services) };
  return new HookWork(request, author, services.sources.uuid);
}

function writeContext(
  { exchange, principal }: Negotiated,
  { rows, system, writes }: HookWork,
  { application, sources }: ContextServices,
): WriteContext {
  return {
    ...application,
    caller: { subject: principal.subject },
    correlationId: exchange.correlationId,
    at: timestamp(sources.now()),
    rows,
    system,
    writes,
  };
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
