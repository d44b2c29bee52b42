import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';

/** Characters that no text contains, whatever way it comes in (RFC 7493 2.1, REP-7). */
const FORBIDDEN = /[\0\p{Noncharacter_Code_Point}\p{Surrogate}]/u;

/** The message for a text with a forbidden character. */
export const FORBIDDEN_TEXT = 'must not contain NUL, lone surrogates or Unicode noncharacters';

/** True if a text has a character that no store and no format keeps. */
export function isForbiddenText(text: string): boolean {
  return FORBIDDEN.test(text);
}

/** Finds the texts of a value that have forbidden characters, also those that are keys of maps. */
export function findForbiddenTexts(value: Json, path: readonly (string | number)[]): readonly (typeof path)[] {
  if (typeof value === 'string') return isForbiddenText(value) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((item: Json, index) => findForbiddenTexts(item, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, held]) =>
    isForbiddenText(name) ? [[...path, name]] : findForbiddenTexts(held, [...path, name]),
  );
}

/** Values whose lone surrogates are replaced: a function may have cut a text within a pair. */
export function withWellFormedTexts(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, held]) => [name.toWellFormed(), toWellFormed(held)]));
}

function toWellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(toWellFormed);
  return isJsonObject(value) ? withWellFormedTexts(value) : value;
}
