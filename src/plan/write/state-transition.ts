import { type ApiError, resourceError } from '../../conventions/errors.ts';
import type { Resource } from '../../model/model.ts';
import type { FieldValues, Row } from '../plan.ts';

/** The context in which transitions are checked. */
interface TransitionRule {
  readonly resource: Resource;
  readonly scopeError: (scope: string) => ApiError | null;
}

/** The scope that the state transition of a change needs (AUTH-4); null where it needs none. */
export function transitionScope({ state }: Resource, values: FieldValues, current: Row): string | null {
  const [from, to] = state === null ? [] : [current[state.field], values[state.field]];
  if (typeof from !== 'string' || typeof to !== 'string') return null;
  return state?.scopes.get(from)?.get(to) ?? null;
}

/**
 * The reason why a change of the state is refused (MET-11); null if it is allowed.
 *
 * @param scopeError why the caller may not make a transition that requires a scope; null where it may
 */
export function transitionError(
  { resource, scopeError }: TransitionRule,
  values: FieldValues,
  current: Row,
): ApiError | null {
  const { state } = resource;
  if (state === null) return null;
  const [from, to] = [current[state.field], values[state.field]];
  if (from === to || typeof from !== 'string' || typeof to !== 'string') return null;
  if (state.transitions.get(from)?.has(to) === true) {
    const scope = transitionScope(resource, values, current);
    return scope === null ? null : scopeError(scope);
  }
  const targets = [...(state.transitions.get(from) ?? [])];
  const fix = targets.length === 0 ? `${from} is final` : `allowed from ${from}: ${targets.join(' or ')}`;
  const subject = `${resource.singular}.${state.field}`;
  return stateConflict(
    resource,
    state.field,
    `cannot change from ${from} to ${to}`,
    `${subject} cannot change from ${from} to ${to}; ${fix}.`,
  );
}

function stateConflict(resource: Resource, field: string, detail: string, message: string): ApiError {
  return resourceError(resource.code, 'CONFLICT', message, { details: [{ field, message: detail }] });
}

/**
 * A change of the state that the newest contract refuses, to a client of an older one, whose state may stand for
 * several.
 */
export function refusedTransition(resource: Resource, from: string, to: string): ApiError {
  const { singular, state } = resource;
  const field = state?.field ?? 'body';
  const refused = `cannot change from ${from} to ${to} now`;
  return stateConflict(resource, field, refused, `${singular}.${field} ${refused}; a newer version has more states.`);
}

/** The reason why a new row cannot have its values; null if it can. Every row starts in the initial state (MET-11). */
export function startError(resource: Resource, values: FieldValues): ApiError | null {
  const { state, singular } = resource;
  if (state === null || values[state.field] === state.initial) return null;
  const message = `A new ${singular} must start as ${state.initial}; omit ${state.field} or send ${state.initial}.`;
  return stateConflict(resource, state.field, `must start as ${state.initial}`, message);
}
