import { withArticle, writeNoun } from '../conventions/text/article.ts';
import { type ApiError, apiError, resourceError } from '../conventions/errors.ts';
import type { Resource } from '../model/model.ts';

/** The message for a reference to nothing, whether a draft or the store finds it (MET-10). */
export const DANGLING = 'refers to nothing; send the id of a resource that exists';

/** 404 {R}_NOT_FOUND. */
export function notFound({ code, singular }: Resource): ApiError {
  return resourceError(code, 'NOT_FOUND', `There is no ${writeNoun(singular)} with this id here.`);
}

/** 410 {R}_GONE. */
export function gone({ code, singular }: Resource): ApiError {
  return resourceError(code, 'GONE', `The ${writeNoun(singular)} with this id was deleted.`);
}

/** 412 {R}_PRECONDITION_FAILED. */
export function preconditionFailed({ code }: Resource): ApiError {
  const message = 'A precondition of the request does not hold; read the resource again and repeat with its new ETag.';
  return resourceError(code, 'PRECONDITION_FAILED', message);
}

/** 412 {R}_PRECONDITION_FAILED of a collection that other programs write, and no one counts their writes. */
export function noCollectionVersion({ code, singular }: Resource): ApiError {
  const message = `Other programs write this collection, so it has no version to compare. Send If-Match with a change of one ${writeNoun(singular)}.`;
  return resourceError(code, 'PRECONDITION_FAILED', message);
}

/** 428 REQUEST_PRECONDITION_REQUIRED. */
export function preconditionRequired(): ApiError {
  const message = 'Send If-Match with the ETag that you read, so that no change is lost.';
  return apiError('REQUEST_PRECONDITION_REQUIRED', message, {
    details: [{ field: 'If-Match', message: 'is required' }],
  });
}

/** 403 {R}_FORBIDDEN. */
export function forbidden({ code }: Resource, message: string): ApiError {
  return resourceError(code, 'FORBIDDEN', message);
}

/** 400 {R}_INVALID with all validation errors (ERR-3). */
export function invalid(resource: Resource, details: ApiError['details'], cause?: Error): ApiError {
  const count = details.length === 1 ? 'a validation error' : `${details.length} validation errors`;
  return resourceError(resource.code, 'INVALID', `The ${writeNoun(resource.singular)} has ${count}; see details.`, {
    details,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** 409 {R}_CONFLICT of a patch. @param operation its index in the patch */
export function patchConflict({ code, singular }: Resource, operation: number, message: string): ApiError {
  return resourceError(
    code,
    'CONFLICT',
    `The patch does not apply to the current ${writeNoun(singular)}; read it again.`,
    {
      details: [{ field: `[${operation}]`, message }],
    },
  );
}

/** 409 {R}_ALREADY_EXISTS of an id. */
export function idTaken({ code, singular }: Resource): ApiError {
  const message = `${capitalized(singular)} with this id exists already; choose another id.`;
  return resourceError(code, 'ALREADY_EXISTS', message, { details: [{ field: 'id', message: 'is taken' }] });
}

/**
 * 409 {R}_ALREADY_EXISTS of unique values.
 *
 * @param fields unique together, without those that the caller may not read
 */
export function valuesTaken({ code, singular }: Resource, fields: readonly string[]): ApiError {
  const names = fields.length === 0 ? 'values' : fields.join(', ');
  return resourceError(code, 'ALREADY_EXISTS', `${capitalized(singular)} with the same ${names} exists already.`, {
    details: fields.map((field) => ({ field, message: 'is taken' })),
  });
}

/** 409 {R}_HAS_DEPENDENTS. @param referring a resource whose rows refer to the row; null if it is not known */
export function hasDependents({ code, singular }: Resource, referring: Resource | null): ApiError {
  const named = referring === null ? '' : ` (${referring.name})`;
  const message = `Other resources${named} still refer to this ${writeNoun(singular)}; remove or change them first.`;
  return resourceError(code, 'HAS_DEPENDENTS', message);
}

/** 409 {R}_HAS_DEPENDENTS of a deletion that is too large. @param most rows */
export function tooManyDependents({ code, singular }: Resource, most: number): ApiError {
  const message = `Deleting this ${writeNoun(singular)} would delete or change more than ${most} rows, or read more than 64 MiB of them; delete some of them first.`;
  return resourceError(code, 'HAS_DEPENDENTS', message);
}

/** 404 BATCH_NOT_FOUND. */
export function batchNotFound(): ApiError {
  const message = 'There is no batch with this id for this caller; batches are retained for 24 hours.';
  return resourceError('BATCH', 'NOT_FOUND', message);
}

/** 404 EVENT_NOT_FOUND. */
export function eventNotFound(): ApiError {
  return resourceError('EVENT', 'NOT_FOUND', 'No such event.');
}

/** 409 IDEMPOTENCY_KEY_IN_PROGRESS. */
export function keyInProgress(): ApiError {
  const message = 'A request with this Idempotency-Key is still in progress; retry it in a moment.';
  return apiError('IDEMPOTENCY_KEY_IN_PROGRESS', message, { headers: { 'Retry-After': '1' } });
}

function capitalized(singular: string): string {
  return withArticle(writeNoun(singular)).replace('a', 'A');
}
