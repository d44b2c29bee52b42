import type { BindParameters, Dialect } from '../../sql/dialect.ts';
import type { Resource } from '../../../model/model.ts';
import { HAS_WORDS_FUNCTION, searchedTexts } from '../dialect/search-tables.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';

/**
 * The SQL of the tables of another program, as a difference from that of own ones. A view has no rowid: each row checks
 * the deadline. There is no index of words: a search reads the texts of each row.
 */
export const sourceDialect: Dialect = {
  ...sqlite,
  deadline: sqlite.deadline === null ? null : { ...sqlite.deadline, sampled: sqlite.deadline.always },
  wordTest: null,
  hasPrefix: (expression, placeholder) => `instr(${expression}, ${placeholder}) = 1`,
  search: (resource: Resource, words: readonly string[], parameters: BindParameters) => {
    const texts = searchedTexts(sqlite, resource, sqlite.quote(resource.name));
    return `${HAS_WORDS_FUNCTION}(${[parameters.add(words.join(' ')), ...texts].join(', ')})`;
  },
};
