import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { Resource } from '../../../model/model.ts';
import { splitWords } from '../../../plan/filter/search.ts';
import type { DerivedColumn } from '../../sql/dialect.ts';
import { arrayLiteral, postgresLiteral, quote } from './literals.ts';

/** The prefix of the names of all columns with words. No field name has a dot. */
export const WORDS_PREFIX = 'restwright_words.';

/** Characters of a word that are compared: a lexeme has at most 2,046 bytes. */
const MAX_CHARACTERS = 500;
/** Bytes of the words of a row: a `tsvector` has at most a megabyte, with some bytes for each word. */
const MAX_BYTES = 700_000;
const BYTES_PER_WORD = 10;

/** The columns with the words of the searched fields of a resource, one for each field. */
export function searchColumns({ search }: Resource): readonly DerivedColumn[] {
  const byField = Map.groupBy(search, (path) => path.split('.')[0] ?? path);
  const most = MAX_BYTES / byField.size;
  return [...byField].map(([field, paths]) => ({
    name: `${WORDS_PREFIX}${field}`,
    field,
    encode: (value) =>
      arrayLiteral(
        storedWords(
          paths.flatMap((path) => textsAt(value, path.split('.').slice(1))),
          most,
        ),
      ),
    expression: (placeholder) => `array_to_tsvector(${placeholder}::text[])`,
  }));
}

/** Each word once, up to a number of bytes. */
function storedWords(texts: readonly string[], most: number): readonly string[] {
  const words = new Set(splitWords(texts.join('\n')).map((word) => word.slice(0, MAX_CHARACTERS)));
  let left = most;
  return [...words].filter((word) => {
    left -= Buffer.byteLength(word) + BYTES_PER_WORD;
    return left >= 0;
  });
}

/** The texts at a path inside a value: one, or the items of an array. */
function textsAt(value: Json | undefined, [member, ...members]: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string');
  if (member === undefined) return typeof value === 'string' ? [value] : [];
  if (!isJsonObject(value)) return [];
  return textsAt(value[member], members);
}

/** The words of a row as one expression, which has an index. @param prefix of the columns: `"products".` */
export function wordsExpression(resource: Resource, prefix: string): string {
  const columns = searchColumns(resource).map(({ name }) => `${prefix}${quote(name)}`);
  return `(${columns.join(' || ')})`;
}

/** A query for rows in which each word is the prefix of a word. */
export function wordsQuery(words: readonly string[]): string {
  return words.map((word) => `${postgresLiteral(word.slice(0, MAX_CHARACTERS))}:*`).join(' & ');
}
