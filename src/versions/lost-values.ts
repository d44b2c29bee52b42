import { isJsonObject, type Json } from '../conventions/json/json.ts';
import type { Field, Shape } from '../model/model.ts';
import type { FieldValues } from '../plan/plan.ts';
import { isShownAs, isUnsetValue } from './shown-values.ts';

/** A value of the older contract that is shown as another one afterwards. */
export interface LostValue {
  readonly kind: 'lost';
  /** Its path: `place.city`. */
  readonly field: string;
}

/** Finds the values that are others once they were converted there and back, by the paths of their members. */
export function findLosses(fields: readonly Field[], before: FieldValues, after: FieldValues): readonly LostValue[] {
  return fields.flatMap((field) =>
    listLost(field.name, field, { was: before[field.name] ?? null, is: after[field.name] ?? null }).map(
      (path): LostValue => ({ kind: 'lost', field: path }),
    ),
  );
}

/** A value before and afterwards. */
interface ComparedValue {
  readonly was: Json;
  readonly is: Json;
}

/** The paths of the members that differ; `lines[].no` in a list. */
function listLost(path: string, shape: Shape, value: ComparedValue): readonly string[] {
  const [was, is] = [withoutEmpty(value.was, shape), withoutEmpty(value.is, shape)];
  if (isShownAs(was, is, shape)) return [];
  const { type } = shape;
  if (type.kind === 'object' && isJsonObject(was) && isJsonObject(is))
    return type.members.flatMap((member) =>
      listLost(`${path}.${member.name}`, member, { was: was[member.name] ?? null, is: is[member.name] ?? null }),
    );
  if (type.kind === 'array' && Array.isArray(was) && Array.isArray(is) && was.length === is.length) {
    const items: readonly Json[] = is;
    return [
      ...new Set(
        was.flatMap((item: Json, at) => listLost(`${path}[]`, type.item, { was: item, is: items[at] ?? null })),
      ),
    ];
  }
  return [path];
}

/** Unsets a declared object without set members: where a member of it is stored elsewhere, it is shown so or so. */
function withoutEmpty(value: Json, { type }: Shape): Json {
  if (type.kind !== 'object' || !isJsonObject(value)) return value;
  const members = type.members.map((member): [string, Json] => [
    member.name,
    withoutEmpty(value[member.name] ?? null, member),
  ]);
  return members.every(([, member]) => isUnsetValue(member)) ? null : Object.fromEntries(members);
}
