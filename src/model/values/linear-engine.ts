import { createRequire } from 'node:module';
import type * as Engine from 're2js';

const load = createRequire(import.meta.url);

const WHITE_SPACE = String.raw`\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}`;
const NOT_WHITE_SPACE =
  String.raw`\x{0}-\x{8}\x{E}-\x{1F}!-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E}` +
  String.raw`\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF}`;
const ANY = String.raw`\x{0}-\x{10FFFF}`;

const SURROGATES = /\\u(?<high>d[89ab][\da-f]{2})\\u(?<low>d[c-f][\da-f]{2})/iu;
const CODE = /\\(?:u\{(?<code>[\da-f]+)\}|u(?<unit>[\da-f]{4})|x(?<byte>[\da-f]{2})|c(?<control>[a-z]))/iu;
const ESCAPE = new RegExp(String.raw`${SURROGATES.source}|${CODE.source}|\\[pP]\{[^}]*\}|\\(?<escaped>.)`, 'isu');
/** Tokens that RE2 spells differently or does not have: a class, an escape, the start of a group, and the dot. */
const TOKEN = new RegExp(
  String.raw`\[(?<class>(?:[^\\\]]|\\.)*)\]|${ESCAPE.source}|\(\?(?<flags>[a-z-]*:|<?[=!]|<[^>]*>)|(?<dot>\.)`,
  'gisu',
);
const CLASS_TOKEN = new RegExp(String.raw`${ESCAPE.source}|\[`, 'gisu');

/** Matches in linear time. */
export interface LinearMatcher {
  test(text: string): boolean;
}

/**
 * Compiles a pattern for an engine without backtracking, with the meaning that it has in ECMAScript.
 *
 * @param source a valid pattern with the `u` flag
 * @returns null for a pattern that such an engine cannot match: look-around, back-references, flags, counts above 1,000
 */
export function compileLinear(source: string): LinearMatcher | null {
  const expression = toRe2(source);
  if (expression === null) return null;
  // Loaded on demand, because few models need it.
  const { RE2JS, RE2JSSyntaxException }: typeof Engine = load('re2js');
  try {
    return RE2JS.compile(expression);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return null;
    throw error;
  }
}

/** Translates a pattern to the syntax of RE2; null if it has no equivalent. */
function toRe2(source: string): string | null {
  let end = 0;
  let translated = '';
  for (const token of source.matchAll(TOKEN)) {
    const text = translate(token);
    if (text === null) return null;
    translated += source.slice(end, token.index) + text;
    end = token.index + token[0].length;
  }
  return translated + source.slice(end);
}

function translate(token: RegExpExecArray): string | null {
  const { class: members, flags, dot, escaped = '' } = token.groups ?? {};
  if (members !== undefined) return translateClass(members);
  if (dot !== undefined) return String.raw`[^\n\r\x{2028}\x{2029}]`;
  // Named groups are groups, any other letters are modifiers.
  if (flags !== undefined) return flags === ':' || /^<[^=!]/u.test(flags) ? '(?:' : null;
  if (escaped === 's') return `[${WHITE_SPACE}]`;
  if (escaped === 'S') return `[${NOT_WHITE_SPACE}]`;
  return /^[1-9k]$/u.test(escaped) ? null : translateEscape(token);
}

function translateClass(members: string): string {
  if (members === '') return `[^${ANY}]`;
  if (members === '^') return `[${ANY}]`;
  const text = Array.from(members.matchAll(CLASS_TOKEN)).reduceRight((translated, token) => {
    return translated.slice(0, token.index) + inClass(token) + translated.slice(token.index + token[0].length);
  }, members);
  return `[${text}]`;
}

function inClass(token: RegExpExecArray): string {
  if (token[0] === '[') return String.raw`\[`;
  const { escaped } = token.groups ?? {};
  if (escaped === 's') return WHITE_SPACE;
  if (escaped === 'S') return NOT_WHITE_SPACE;
  return escaped === 'b' ? codePoint(8) : translateEscape(token);
}

function translateEscape(token: RegExpExecArray): string {
  const { high, low, code, unit, byte, control, escaped } = token.groups ?? {};
  if (high !== undefined && low !== undefined) {
    const pair = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
    return codePoint(pair.codePointAt(0) ?? 0);
  }
  const hex = code ?? unit ?? byte;
  if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
  if (control !== undefined) return codePoint(control.charCodeAt(0) % 32);
  return escaped === '0' ? codePoint(0) : token[0];
}

function codePoint(code: number): string {
  return `\\x{${code.toString(16)}}`;
}
