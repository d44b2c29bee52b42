import type { Resource } from '../../../model/model.ts';
import { listColumns, typeAt } from '../../sql/columns.ts';
import type { BindParameters, Dialect } from '../../sql/dialect.ts';
import { quoteText } from '../../sql/standard-dialect.ts';
import { arrayLiteral } from '../dialect/literals.ts';
import { postgres } from '../dialect/postgres-dialect.ts';

/** Texts are compared character by character, whatever the collation of their column. */
const asCharacters = (expression: string): string => `(${expression})::text collate "C"`;

/**
 * The SQL of the tables of another program, as a difference from that of own ones. There are no columns of words: a
 * search reads the texts of each row. A common prefix says nothing about an order by a collation.
 */
export const sourceDialect: Dialect = {
  ...postgres,
  text: (column) => column,
  hasSubstring: (expression, placeholder) => `strpos(${asCharacters(expression)}, ${placeholder}) > 0`,
  hasPrefix: (expression, placeholder) => `${asCharacters(expression)} ^@ ${placeholder}`,
  derivedColumns: () => [],
  search: (resource, words, parameters) => hasWords(resource, words, parameters),
};

/** The marks that searches leave out, in decomposed texts. */
const ACCENTS = '[\u0300-\u036f]';

/**
 * A condition: each word is the beginning of a word in a searched field. Both are without case and accents. All words
 * are bound as one parameter, so that the texts of a row are prepared once.
 */
function hasWords(resource: Resource, words: readonly string[], parameters: BindParameters): string {
  const texts = resource.search.map((path) => searchedText(resource, path));
  const decomposed = `lower(normalize(concat_ws(chr(10), ${texts.join(', ')}), nfd))`;
  const folded = `normalize(regexp_replace(${decomposed}, ${quoteText(ACCENTS)}, '', 'g'), nfc)`;
  const patterns = arrayLiteral(words.map((word) => `(^|[^[:alnum:]])${word}`));
  return `${folded} ~ all (${parameters.add(patterns)}::text[])`;
}

/** The text at a path of a row. The items of an array are joined. */
function searchedText(resource: Resource, path: string): string {
  const [name = '', ...members] = path.split('.');
  const type = typeAt(listColumns(resource), [name, ...members]);
  const column = `${postgres.quote(resource.name)}.${postgres.quote(name)}`;
  if (type.kind !== 'array') {
    return members.length === 0 ? `${column}::text` : postgres.member(`to_json(${column})`, members, type).expression;
  }
  const at = members.map((member) => ` -> ${quoteText(member)}::text`).join('');
  const array = `(to_json(${column})${at})`;
  const items = `json_array_elements_text(case when json_typeof(${array}) = 'array' then ${array} end)`;
  return `(select string_agg(item.value, chr(10)) from ${items} as item(value))`;
}
