import type { ErrorDetail } from '../../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import type { Resource } from '../../model/model.ts';
import { readDigits, storedId } from '../../model/values/formats.ts';
import type { ResourceValidator } from '../../model/values/resource-validator.ts';
import type { Ancestor, Row } from '../plan.ts';
import type { UrlCheck } from '../routes/row-url.ts';

/** The rules for the id of a new row. */
interface IdRules {
  readonly resource: Resource;
  readonly validator: ResourceValidator;
  readonly checkUrl: UrlCheck;
}

/** Checks the id in the body of a create. Returns an error message without `id`, or null. */
export function newIdError(
  { resource, validator, checkUrl }: IdRules,
  id: Json | undefined,
  within: readonly Ancestor[],
): string | null {
  if (resource.id.kind === 'server') {
    return id === undefined || id === null ? checkUrl(within, null) : 'is assigned by the server; omit it';
  }
  if (id === undefined || id === null) {
    return resource.id.optional ? checkUrl(within, null) : 'is required: clients choose the ids of this collection';
  }
  const given = readSentId(resource, id);
  if (given === null) return resource.id.number ? 'must be a string or an integer' : 'must be a string';
  return validator.checkId(given) ?? checkUrl(within, given);
}

/** The id that a member of a body is: a text, or the digits of an integer where the resource has such ids (REP-4). */
export function readSentId({ id: rule }: Pick<Resource, 'id'>, id: Json | undefined): string | null {
  if (typeof id === 'string') return id;
  return rule.kind === 'client' && rule.number ? readDigits(id) : null;
}

/** Checks the members of a change that only repeat those of its row: `id` and `revision` (REP-6). */
export function ownIdErrors(resource: Resource, body: JsonObject, current: Row): readonly ErrorDetail[] {
  const { id, revision } = body;
  const errors: ErrorDetail[] = [];
  const sent = readSentId(resource, id);
  const isOther = sent === null || storedId(resource.id, sent) !== current.id;
  if (id !== undefined && isOther) errors.push({ field: 'id', message: 'must equal the id in the URL' });
  if (revision !== undefined && revision !== null && typeof revision !== 'number') {
    errors.push({ field: 'revision', message: 'must be an integer, as returned by GET' });
  }
  return errors;
}

/**
 * The `revision` in a body, which serves as a precondition if there is no `If-Match` (REP-6); null if it is absent or
 * not a number.
 */
export function bodyRevision(body: Json): number | null {
  const revision = isJsonObject(body) ? body['revision'] : null;
  return typeof revision === 'number' ? revision : null;
}
