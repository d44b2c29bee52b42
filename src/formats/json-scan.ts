import { type ApiError, apiError } from '../conventions/errors.ts';
import { malformedBody } from './malformed-body.ts';
import { MemberNames } from './member-names.ts';

/** Limits on the structure of a body (LIM-1). */
export interface StructureLimits {
  /** Maximum nesting depth of arrays and objects. */
  readonly depth: number;
  /** Maximum number of items of an array. */
  readonly items: number;
}

/**
 * Throws at the first place where a text is not I-JSON or exceeds a limit (REP-7). It accepts the grammar of RFC 8259
 * as strictly as JSON.parse. It also refuses what JSON.parse would accept or silently change: duplicate members and
 * numbers that a double cannot represent. So it does with lone surrogates and noncharacters (RFC 7493 2), NUL, and
 * members named like a prototype. One pass without recursion, in linear time.
 *
 * @throws {ApiError} REQUEST_BODY_REQUIRED: only white space; REQUEST_BODY_MALFORMED, with line and column
 */
export function scanJson(text: string, limits: StructureLimits): void {
  new JsonScan(text, limits).run();
}

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const CAPITAL_E = 0x45;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_E = 0x65;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const LITERALS = ['true', 'false', 'null'];

/** The characters that may follow a backslash, except `u`. */
const ESCAPED = '"\\/bfnrt';
const HEX = /^[0-9a-fA-F]{4}$/;

/** An integer of up to 15 characters is always safe, one of more than 17 never (2^53 - 1 has 16 digits). */
const ALWAYS_SAFE = 15;
const MAYBE_SAFE = 17;
/** A number of up to 300 characters without exponent is always finite. */
const ALWAYS_FINITE = 300;

class JsonScan {
  readonly #text: string;
  readonly #limits: StructureLimits;
  /** Index of the next character. */
  #at = 0;
  /** The open containers: the names so far of an object, the number of items of an array. */
  readonly #open: (MemberNames | number)[] = [];

  constructor(text: string, limits: StructureLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  run(): void {
    if (Number.isNaN(this.#peek())) throw apiError('REQUEST_BODY_REQUIRED', 'The body is empty; send JSON.');
    let more = true;
    while (more) more = this.#value() || this.#next();
    if (!Number.isNaN(this.#peek())) throw this.#error('unexpected data after the end of the value');
  }

  /** Skips white space. Returns the code of the next character, NaN at the end. */
  #peek(): number {
    let code = this.#text.charCodeAt(this.#at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      this.#at += 1;
      code = this.#text.charCodeAt(this.#at);
    }
    return code;
  }

  /** Skips a value, or the start of a container. Returns whether a value inside it comes next. */
  #value(): boolean {
    const code = this.#peek();
    if (code === OPEN_OBJECT) return this.#openObject();
    if (code === OPEN_ARRAY) return this.#openArray();
    if (code === QUOTE) this.#string();
    else if (code === MINUS || isDigit(code)) this.#number();
    else this.#literal();
    return false;
  }

  /** Skips the ends of containers and a comma. Returns whether another value comes next. */
  #next(): boolean {
    for (let container = this.#open.at(-1); container !== undefined; container = this.#open.at(-1)) {
      const code = this.#peek();
      if (code === COMMA) {
        this.#at += 1;
        if (typeof container === 'number') this.#countItem(container + 1);
        else this.#name(container);
        return true;
      }
      const end = typeof container === 'number' ? CLOSE_ARRAY : CLOSE_OBJECT;
      if (code !== end) throw this.#error(`expected a comma or ${String.fromCharCode(end)}`);
      this.#close();
    }
    return false;
  }

  #openObject(): boolean {
    const names = new MemberNames();
    this.#descend(names);
    if (this.#peek() === CLOSE_OBJECT) return this.#close();
    this.#name(names);
    return true;
  }

  #openArray(): boolean {
    this.#descend(1);
    return this.#peek() === CLOSE_ARRAY ? this.#close() : true;
  }

  #descend(container: MemberNames | number): void {
    if (this.#open.length >= this.#limits.depth) {
      throw this.#error(`nested more than ${this.#limits.depth} levels deep`);
    }
    this.#open.push(container);
    this.#at += 1;
  }

  #close(): false {
    this.#open.pop();
    this.#at += 1;
    return false;
  }

  #countItem(count: number): void {
    if (count > this.#limits.items) throw this.#error(`an array must have at most ${this.#limits.items} items`);
    this.#open[this.#open.length - 1] = count;
  }

  /** Skips the name of a member and its colon. */
  #name(names: MemberNames): void {
    if (this.#peek() !== QUOTE) throw this.#error('expected a member name in double quotes');
    const start = this.#at;
    const escaped = this.#string();
    const name: string = escaped
      ? JSON.parse(this.#text.slice(start, this.#at))
      : this.#text.slice(start + 1, this.#at - 1);
    if (name === '__proto__' || name === 'constructor' || name === 'prototype') {
      throw this.#error('a member must not be named __proto__, constructor or prototype', start);
    }
    if (!names.add(name)) throw this.#error('duplicate member name', start);
    if (this.#peek() !== COLON) throw this.#error('expected a colon');
    this.#at += 1;
  }

  /** Skips a string. Returns whether it has escapes. */
  #string(): boolean {
    const text = this.#text;
    let escaped = false;
    let at = this.#at + 1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        escaped = true;
        at = this.#escape(at);
      } else if (code < 0x20) throw this.#error('a control character in a string must be escaped', at);
      else if (code >= 0xd800) at = this.#wideCharacter(at);
      else if (Number.isNaN(code)) throw this.#error('unterminated string', at);
      else at += 1;
    }
    this.#at = at + 1;
    return escaped;
  }

  /** Checks the escape that begins at `at`, with the second half of a surrogate pair. Returns the index after it. */
  #escape(at: number): number {
    const text = this.#text;
    if (text.charCodeAt(at + 1) !== LETTER_U) {
      if (!ESCAPED.includes(text.charAt(at + 1))) throw this.#error('invalid escape sequence', at);
      return at + 2;
    }
    const unit = this.#escapedUnit(at);
    if (unit === null) throw this.#error('\\u must be followed by four hexadecimal digits', at);
    if (unit === 0) throw this.#error('a string must not contain NUL', at);
    const low = isHighSurrogate(unit) ? this.#escapedUnit(at + 6) : null;
    if (low === null || !isLowSurrogate(low)) {
      this.#checkCharacter(unit, at);
      return at + 6;
    }
    this.#checkCharacter(0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00), at);
    return at + 12;
  }

  #escapedUnit(at: number): number | null {
    const digits = this.#text.slice(at + 2, at + 6);
    return this.#text.startsWith('\\u', at) && HEX.test(digits) ? Number.parseInt(digits, 16) : null;
  }

  /** Checks the character at `at`, of one or two UTF-16 units. Returns the index after it. */
  #wideCharacter(at: number): number {
    const character = this.#text.codePointAt(at) ?? 0;
    this.#checkCharacter(character, at);
    return character > 0xffff ? at + 2 : at + 1;
  }

  #checkCharacter(character: number, at: number): void {
    if (character >= 0xd800 && character <= 0xdfff) throw this.#error('a string must not contain a lone surrogate', at);
    if ((character & 0xfffe) === 0xfffe || (character >= 0xfdd0 && character <= 0xfdef)) {
      throw this.#error('a string must not contain a Unicode noncharacter', at);
    }
  }

  #number(): void {
    const start = this.#at;
    const text = this.#text;
    let at = text.charCodeAt(start) === MINUS ? start + 1 : start;
    at = text.charCodeAt(at) === ZERO ? at + 1 : this.#digits(at);
    const integerEnd = at;
    if (text.charCodeAt(at) === DOT) at = this.#digits(at + 1);
    const fractionEnd = at;
    if (isExponentMark(text.charCodeAt(at))) {
      at = this.#digits(isSign(text.charCodeAt(at + 1)) ? at + 2 : at + 1);
    }
    this.#at = at;
    if (at === integerEnd) this.#checkInteger(start, at);
    else if ((at !== fractionEnd || at - start > ALWAYS_FINITE) && !Number.isFinite(Number(text.slice(start, at)))) {
      throw this.#error('the number is too large; send it as a string', start);
    }
  }

  /** Skips at least one digit. Returns the index after the last. */
  #digits(start: number): number {
    let at = start;
    while (isDigit(this.#text.charCodeAt(at))) at += 1;
    if (at === start) throw this.#error('expected a digit', at);
    return at;
  }

  #checkInteger(start: number, end: number): void {
    const length = end - start;
    if (length <= ALWAYS_SAFE) return;
    if (length <= MAYBE_SAFE && Number.isSafeInteger(Number(this.#text.slice(start, end)))) return;
    throw this.#error('an integer must be from -9007199254740991 to 9007199254740991; send it as a string', start);
  }

  #literal(): void {
    const literal = LITERALS.find((word) => this.#text.startsWith(word, this.#at));
    if (literal === undefined) throw this.#error(this.#at < this.#text.length ? 'expected a value' : 'unexpected end');
    this.#at += literal.length;
  }

  /** The error at an index, with its line and column from 1. The column counts UTF-16 units, as editors do. */
  #error(message: string, at: number = this.#at): ApiError {
    const lines = this.#text.slice(0, at).split(/\r\n|\r|\n/);
    const column = (lines.at(-1)?.length ?? 0) + 1;
    return malformedBody(`line ${lines.length}, column ${column}`, message);
  }
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isSign(code: number): boolean {
  return code === PLUS || code === MINUS;
}

function isExponentMark(code: number): boolean {
  return code === LETTER_E || code === CAPITAL_E;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
