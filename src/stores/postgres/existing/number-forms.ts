import type { Json } from '../../../conventions/json/json.ts';
import type { ValueType } from '../../../model/model.ts';
import { decimalKey, keyedDecimal } from '../../sql/decimal.ts';
import type { Locate, Placement, SqlValue } from '../../sql/dialect.ts';
import { int64, MIN_INT64, scaledPlace } from '../../sql/encodings.ts';
import type { ExistingForm } from '../../sql/existing/existing-form.ts';
import type { PostgresType } from './column-type.ts';

type NumberType = Extract<ValueType, { readonly kind: 'integer' | 'number' | 'decimal' | 'int64' }>;

/** The integers that a type of integers holds. */
interface IntegerRange {
  readonly least: bigint;
  readonly most: bigint;
}

const RANGES: Readonly<Record<string, IntegerRange>> = {
  int2: { least: -32_768n, most: 32_767n },
  int4: { least: -2_147_483_648n, most: 2_147_483_647n },
};
const LONG: IntegerRange = { least: MIN_INT64, most: -(MIN_INT64 + 1n) };

/** Finds the integers that a type holds. */
export function integerRange({ name }: PostgresType): IntegerRange {
  return RANGES[name] ?? LONG;
}

const INTEGER = /^-?\d+$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Decodes the text of a number; null for one that is no value of the type, such as NaN. */
function decodeNumber(type: NumberType): (value: SqlValue) => Json {
  switch (type.kind) {
    case 'integer':
      return (value) => (Number.isSafeInteger(Number(value)) ? Number(value) : null);
    case 'number':
      return (value) => (Number.isFinite(Number(value)) ? Number(value) : null);
    case 'int64':
      return (value) =>
        INTEGER.test(String(value)) && int64(BigInt(String(value))) !== undefined ? String(value) : null;
    case 'decimal':
      return (value) => {
        const digits = DECIMAL.test(String(value)) ? decimalKey(String(value)) : undefined;
        return digits === undefined ? null : keyedDecimal(digits, type.scale ?? 0);
      };
  }
}

/** The digits of a number of JSON, or of a decimal in a string; undefined for another value. */
function toDigits(value: Json): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && decimalKey(value) !== undefined ? value : undefined;
}

/** Finds the place of a number among integers. It may have a fraction, or an exponent. */
const placeAmongAll: Locate = (value) => {
  if (typeof value !== 'number') return scaledPlace(0)(value);
  const floor = Math.floor(value);
  return { kind: 'within', floor: BigInt(floor), exact: floor === value };
};

function locateInteger(type: PostgresType): Locate {
  const { least, most } = integerRange(type);
  return (value) => {
    const place = placeAmongAll(value);
    if (place?.kind !== 'within') return place;
    const floor = BigInt(String(place.floor));
    if (floor < least) return { kind: 'below' };
    return floor > most ? { kind: 'above' } : { ...place, floor };
  };
}

/** The smallest number of single precision above 0. */
const LEAST_SINGLE = 2 ** -149;

/** Finds the place of a number among those of single or double precision. */
function locateFloat({ name }: PostgresType): Locate {
  return (value): Placement | undefined => {
    const digits = toDigits(value);
    if (digits === undefined) return undefined;
    const number = Number(digits);
    if (name !== 'float4') return { kind: 'within', floor: number, exact: true };
    const single = Math.fround(number);
    if (!Number.isFinite(single)) return { kind: number < 0 ? 'below' : 'above' };
    if (single === 0 && number !== 0) return { kind: 'within', floor: number < 0 ? -LEAST_SINGLE : 0, exact: false };
    return { kind: 'within', floor: number, exact: true };
  };
}

const locateDecimal: Locate = (value) => {
  const floor = toDigits(value);
  return floor === undefined ? undefined : { kind: 'within', floor, exact: true };
};

function locateNumber(type: PostgresType): Locate {
  if (type.kind === 'integer') return locateInteger(type);
  return type.kind === 'float' ? locateFloat(type) : locateDecimal;
}

/** The form of numbers in a column of numbers. They are read as their digits. */
export function numberForm(field: NumberType, type: PostgresType): ExistingForm {
  const locate = locateNumber(type);
  return {
    select: (column) => `${column}::text`,
    decode: decodeNumber(field),
    encode: (value) => {
      const place = locate(value);
      return place?.kind === 'within' && place.exact ? place.floor : undefined;
    },
    locate,
  };
}
