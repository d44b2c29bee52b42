import { isJsonObject, type Json } from '../../conventions/json.ts';
import { storedDateTime } from './date-time.ts';
import { storedDecimal, storedInt64 } from './exact-number.ts';
import type { Member, Shape } from '../model.ts';

/** Brings a value to the one form in which it is stored, compared and shown. */
export type StoredForm = (value: Json) => Json;

const asItIs: StoredForm = (value) => value;

/**
 * The stored form of a shape's values, compiled (REP-3, REP-4, REP-7): timestamps in UTC with three decimals, decimals and int64
 * canonical, no `-0`, every member of an object present, an unset list empty. What breaks the shape comes back as it is:
 * telling is the business of the checks. The form is a fixed point: storing it again changes nothing.
 */
export function storedForm({ type }: Shape): StoredForm {
  switch (type.kind) {
    case 'text':
    case 'boolean':
    case 'binary':
      return asItIs;
    case 'integer':
    case 'number':
      return (value) => (value === 0 ? 0 : value);
    case 'date-time':
      return ofText(storedDateTime);
    case 'decimal':
      return ofText((text) => storedDecimal(text, type.scale));
    case 'int64':
      return ofText(storedInt64);
    case 'object':
      return storedMembers(type.members);
    case 'map':
      return storedEntries(storedForm(type.value));
    case 'array':
      return storedItems(storedForm(type.item));
  }
}

/** What an absent member becomes: its default, else unset (REP-4). */
export function absentValue(member: Member): Json {
  return member.default ?? (member.type.kind === 'array' ? [] : null);
}

function ofText(convert: (text: string) => string | null): StoredForm {
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

function storedEntries(form: StoredForm): StoredForm {
  return (value) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, held]) => [key, form(held)])) : value;
}

function storedItems(form: StoredForm): StoredForm {
  if (form === asItIs) return (value) => value ?? [];
  return (value) => (Array.isArray(value) ? value.map(form) : (value ?? []));
}
