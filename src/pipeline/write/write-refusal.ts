import { withArticle } from '../../conventions/text/article.ts';
import { type ApiError, apiError, resourceError } from '../../conventions/errors.ts';
import type { Resource } from '../../model/model.ts';
import { MAX_INDEX_SIZE } from '../../plan/list/index-size.ts';
import type { Refusal } from '../../plan/plan.ts';
import type { Authorized } from '../authorize.ts';
import type { CompiledResource } from '../contract.ts';
import { notFound } from '../read/item.ts';

/** The message for a reference to nothing, whether a draft or the store finds it (MET-10). */
export const DANGLING = 'refers to nothing; send the id of a resource that exists';

/** The message for an indexed value that is too long (LIM-1). */
const TOO_LONG = `is too long: it is indexed, and the values of an index have at most ${MAX_INDEX_SIZE} bytes together; send a shorter one`;

/** Where a refused write belongs. */
export interface RefusedWrite {
  /** The resource of the plan that failed. */
  readonly compiled: CompiledResource;
  readonly request: Pick<Authorized, 'contract' | 'permission'>;
}

/** The error for a write that the store refused. */
export function writeRefusal(refusal: Refusal, { compiled, request }: RefusedWrite): Error {
  const { resource } = compiled;
  const { code, singular } = resource;
  const { hidden } = request.permission.fields(resource.name);
  const capitalized = withArticle(singular).replace('a', 'A');
  switch (refusal.kind) {
    case 'exists':
      return resourceError(code, 'ALREADY_EXISTS', `${capitalized} with this id exists already; choose another id.`, {
        details: [{ field: 'id', message: 'is taken' }],
      });
    case 'unique':
      return taken(
        resource,
        refusal.fields.filter((field) => !hidden.has(field)),
      );
    case 'reference':
    case 'too-long':
      return invalid(resource, refusedFields(refusal, hidden));
    case 'ancestor':
      return notFound(request.contract.resourceOf(refusal.resource).resource);
    case 'dependents': {
      // The store finds a row that began to refer to this one after the cascade was planned.
      const message = `Other resources still refer to this ${singular}; remove or change them first.`;
      return resourceError(code, 'HAS_DEPENDENTS', message);
    }
    case 'recorded':
      return apiError(
        'IDEMPOTENCY_KEY_IN_PROGRESS',
        'A request with this Idempotency-Key is still in progress; retry it in a moment.',
        { headers: { 'Retry-After': '1' } },
      );
    case 'stale':
      return apiError('SERVER_OVERLOADED', `This ${singular} is changed by too many writes at a time; try again.`);
    case 'expired':
      return apiError('SERVER_TIMEOUT', 'The write waited too long and was not made; try again.');
  }
}

/** @param hidden names of fields that the caller may not read */
function refusedFields(
  { kind, fields }: Extract<Refusal, { kind: 'reference' | 'too-long' }>,
  hidden: ReadonlySet<string>,
): Parameters<typeof invalid>[1] {
  const message = kind === 'reference' ? DANGLING : TOO_LONG;
  return fields.map((field) => ({ field: hidden.has(field) ? 'body' : field, message }));
}

/** @param fields that have to be unique together, without those that the caller may not read */
function taken({ code, singular }: Resource, fields: readonly string[]): ApiError {
  const names = fields.length === 0 ? 'values' : fields.join(', ');
  const subject = withArticle(singular).replace('a', 'A');
  return resourceError(code, 'ALREADY_EXISTS', `${subject} with the same ${names} exists already.`, {
    details: fields.map((field) => ({ field, message: 'is taken' })),
  });
}

/** 400 {R}_INVALID with all validation errors (ERR-3). */
export function invalid(resource: Resource, details: ApiError['details']): ApiError {
  const count = details.length === 1 ? 'a validation error' : `${details.length} validation errors`;
  return resourceError(resource.code, 'INVALID', `The ${resource.singular} has ${count}; see details.`, { details });
}
