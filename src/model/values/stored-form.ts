import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { compareUtf8 } from '../../conventions/text/utf8-order.ts';
import { storedDateTime } from './date-time.ts';
import { readsUuids, storedUuid } from './formats.ts';
import { storedDecimal, storedInt64 } from './exact-number.ts';
import type { Member, Shape } from '../model.ts';

/** Normalizes a value to the form that is stored, compared and returned. */
export type StoredForm = (value: Json) => Json;

const unchanged: StoredForm = (value) => value;

/**
 * Compiles the normalization of a shape's values (REP-2, REP-3, REP-4, REP-7). Normalizing is idempotent.
 *
 * Timestamps are in UTC with three decimals, or six, UUIDs in lower case. Decimals and int64 are in canonical form, and
 * there is no `-0`.
 * Every member of an object is present, the entries of a map are in order, and an unset array is empty.
 * Invalid values are returned unchanged, since validation reports them.
 */
export function storedForm({ type }: Shape): StoredForm {
  switch (type.kind) {
    case 'text':
      return readsUuids(type) ? ofString(storedUuid) : unchanged;
    case 'boolean':
    case 'binary':
    case 'json':
      return unchanged;
    case 'integer':
    case 'number':
      return (value) => (value === 0 ? 0 : value);
    case 'date-time':
      return ofString((text) => storedDateTime(text, type));
    case 'decimal':
      return ofString((text) => storedDecimal(text, type.scale));
    case 'int64':
      return ofString(storedInt64);
    case 'object':
      return storedMembers(type.members);
    case 'map':
      return storedEntries(storedForm(type.value));
    case 'array':
      return storedItems(storedForm(type.item));
  }
}

/** The value of an absent member: its default, or unset (REP-4). */
export function absentValue(member: Member): Json {
  return member.default ?? (member.type.kind === 'array' ? [] : null);
}

function ofString(convert: (text: string) => string | null): StoredForm {
  return (value) => (typeof value === 'string' ? (convert(value) ?? value) : value);
}

function storedMembers(members: readonly Member[]): StoredForm {
  const forms = members.map((member) => ({ member, form: storedForm(member) }));
  return (value) => {
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      forms.map(({ member, form }) => {
        const given = value[member.name];
        return [member.name, given === undefined ? absentValue(member) : form(given)];
      }),
    );
  };
}

/**
 * The entries of a map in the order of their keys (REP-1). JavaScript keeps keys that are array indexes before all
 * others.
 */
function storedEntries(form: StoredForm): StoredForm {
  return (value) => {
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).map(([key, held]): readonly [key: string, held: Json] => [key, form(held)]);
    return Object.fromEntries(entries.length < 2 ? entries : entries.sort(([one], [other]) => compareUtf8(one, other)));
  };
}

function storedItems(form: StoredForm): StoredForm {
  if (form === unchanged) return (value) => value ?? [];
  return (value) => (Array.isArray(value) ? value.map(form) : (value ?? []));
}
