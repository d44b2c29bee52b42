import { FORBIDDEN_TEXT, isForbiddenText } from '../../conventions/text/allowed-text.ts';
import { cut } from '../../conventions/text/quoted.ts';
import type { ErrorDetail } from '../../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { storedDateTime } from '../../model/values/date-time.ts';
import { storedId, storedUuid } from '../../model/values/formats.ts';
import type { Field, Resource } from '../../model/model.ts';
import { timeType } from '../../model/table-source.ts';
import type { ResourceValidator } from '../../model/values/resource-validator.ts';
import { isOmittedState } from '../write/draft.ts';
import type { ParentRecord } from './export-record.ts';
import type { FieldValues } from '../plan.ts';

/** A validated row of an import file; absent members are null. */
export interface ImportedRow {
  readonly id: string | null;
  readonly values: FieldValues;
  /** The fields that the file does not have. */
  readonly missing: readonly Field[];
  /** The ids above its parent, nearest first, where its key needs them; null where the file does not name them. */
  readonly above: readonly string[] | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

type ImportDraft =
  | { readonly kind: 'valid'; readonly row: ImportedRow }
  | { readonly kind: 'invalid'; readonly details: readonly ErrorDetail[] };

/** Members that are assigned again on import. */
const IGNORED = new Set(['revision', 'links']);

/**
 * Validates a row of an import file. Unlike POST, an import restores ids, timestamps, read-only fields and states from
 * the file, so that an export can be imported again. Everything else is validated as in POST.
 *
 * @param parent of {@link parentRecord}
 */
export function importDraft(
  resource: Resource,
  validator: ResourceValidator,
  parent: ParentRecord | null,
  body: Json,
): ImportDraft {
  if (!isJsonObject(body)) return { kind: 'invalid', details: [{ field: 'body', message: 'must be an object' }] };
  const { id = null, created_at: created = null, updated_at: updated = null, ...others } = body;
  const above = parent === null ? null : (body[parent.name] ?? null);
  const computed = new Set(resource.computed.map(({ name }) => name));
  const candidate: JsonObject = Object.fromEntries(
    Object.entries(others).filter(
      ([name]) =>
        !IGNORED.has(name) && !computed.has(name) && name !== parent?.name && !isOmittedState(resource, name, others),
    ),
  );
  const errors = [
    ...listDetails('id', idError(resource, validator, id)),
    ...listDetails('created_at', timeError(resource, created)),
    ...listDetails('updated_at', timeError(resource, updated)),
    ...aboveErrors(parent, above),
  ];
  const checked = validator.check(candidate, { unknown: 'refuse', texts: 'unchecked' });
  const details = [...errors, ...(checked.kind === 'invalid' ? checked.details : [])];
  if (checked.kind === 'invalid' || details.length > 0) return { kind: 'invalid', details };
  const times = { createdAt: parseTime(resource, created), updatedAt: parseTime(resource, updated) };
  const missing = resource.fields.filter(({ name }) => !Object.hasOwn(body, name));
  const given = parseText(id);
  const stored = given === null ? null : storedId(resource.id, given);
  const row = { id: stored, values: checked.values, missing, above: aboveIds(parent, above), ...times };
  return { kind: 'valid', row };
}

function aboveErrors(parent: ParentRecord | null, above: Json): readonly ErrorDetail[] {
  if (parent === null || above === null) return [];
  if (!isJsonObject(above)) return [{ field: parent.name, message: 'must be an object' }];
  const known = new Set(parent.members.map(({ name }) => name));
  const unknown = Object.keys(above).filter((name) => !known.has(name));
  return [
    ...unknown.map((name) => ({ field: `${parent.name}.${cut(name)}`, message: 'is unknown' })),
    ...parent.members.flatMap(({ name }) => listDetails(`${parent.name}.${name}`, aboveIdError(above[name] ?? null))),
  ];
}

function aboveIdError(id: Json): string | null {
  if (typeof id !== 'string') return 'must be a string';
  return isForbiddenText(id) ? FORBIDDEN_TEXT : null;
}

function aboveIds(parent: ParentRecord | null, above: Json): readonly string[] | null {
  if (parent === null || !isJsonObject(above)) return null;
  return parent.members.map(({ name, id }) => storedId(id, parseText(above[name] ?? null) ?? ''));
}

function listDetails(field: string, message: string | null): readonly ErrorDetail[] {
  return message === null ? [] : [{ field, message }];
}

function idError({ id: rule }: Resource, validator: ResourceValidator, id: Json): string | null {
  if (id === null)
    return rule.kind === 'server' || rule.optional ? null : 'is required: clients choose the ids of this collection';
  if (typeof id !== 'string') return 'must be a string';
  if (rule.kind === 'client') return validator.checkId(id);
  return storedUuid(id) === null ? 'must be a UUID; omit it to get a new one' : null;
}

function timeError(resource: Resource, value: Json): string | null {
  return value === null || parseTime(resource, value) !== null
    ? null
    : 'must be a date and time such as 2026-05-17T09:30:00Z';
}

function parseTime(resource: Resource, value: Json): string | null {
  return typeof value === 'string' ? storedDateTime(value, timeType(resource)) : null;
}

function parseText(value: Json): string | null {
  return typeof value === 'string' ? value : null;
}
