import type { Json, JsonObject } from '../../conventions/json/json.ts';
import type { IdRule, Member, Model, Resource } from '../../model/model.ts';

/**
 * The member of an exported row that names the rows above its parent, if the parent's id is unique only below its
 * parent. It is the parent's relation with the field of its parent, `file: {folder_id: 'a'}`.
 */
export interface ParentRecord {
  readonly name: string;
  /** Names of its members, the hidden members of the row with their values, and the rules of the ids. */
  readonly members: readonly { readonly name: string; readonly hidden: string; readonly id: IdRule }[];
}

/** null where the field of the parent names it alone. */
export function parentRecord(
  { parent, parentKey, field }: Resource,
  resources: Model['resources'],
): ParentRecord | null {
  const above = resources.get(parent?.resource ?? '');
  const name = field.get(parent?.field ?? '')?.reference?.as ?? null;
  if (above === undefined || name === null || parentKey.length < 2) return null;
  const ancestors = listAbove(above, resources);
  const members = parentKey.slice(1).flatMap((hidden, level) => {
    const [member, ancestor] = [above.parentKey[level], ancestors[level]];
    return member === undefined || ancestor === undefined ? [] : [{ name: member, hidden, id: ancestor.id }];
  });
  return { name, members };
}

/** The resources above another one, nearest first. */
function listAbove({ parent }: Resource, resources: Model['resources']): readonly Resource[] {
  const above = resources.get(parent?.resource ?? '');
  return above === undefined ? [] : [above, ...listAbove(above, resources)];
}

/** The member in an exported row. */
export function parentMembers(record: ParentRecord | null, row: JsonObject): JsonObject {
  if (record === null) return {};
  const ids = record.members.map(({ name, hidden }): [string, Json] => [name, row[hidden] ?? null]);
  return { [record.name]: Object.fromEntries(ids) };
}

/** The type of the member. */
export function parentRecordType({ name, members }: ParentRecord): Member {
  const id = (member: string): Member => ({
    name: member,
    type: { kind: 'text', format: null },
    nullable: false,
    required: true,
  });
  const type = { kind: 'object', members: members.map((member) => id(member.name)) } as const;
  return { name, type, nullable: true, required: false };
}
