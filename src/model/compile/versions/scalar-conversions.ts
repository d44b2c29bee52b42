import type { Json } from '../../../conventions/json/json.ts';
import type { ValueType } from '../../model.ts';
import { isDate, storedDateTime } from '../../values/date-time.ts';
import { storedDecimal } from '../../values/exact-number.ts';

/** The types that `type` converts without functions. A text is a string without a format. */
type ScalarKind = 'text' | 'integer' | 'number' | 'decimal' | 'boolean' | 'date' | 'date-time';

/** The pairs that have conversions, in both directions. */
export const CONVERTED_PAIRS =
  'text and integer, number, decimal, boolean, date or date-time; integer and number; ' +
  'decimal and integer or number; date and date-time';

/** A conversion of values from one type to another one. */
export interface ScalarConversion {
  /** Returns undefined for a value without a counterpart. */
  readonly convert: (value: Json) => Json | undefined;
  /** The error message of such a value, without the name of the field. */
  readonly message: string;
  /** The change of the source that gives every value a counterpart; null if every value has one. */
  readonly cure: Cure | null;
}

/** The cure of a partial conversion: in the source, or in the schema of the target. */
export interface Cure {
  readonly side: 'source' | 'target';
  readonly text: string;
}

interface TableEntry {
  readonly convert: (value: Json, to: ValueType) => Json | undefined;
  readonly message?: (to: ValueType) => string;
  readonly cure?: (from: ValueType, to: ValueType) => Cure | null;
}

type ConversionTable = Readonly<Partial<Record<ScalarKind, Readonly<Partial<Record<ScalarKind, TableEntry>>>>>>;

const DOUBLE_DIGITS = 15;
/** The digits of the largest safe integer. */
const INTEGER_DIGITS = 16;
const MIDNIGHT = 'T00:00:00.000Z';

const cureByList = (): Cure => ({ side: 'source', text: 'list its values in an enum' });
const asText: TableEntry = { convert: (value) => (typeof value === 'string' ? value : JSON.stringify(value)) };

const TABLE: ConversionTable = {
  text: {
    integer: {
      convert: ofText(readInteger),
      message: () => 'must be an integer as text, such as "12"',
      cure: cureByList,
    },
    number: { convert: ofText(readNumber), message: () => 'must be a number as text, such as "1.5"', cure: cureByList },
    decimal: { convert: toDecimal, message: decimalMessage, cure: cureByList },
    boolean: { convert: ofText(readBoolean), message: () => 'must be "true" or "false"', cure: cureByList },
    date: {
      convert: ofText((text) => (isDate(text) ? text : undefined)),
      message: () => 'must be a date such as 2026-05-17',
      cure: cureByList,
    },
    'date-time': {
      convert: toTime,
      message: timeMessage,
      cure: cureByList,
    },
  },
  integer: { text: asText, number: { convert: (value) => value }, decimal: { convert: toDecimal, cure: cureDecimal } },
  number: {
    text: asText,
    integer: {
      convert: (value) => (Number.isSafeInteger(value) ? value : undefined),
      message: () => 'must be a whole number',
      cure: cureByList,
    },
    decimal: { convert: toDecimal, cure: cureDecimal },
  },
  decimal: {
    text: asText,
    integer: {
      convert: ofText((text) => readInteger(storedDecimal(text, null) ?? '')),
      message: () => `must be a whole number of at most ${DOUBLE_DIGITS} digits`,
      cure: (from) => (isExact(from) && from.scale === 0 ? null : exactly('x-precision: 15 and x-scale: 0')),
    },
    number: {
      convert: ofText(readDecimal),
      message: () => `must have at most ${DOUBLE_DIGITS} digits`,
      cure: (from) => (isExact(from) ? null : exactly('x-precision: 15')),
    },
  },
  boolean: { text: asText },
  date: { text: asText, 'date-time': { convert: ofText((text) => text + MIDNIGHT) } },
  'date-time': {
    text: asText,
    date: {
      convert: ofText((text) => (text.endsWith(MIDNIGHT) ? text.slice(0, -MIDNIGHT.length) : undefined)),
      message: () => 'must be 00:00:00 in UTC, such as 2026-05-17T00:00:00Z',
      cure: cureByList,
    },
  },
};

/** The kind of a scalar; null for a type that no conversion knows. */
export function scalarKind(type: ValueType): ScalarKind | null {
  switch (type.kind) {
    case 'text':
      return type.format === null ? 'text' : type.format === 'date' ? 'date' : null;
    case 'integer':
    case 'number':
    case 'decimal':
    case 'boolean':
    case 'date-time':
      return type.kind;
    case 'int64':
    case 'binary':
    case 'object':
    case 'map':
    case 'array':
    case 'json':
      return null;
  }
}

/** Finds the conversion between two types; null if there is none. */
export function findConversion(from: ValueType, to: ValueType): ScalarConversion | null {
  const [source, target] = [scalarKind(from), scalarKind(to)];
  const entry = source === null || target === null ? undefined : TABLE[source]?.[target];
  if (entry === undefined) return null;
  const { convert, message = () => 'has no counterpart', cure = () => null } = entry;
  return { convert: (value) => convert(value, to), message: message(to), cure: cure(from, to) };
}

function ofText(read: (text: string) => Json | undefined): TableEntry['convert'] {
  return (value) => (typeof value === 'string' ? read(value) : undefined);
}

function readInteger(text: string): Json | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) && String(value) === text ? value : undefined;
}

/** Reads a number as JSON writes it: other texts would not be shown again. */
function readNumber(text: string): Json | undefined {
  const value = Number(text);
  return Number.isFinite(value) && String(value) === text ? value : undefined;
}

function readBoolean(text: string): Json | undefined {
  return text === 'true' || text === 'false' ? text === 'true' : undefined;
}

/** The number of a decimal, unless it has more digits than a number holds. */
function readDecimal(text: string): Json | undefined {
  const digits = storedDecimal(text, null);
  const value = Number(digits);
  return digits !== null && Number.isFinite(value) && writeDigits(value) === digits ? value : undefined;
}

/** Reads a time with the precision of its field: those of tables that exist have microseconds. */
function toTime(value: Json, to: ValueType): Json | undefined {
  if (typeof value !== 'string' || to.kind !== 'date-time') return undefined;
  return storedDateTime(value, to) ?? undefined;
}

function timeMessage(to: ValueType): string {
  const decimals = to.kind === 'date-time' && to.micros === true ? 'three or six decimals' : 'three decimals';
  return `must be a time in UTC with ${decimals}, such as 2026-05-17T09:30:00.000Z`;
}

function toDecimal(value: Json, to: ValueType): Json | undefined {
  const digits = typeof value === 'number' ? writeDigits(value) : value;
  if (typeof digits !== 'string' || to.kind !== 'decimal') return undefined;
  return storedDecimal(digits, to.scale) ?? undefined;
}

function decimalMessage(to: ValueType): string {
  const scale = to.kind === 'decimal' ? to.scale : null;
  const example = scale === null ? '19.5' : storedDecimal('19', scale);
  const form = scale === null ? 'without superfluous zeros' : 'with all of its decimals';
  return `must be a decimal number as text, ${form}, such as "${example}"`;
}

/** The digits of a number without an exponent. */
function writeDigits(value: number): string {
  const [mantissa = '', exponent] = String(value).split('e');
  if (exponent === undefined) return mantissa;
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const sign = value < 0 ? '-' : '';
  const point = whole.length + Number(exponent);
  // JavaScript writes an exponent only for a point before or after all digits.
  return point <= 0
    ? `${sign}0.${'0'.repeat(-point)}${whole}${fraction}`
    : sign + `${whole}${fraction}`.padEnd(point, '0');
}

/** Numbers have any count of digits on both sides of the point; integers have up to 16 before it. */
function cureDecimal({ kind }: ValueType, to: ValueType): Cure | null {
  if (to.kind !== 'decimal') return null;
  const { precision, scale } = to;
  const isHeld =
    kind === 'integer'
      ? precision === null || precision - (scale ?? 0) >= INTEGER_DIGITS
      : precision === null && scale === null;
  return isHeld ? null : { side: 'target', text: kind === 'integer' ? 'x-precision' : 'x-precision and x-scale' };
}

function exactly(text: string): Cure {
  return { side: 'source', text: `add ${text} to it` };
}

/** True for decimals that a number holds with all digits. */
function isExact(type: ValueType): type is Extract<ValueType, { kind: 'decimal' }> {
  return type.kind === 'decimal' && type.precision !== null && type.precision <= DOUBLE_DIGITS;
}
