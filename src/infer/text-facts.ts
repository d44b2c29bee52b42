import { storedDateTime } from '../model/values/date-time.ts';
import { formats } from '../model/values/formats.ts';

/** The formats that are inferred. */
export type InferredFormat = 'date' | 'date-time' | 'uuid' | 'email' | 'uri';

/** The types that a cell of CSV, which is always text, may have. */
export type CellType = 'integer' | 'number' | 'boolean';

/**
 * Formats are stricter here than in validation: `a:b` is a URI and `a@b` an email address, but a text of people is
 * rarely meant so.
 */
const FORMAT_TESTS: Readonly<Record<InferredFormat, (text: string) => boolean>> = {
  date: formats.date.test,
  'date-time': (text) => storedDateTime(text) !== null,
  uuid: formats.uuid.test,
  email: (text) => /@[^@]+\.[^@.]+$/.test(text) && formats.email.test(text),
  uri: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:\/\/./.test(text) && formats.uri.test(text),
};

const INTEGER = /^(?:0|-?[1-9][0-9]{0,15})$/;
/**
 * A number whose digits a double keeps: no leading zero, which a code such as 007 has. An exponent needs decimals: 1e5
 * may be a code.
 */
const NUMBER = /^-?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][+-]?[0-9]{1,2})?$/;
const MAX_DIGITS = 15;

const CELL_TESTS: Readonly<Record<CellType, (text: string) => boolean>> = {
  integer: (text) => INTEGER.test(text) && Number.isSafeInteger(Number(text)),
  number: (text) => isExactNumber(text),
  boolean: (text) => /^(?:true|false)$/i.test(text),
};

const DECIMAL = /^-?(?:0|[1-9][0-9]*)\.([0-9]+)$/;
/** More different values than this are no enum. */
const MAX_CHOICES = 8;
const MAX_CHOICE_LENGTH = 40;

function isExactNumber(text: string): boolean {
  if (INTEGER.test(text)) return Number.isSafeInteger(Number(text));
  return NUMBER.test(text) && text.replace(/[eE].*$/, '').replace(/[^0-9]/g, '').length <= MAX_DIGITS;
}

/** The facts that hold for all texts of a field. */
export class TextFacts {
  #count = 0;
  readonly #formats = new Set<InferredFormat>(['date', 'date-time', 'uuid', 'email', 'uri']);
  readonly #cells = new Set<CellType>(['integer', 'number', 'boolean']);
  /** The different values so far; null where there are too many. */
  #choices: Set<string> | null = new Set();
  /** The decimals of all texts; null where they differ, or where a text is not a decimal number. */
  #scale: number | null | undefined;

  get count(): number {
    return this.#count;
  }

  /** The format of all texts; null where there is none. */
  get format(): InferredFormat | null {
    const [format = null] = this.#formats;
    return this.#count === 0 ? null : format;
  }

  /** The type of all cells of CSV. */
  get cell(): CellType | null {
    const [cell = null] = this.#cells;
    return this.#count === 0 ? null : cell;
  }

  /** The different values, where they are few; else none. */
  get choices(): readonly string[] {
    return [...(this.#choices ?? [])];
  }

  /** The number of decimals, where all texts are decimal numbers with the same; else null. */
  get scale(): number | null {
    return this.#scale ?? null;
  }

  observe(text: string): void {
    this.#count += 1;
    for (const format of this.#formats) if (!FORMAT_TESTS[format](text)) this.#formats.delete(format);
    for (const cell of this.#cells) if (!CELL_TESTS[cell](text)) this.#cells.delete(cell);
    this.#addChoice(text);
    if (this.#scale !== null) this.#addScale(DECIMAL.exec(text)?.[1]?.length ?? null);
  }

  /** Adds what another field's texts have in common. */
  merge(other: TextFacts): void {
    if (other.#count === 0) return;
    this.#count += other.#count;
    for (const format of this.#formats) if (!other.#formats.has(format)) this.#formats.delete(format);
    for (const cell of this.#cells) if (!other.#cells.has(cell)) this.#cells.delete(cell);
    if (other.#choices === null) this.#choices = null;
    else for (const choice of other.#choices) this.#addChoice(choice);
    this.#addScale(other.#scale ?? null);
  }

  #addChoice(text: string): void {
    if (this.#choices === null || this.#choices.has(text)) return;
    if (this.#choices.size === MAX_CHOICES || text.length > MAX_CHOICE_LENGTH) this.#choices = null;
    else this.#choices.add(text);
  }

  #addScale(scale: number | null): void {
    this.#scale = this.#scale === undefined || this.#scale === scale ? scale : null;
  }
}
