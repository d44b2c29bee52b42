import { type ApiError, apiError } from '../conventions/errors.ts';
import { MemberNames } from './member-names.ts';

/** How much structure a body may have (LIM-1). */
export interface StructureLimits {
  /** Most arrays and objects inside each other. */
  readonly depth: number;
  /** Most items of one array. */
  readonly items: number;
}

/**
 * Finds the first place where a text is not I-JSON or goes beyond a limit (REP-7). Beside the grammar (RFC 8259), which it keeps
 * as strictly as JSON.parse, it refuses what JSON.parse would lose without a word or let through: members given twice, integers
 * and numbers that a double cannot hold, lone surrogates and noncharacters (RFC 7493 2), NUL, and members that pass for a prototype.
 * One pass without recursion, linear in the text.
 *
 * @throws {ApiError} REQUEST_BODY_REQUIRED: nothing but white space; REQUEST_BODY_MALFORMED, with line and column
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

/** The characters that may follow a backslash, but for `u`. */
const ESCAPED = '"\\/bfnrt';
const HEX = /^[0-9a-fA-F]{4}$/;

/** An integer of as many characters is always safe, one of more than the other never is (2^53 - 1 has 16 digits). */
const SURELY_SAFE = 15;
const MAYBE_SAFE = 17;
/** A number of as many characters, without exponent, is finite. */
const SURELY_FINITE = 300;

class JsonScan {
  readonly #text: string;
  readonly #limits: StructureLimits;
  /** Index of the next character. */
  #at = 0;
  /** The open containers: of an object the names so far, of an array the number of items. */
  readonly #open: (MemberNames | number)[] = [];

  constructor(text: string, limits: StructureLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  run(): void {
    if (Number.isNaN(this.#peek())) throw apiError('REQUEST_BODY_REQUIRED', 'The request needs a body: send JSON.');
    let more = true;
    while (more) more = this.#value() || this.#next();
    if (!Number.isNaN(this.#peek())) throw this.#fault('nothing may follow the end of the value');
  }

  /** Passes over white space; the code of the character behind it, NaN at the end. */
  #peek(): number {
    let code = this.#text.charCodeAt(this.#at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      this.#at += 1;
      code = this.#text.charCodeAt(this.#at);
    }
    return code;
  }

  /** Passes over a value, of a container only over its start; whether a value inside it comes next. */
  #value(): boolean {
    const code = this.#peek();
    if (code === OPEN_OBJECT) return this.#openObject();
    if (code === OPEN_ARRAY) return this.#openArray();
    if (code === QUOTE) this.#string();
    else if (code === MINUS || isDigit(code)) this.#number();
    else this.#literal();
    return false;
  }

  /** Passes over what follows a value: ends of containers, and a comma. Whether another value comes next. */
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
      if (code !== end) throw this.#fault(`expected a comma or ${String.fromCharCode(end)}`);
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
      throw this.#fault(`arrays and objects may be at most ${this.#limits.depth} levels deep`);
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
    if (count > this.#limits.items) throw this.#fault(`an array may have at most ${this.#limits.items} items`);
    this.#open[this.#open.length - 1] = count;
  }

  /** Passes over the name of a member and its colon. */
  #name(names: MemberNames): void {
    if (this.#peek() !== QUOTE) throw this.#fault('expected the name of a member in double quotes');
    const start = this.#at;
    const escaped = this.#string();
    const name: string = escaped
      ? JSON.parse(this.#text.slice(start, this.#at))
      : this.#text.slice(start + 1, this.#at - 1);
    if (name === '__proto__' || name === 'constructor' || name === 'prototype') {
      throw this.#fault('a member may not be named __proto__, constructor or prototype', start);
    }
    if (!names.add(name)) throw this.#fault('the name of this member is given twice', start);
    if (this.#peek() !== COLON) throw this.#fault('expected a colon');
    this.#at += 1;
  }

  /** Passes over a string; whether it has escapes. */
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
      } else if (code < 0x20) throw this.#fault('a control character in a string must be escaped', at);
      else if (code >= 0xd800) at = this.#wideCharacter(at);
      else if (Number.isNaN(code)) throw this.#fault('the string has no end', at);
      else at += 1;
    }
    this.#at = at + 1;
    return escaped;
  }

  /** Checks the escape that begins at `at`, both halves of a surrogate pair; the index after it. */
  #escape(at: number): number {
    const text = this.#text;
    if (text.charCodeAt(at + 1) !== LETTER_U) {
      if (!ESCAPED.includes(text.charAt(at + 1))) throw this.#fault('there is no such escape in JSON', at);
      return at + 2;
    }
    const unit = this.#escapedUnit(at);
    if (unit === null) throw this.#fault('\\u must be followed by four hexadecimal digits', at);
    if (unit === 0) throw this.#fault('a string may not contain NUL', at);
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

  /** Checks the character at `at`, of one or two units; the index after it. */
  #wideCharacter(at: number): number {
    const character = this.#text.codePointAt(at) ?? 0;
    this.#checkCharacter(character, at);
    return character > 0xffff ? at + 2 : at + 1;
  }

  #checkCharacter(character: number, at: number): void {
    if (character >= 0xd800 && character <= 0xdfff) throw this.#fault('a surrogate must be one of a pair', at);
    if ((character & 0xfffe) === 0xfffe || (character >= 0xfdd0 && character <= 0xfdef)) {
      throw this.#fault('a string may not contain a noncharacter of Unicode', at);
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
    else if ((at !== fractionEnd || at - start > SURELY_FINITE) && !Number.isFinite(Number(text.slice(start, at)))) {
      throw this.#fault('the number is too large: send it as a string', start);
    }
  }

  /** Passes over at least one digit; the index after the last. */
  #digits(start: number): number {
    let at = start;
    while (isDigit(this.#text.charCodeAt(at))) at += 1;
    if (at === start) throw this.#fault('expected a digit', at);
    return at;
  }

  #checkInteger(start: number, end: number): void {
    const length = end - start;
    if (length <= SURELY_SAFE) return;
    if (length <= MAYBE_SAFE && Number.isSafeInteger(Number(this.#text.slice(start, end)))) return;
    throw this.#fault('an integer may not go beyond 9007199254740991 on either side of 0: send it as a string', start);
  }

  #literal(): void {
    const literal = LITERALS.find((word) => this.#text.startsWith(word, this.#at));
    if (literal === undefined)
      throw this.#fault(this.#at < this.#text.length ? 'expected a value' : 'the value has no end');
    this.#at += literal.length;
  }

  /** A refusal with the line and column of an index, both from 1; the column counts UTF-16 units, as editors do. */
  #fault(message: string, at: number = this.#at): ApiError {
    const before = this.#text.slice(0, at).split(/\r\n|\r|\n/);
    const column = (before.at(-1)?.length ?? 0) + 1;
    return apiError(
      'REQUEST_BODY_MALFORMED',
      `The body is refused at line ${before.length}, column ${column}: ${message}.`,
    );
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
