import { apiError } from '../../conventions/errors.ts';
import type { SearchCondition } from '../condition.ts';

/** Maximum number of words and of characters of a search. */
const MAX_WORDS = 16;
const MAX_CHARACTERS = 1_000;

/** Increment it when the splitting or folding of words changes: stores then rebuild their search indexes. */
export const WORD_RULES_VERSION = 1;

/**
 * Marks that are optional in their scripts: accents, niqqud, harakat. In other scripts, such as Devanagari or Thai, a
 * mark is part of the word.
 */
const ACCENTS = /[\p{M}&&[\p{scx=Inherited}\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Arabic}\p{scx=Hebrew}]]/gv;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(ACCENTS, '');
}

/**
 * Folds case and accents. Folding through upper case unifies ß and SS, ı and i, and the three sigmas. The result is
 * composed (NFC), so that no syllable or kana is a prefix of another.
 */
function folded(text: string): string {
  const upperCase = withoutAccents(text).toLowerCase().toUpperCase();
  return withoutAccents(upperCase.toLowerCase()).replaceAll('ς', 'σ').normalize('NFC');
}

/**
 * The words of a text in order: runs of letters and digits of any script, with case and accents folded (QRY-6). Indexed
 * texts and search queries both use this function, so that they agree whatever the database's tokenizer does.
 */
export function splitWords(text: string): readonly string[] {
  return folded(text).match(WORD) ?? [];
}

/** The condition of a full-text search. @param text the value of `q` @throws {ApiError} QUERY_FILTER_INVALID */
export function searchCondition(text: string): SearchCondition {
  const words = [...new Set(text.length > MAX_CHARACTERS ? [] : splitWords(text))];
  const message = describeSearchError(text, words);
  if (message === null) return { operator: 'search', words };
  throw apiError('QUERY_FILTER_INVALID', 'Invalid q; see details.', {
    details: [{ field: 'q', message }],
  });
}

function describeSearchError(text: string, words: readonly string[]): string | null {
  if (text.length > MAX_CHARACTERS) return `must be at most ${MAX_CHARACTERS} characters long`;
  if (words.length > MAX_WORDS) return `must have at most ${MAX_WORDS} words; it has ${words.length}`;
  return words.length === 0 ? 'must contain a word; send letters or digits' : null;
}
