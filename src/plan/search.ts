import { apiError } from '../conventions/errors.ts';
import type { Condition } from './plan.ts';

/** Most words that a search may name, and most characters that it may have. */
const MAX_WORDS = 16;
const MAX_CHARACTERS = 1_000;

/** Raised whenever words are split or folded in another way, so that a store fills its indexes anew. */
export const WORD_RULES_VERSION = 1;

/** Marks of scripts that are read without them: accents, niqqud, harakat. Elsewhere, as in Devanagari or Thai, a mark belongs to its word. */
const ACCENTS = /[\p{M}&&[\p{scx=Inherited}\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Arabic}\p{scx=Hebrew}]]/gv;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(ACCENTS, '');
}

/**
 * A text in which case and accents make no difference. The way through capitals brings together what they do: ß and SS, ı and i, the
 * three sigmas. Syllables and kana are composed again, so that one begins no other.
 */
function folded(text: string): string {
  const capitals = withoutAccents(text).toLowerCase().toUpperCase();
  return withoutAccents(capitals.toLowerCase()).replaceAll('ς', 'σ').normalize('NFC');
}

/**
 * The words of a text, in its order: runs of letters and digits of any script, case and accents folded (QRY-6). What is searched and what
 * it is searched for go through here, so that no database's own idea of a word can differ.
 */
export function wordsOf(text: string): readonly string[] {
  return folded(text).match(WORD) ?? [];
}

/** The condition that the text of `q` asks for. @throws {ApiError} QUERY_FILTER_INVALID */
export function searchCondition(text: string): Condition {
  const words = [...new Set(text.length > MAX_CHARACTERS ? [] : wordsOf(text))];
  const message = faultOf(text, words);
  if (message === null) return { operator: 'search', words };
  throw apiError('QUERY_FILTER_INVALID', 'The text cannot be searched for; see details for what to send.', {
    details: [{ field: 'q', message }],
  });
}

function faultOf(text: string, words: readonly string[]): string | null {
  if (text.length > MAX_CHARACTERS) return `is longer than ${MAX_CHARACTERS} characters`;
  if (words.length > MAX_WORDS) return `has ${words.length} words; at most ${MAX_WORDS}`;
  return words.length === 0 ? 'has no word; send letters or digits' : null;
}
