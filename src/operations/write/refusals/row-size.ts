import { withArticle, writeNoun } from '../../../conventions/text/article.ts';
import { apiError } from '../../../conventions/errors.ts';
import type { Json, JsonObject } from '../../../conventions/json/json.ts';
import type { Resource } from '../../../model/model.ts';

/**
 * Refuses values that would make a row larger than a limit (LIM-1). Many small writes could otherwise make it so large
 * that each read takes seconds. A row that is larger already, because the limit was higher, may keep its size or get
 * smaller.
 *
 * @param most bytes of the set fields as JSON
 * @param current the values before; null for a new row
 * @throws {ApiError} REQUEST_BODY_TOO_LARGE with the largest field
 */
export function checkRowSize(resource: Resource, most: number, values: JsonObject, current: JsonObject | null): void {
  if (boundSize(values, most) <= most) return;
  const sizes = fieldSizes(resource, values);
  const size = sum(sizes);
  if (size <= most || (current !== null && size <= sum(fieldSizes(resource, current)))) return;
  const { fields, singular } = resource;
  const message = `This ${writeNoun(singular)} would have ${size} bytes as JSON, and ${withArticle(writeNoun(singular))} has at most ${most}; send less, or remove something from it first.`;
  const largest = fields[sizes.indexOf(Math.max(...sizes))];
  throw apiError('REQUEST_BODY_TOO_LARGE', message, {
    details: [{ field: largest?.name ?? 'body', message: 'is the largest field' }],
  });
}

/** Bytes of each member with its name, two quotes, a colon and a comma; 0 if it is not set, as an empty array is. */
function fieldSizes({ fields }: Resource, values: JsonObject): readonly number[] {
  return fields.map(({ name }) => {
    const value = values[name] ?? null;
    return value === null || (Array.isArray(value) && value.length === 0)
      ? 0
      : Buffer.byteLength(JSON.stringify(value)) + name.length + 4;
  });
}

/** Bytes of a character in JSON: a control character is `\\u0000`. */
const CHARACTER = 6;
/** Bytes of any number, true, false or null. */
const SCALAR = 25;

/** Bytes that values as JSON have at most, without writing any: those of texts by their length. Stops above a limit. */
function boundSize(value: Json, limit: number): number {
  if (typeof value === 'string') return value.length * CHARACTER + 2;
  if (value === null || typeof value !== 'object') return SCALAR;
  let size = 2;
  for (const [name, each] of Object.entries(value)) {
    if (size > limit) return size;
    size += name.length * CHARACTER + 4 + boundSize(each, limit);
  }
  return size;
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all + size, 0);
}
