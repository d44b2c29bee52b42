import { memoizeLast } from '../../../cache/memoize.ts';
import type { Resource } from '../../../model/model.ts';
import { keyMembers } from '../../../model/row-key.ts';
import { splitWords } from '../../../plan/filter/search.ts';
import { listColumns, typeAt } from '../../sql/columns.ts';
import type { Dialect, SqlValue } from '../../sql/dialect.ts';
import { SYSTEM_PREFIX } from '../../sql/schema/system-tables.ts';

/**
 * The SQL function that returns the words of texts, folded and separated by spaces. Every connection that writes rows
 * must define it.
 */
export const WORDS_FUNCTION = 'restwright_words';

/** The implementation of the SQL function. */
export function joinedWords(...texts: readonly SqlValue[]): string {
  return splitWords(texts.filter((text) => text !== null).join('\n')).join(' ');
}

/** The SQL function that returns 1 if each word of a text is the prefix of a word in one of the texts. */
export const HAS_WORDS_FUNCTION = 'restwright_has_words';

/** The implementation of the SQL function. */
export function hasWords(words: SqlValue, ...texts: readonly SqlValue[]): number {
  const found = splitWords(texts.filter((text) => text !== null).join('\n'));
  const required = splitAtSpaces(String(words));
  return required.every((word) => found.some((each) => each.startsWith(word))) ? 1 : 0;
}

const splitAtSpaces = memoizeLast((words: string) => words.split(' '));

/** The prefix of the names of all search tables and triggers. */
export const SEARCH_PREFIX = `${SYSTEM_PREFIX}search.`;

/**
 * The names of the search objects of one resource. The dot after the resource's name distinguishes those of `product`
 * from the tables that FTS5 adds to those of `product_data`.
 */
interface SearchNames {
  /** The FTS5 table of the words of each row, by the row's key. */
  readonly words: string;
  /** The key of each row: the rowids of the resource change when the file is vacuumed or the table rebuilt. */
  readonly keys: string;
  readonly triggers: { readonly insert: string; readonly update: string; readonly delete: string };
}

export function searchNames(resource: string): SearchNames {
  const of = (part: string): string => `${SEARCH_PREFIX}${resource}.${part}`;
  return {
    words: of('words'),
    keys: of('keys'),
    triggers: { insert: of('insert'), update: of('update'), delete: of('delete') },
  };
}

/**
 * The FTS5 query for rows in which each word is the prefix of a word. Words are quoted, so that `OR` and `NEAR` are
 * words; no word contains a quote. A word that is a prefix of another one is left out: it adds no condition, and would
 * match most.
 */
export function matchQuery(words: readonly string[]): string {
  const required = words.filter((word) => !words.some((other) => other !== word && other.startsWith(word)));
  return required.map((word) => `"${word}" *`).join(' AND ');
}

/**
 * A query of the keys of the rows that match.
 *
 * @param deadlineCheck checked for each match; null where the statement has no deadline
 */
export function matchingKeys(resource: Resource, match: string, deadlineCheck: string | null): string {
  const { words, keys } = searchNames(resource.name);
  const members = keyMembers(resource).map((name) => `held."${name}"`);
  const checked = deadlineCheck === null ? '' : ` where ${deadlineCheck}`;
  return `select ${members.join(', ')} from "${words}"(${match}) as found join "${keys}" as held on held.key = found.rowid${checked}`;
}

/** The texts of the searched fields of a row, each joined. @param row the quoted name of its table, or an alias */
export function searchedTexts(
  dialect: Pick<Dialect, 'member' | 'literal' | 'quote'>,
  resource: Resource,
  row: string,
): readonly string[] {
  return resource.search.map((path) => textAt(dialect, resource, path, row));
}

/** The texts at a path of a row, joined. */
function textAt(
  { member, literal, quote }: Pick<Dialect, 'member' | 'literal' | 'quote'>,
  resource: Resource,
  path: string,
  row: string,
): string {
  const [name = '', ...members] = path.split('.');
  const type = typeAt(listColumns(resource), [name, ...members]);
  const column = `${row}.${quote(name)}`;
  if (type.kind !== 'array') return members.length === 0 ? column : member(column, members, type).expression;
  const at = literal(`$${members.map((each) => `.${quote(each)}`).join('')}`);
  return `(select group_concat(value, char(10)) from json_each(${column}, ${at}))`;
}
