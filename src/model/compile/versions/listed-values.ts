import type { Json, JsonObject } from '../../../conventions/json/json.ts';
import type { VersionChange } from '../../model.ts';
import { readArray } from '../../values/access.ts';

/** Values of a field that differ between two versions. */
export type ValuePairs = Pick<Extract<VersionChange, { kind: 'values' }>, 'up' | 'down'>;

/** The JSON text of a value, by which maps hold it. */
export function valueKey(value: Json): string {
  return JSON.stringify(value);
}

/** The value of a JSON text. */
export function parseValueKey(key: string): Json {
  const value: Json = JSON.parse(key);
  return value;
}

/** The values that a schema lists, without null; null where it lists none. */
export function listedValues({ enum: listed, const: constant }: JsonObject): readonly Json[] | null {
  if (constant !== undefined) return [constant];
  return listed === undefined ? null : readArray(listed).filter((value) => value !== null);
}

/** The values of the older version that mean a value of its successor. What no pair names means itself. */
export function findOlderValues(value: Json, up: ValuePairs['up']): readonly Json[] {
  const key = valueKey(value);
  const sources = [...up].flatMap(([older, newer]) => (valueKey(newer) === key ? [parseValueKey(older)] : []));
  return sources.length === 0 && !up.has(key) ? [value] : sources;
}

/** The values of the older version, in the order of those of its successor. */
export function olderValues(newer: readonly Json[], { up, down }: ValuePairs): readonly Json[] {
  const older = newer.flatMap((value) =>
    findOlderValues(value, up).filter((source) => source !== value || !down.has(valueKey(value))),
  );
  return [...new Set(older.map(valueKey))].map(parseValueKey);
}

/** The value that the older version shows for one of its successor. */
export function shownValue(value: Json, { down }: ValuePairs): Json {
  return down.get(valueKey(value)) ?? value;
}
