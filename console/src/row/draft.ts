import { formatValue } from './json-values.ts';
import type { ApiField } from '../schema/api-schema.ts';
import { asList, asRecord } from '../schema/json-access.ts';

/** A value while it is edited: scalars are texts, as they are typed. */
export type Draft =
  | { readonly form: 'unset' }
  | { readonly form: 'text'; readonly text: string }
  | { readonly form: 'list'; readonly items: readonly Draft[] }
  | { readonly form: 'map'; readonly entries: readonly DraftEntry[] }
  | { readonly form: 'object'; readonly members: DraftMembers };

export interface DraftEntry {
  readonly key: string;
  readonly value: Draft;
}

export type DraftMembers = Readonly<Record<string, Draft>>;

/** The faults of typed values by path: `place.city`, `tags[0]`. */
export type Problems = ReadonlyMap<string, string>;

/** The faults that a draft can have before it is sent. */
export type DraftFault = 'number' | 'json' | 'key';

export const UNSET: Draft = { form: 'unset' };

/** The draft that shows a value. */
export function toDraft(field: ApiField, value: unknown): Draft {
  if (field.kind === 'list') {
    const { item } = field;
    return { form: 'list', items: asList(value).map((each) => (item === null ? UNSET : toDraft(item, each))) };
  }
  if (value === null || value === undefined) return UNSET;
  const kind: string = field.kind;
  switch (kind) {
    case 'map':
      return {
        form: 'map',
        entries: Object.entries(asRecord(value)).map(([key, each]) => ({
          key,
          value: field.item === null ? UNSET : toDraft(field.item, each),
        })),
      };
    case 'object':
      return { form: 'object', members: toDrafts(field.members, asRecord(value)) };
    case 'json':
      return { form: 'text', text: JSON.stringify(value, null, 2) };
    default:
      return { form: 'text', text: formatValue(value) ?? '' };
  }
}

/** The drafts of the members of a value. */
export function toDrafts(fields: readonly ApiField[], value: Readonly<Record<string, unknown>>): DraftMembers {
  return Object.fromEntries(fields.map((field) => [field.name, toDraft(field, value[field.name] ?? null)]));
}

/** A draft for a new value: its default, else an empty one that can be typed into. */
export function createDraft(field: ApiField): Draft {
  if (field.default !== undefined || field.kind === 'list') return toDraft(field, field.default);
  if (field.kind === 'map') return { form: 'map', entries: [] };
  if (field.kind !== 'object') return UNSET;
  return {
    form: 'object',
    members: Object.fromEntries(field.members.map((member) => [member.name, toDraft(member, member.default)])),
  };
}

/**
 * The value that a draft stands for; null if it is not set.
 *
 * @param report is called with the path of each part that stands for none
 */
export function readDraft(
  field: ApiField,
  draft: Draft,
  path: string,
  report: (path: string, fault: DraftFault) => void,
): unknown {
  const { item } = field;
  switch (draft.form) {
    case 'unset':
      return null;
    case 'text':
      return readText(field, draft.text, (fault) => report(path, fault));
    case 'list':
      return draft.items.map((each, index) =>
        item === null ? null : readDraft(item, each, `${path}[${index}]`, report),
      );
    case 'map':
      return Object.fromEntries(
        draft.entries.map(({ key, value }, index) => {
          const isTwice = draft.entries.findIndex((each) => each.key === key) !== index;
          if (key === '' || isTwice) report(`${path}.${key}`, 'key');
          return [key, item === null ? null : readDraft(item, value, `${path}.${key}`, report)];
        }),
      );
    case 'object':
      return Object.fromEntries(
        field.members.map((member) => {
          const { name } = member;
          return [name, readDraft(member, draft.members[name] ?? UNSET, `${path}.${name}`, report)];
        }),
      );
  }
}

function readText(field: ApiField, text: string, report: (fault: DraftFault) => void): unknown {
  const { options } = field;
  const kind: string = field.kind;
  switch (kind) {
    case 'integer':
    case 'number': {
      const number = Number(text);
      if (text.trim() !== '' && Number.isFinite(number)) return number;
      report('number');
      return null;
    }
    case 'boolean':
      return text === 'true';
    case 'enum':
      return options?.find((each) => String(each) === text) ?? text;
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        report('json');
        return null;
      }
    default:
      return text;
  }
}
