import { type ApiError, apiError, resourceError } from '../../conventions/errors.ts';
import type { Resource } from '../../model/model.ts';
import type { Refusal } from '../../plan/plan.ts';
import { ancestorNotFound } from '../read/item.ts';
import { stillReferredTo } from './cascade.ts';
import type { Surroundings } from '../surroundings.ts';

/** What the message says of a reference to nothing, wherever it is found out (MET-10). */
export const DANGLING = 'refers to nothing; send the id of a resource that exists';

/**
 * The error for a write that the store refused.
 *
 * @param resource the resource of the plan that failed
 */
export function writeRefusal(outcome: Refusal, resource: Resource, surroundings: Surroundings): Error {
  const { code, singular } = resource;
  switch (outcome.kind) {
    case 'exists':
      return resourceError(code, 'ALREADY_EXISTS', `A ${singular} with this id exists already; choose another id.`, {
        details: [{ field: 'id', message: 'is taken' }],
      });
    case 'unique': {
      const names = outcome.fields.join(', ');
      return resourceError(code, 'ALREADY_EXISTS', `A ${singular} with the same ${names} exists already.`, {
        details: outcome.fields.map((field) => ({ field, message: 'is taken' })),
      });
    }
    case 'reference':
      return invalid(
        resource,
        outcome.fields.map((field) => ({ field, message: DANGLING })),
      );
    case 'ancestor':
      return ancestorNotFound(outcome.resource, surroundings);
    case 'dependents':
      return stillReferredTo(resource);
    case 'recorded':
      return apiError(
        'IDEMPOTENCY_KEY_IN_PROGRESS',
        'A request with this Idempotency-Key is being answered; try again.',
        {
          headers: { 'Retry-After': '1' },
        },
      );
    case 'stale':
      return apiError('SERVER_OVERLOADED', `This ${singular} is being changed too often just now; try again.`);
    case 'expired':
      return apiError('SERVER_TIMEOUT', 'The write waited too long and was not made; try again.');
  }
}

/** 400 {R}_INVALID with all faults (ERR-3). */
export function invalid(resource: Resource, details: ApiError['details']): ApiError {
  const message = `The ${resource.singular} has ${details.length === 1 ? 'a fault' : `${details.length} faults`}; see details.`;
  return resourceError(resource.code, 'INVALID', message, { details });
}
