import type { Json } from '../../conventions/json/json.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { ValueType } from '../../model/model.ts';
import { decodeList, isList } from './compact-list.ts';
import { type ScaledFloor, scaledFloor } from './decimal.ts';
import type { Decode, Encode, Locate, Placement, SqlValue } from './dialect.ts';

const MAX_INT64 = 9_223_372_036_854_775_807n;
export const MIN_INT64 = -9_223_372_036_854_775_808n;

/** @returns undefined for a value that a 64-bit integer cannot hold */
export function int64(value: bigint | undefined): bigint | undefined {
  return value !== undefined && value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined;
}

/** Encodes strings. @param convert returns undefined for one that the column cannot hold */
export const text =
  (convert: (value: string) => SqlValue | undefined): Encode =>
  (value: Json) =>
    typeof value === 'string' ? convert(value) : undefined;

export const number: Encode = (value) => (typeof value === 'number' ? value : undefined);

/** Encodes the digits of a 64-bit integer. */
export const integerText = text((value) => (/^-?\d+$/.test(value) ? int64(BigInt(value)) : undefined));

/** A timestamp in milliseconds since the epoch. */
export function milliseconds(value: string): number | undefined {
  const parsed = Date.parse(value);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** The placement of a number among 64-bit integers. */
export function placeAmongIntegers({ floor, exact }: ScaledFloor): Placement {
  if (floor < MIN_INT64) return { kind: 'below' };
  return floor > MAX_INT64 ? { kind: 'above' } : { kind: 'within', floor, exact };
}

/** Locates decimals among those that are stored as integers. @param scale digits after the point */
export function scaledPlace(scale: number): Locate {
  return (value) => {
    const scaled = typeof value === 'string' ? scaledFloor(value, scale) : undefined;
    return scaled === undefined ? undefined : placeAmongIntegers(scaled);
  };
}

/** Reads values whose stored form is the store's. */
export interface OwnDecoders {
  readonly decodeDecimal: (type: ValueType & { kind: 'decimal' }) => Decode;
  /** null if the driver returns UUIDs as texts. */
  readonly decodeUuid: Decode | null;
}

/** Reads the values of a column; null if they are stored as in JSON. */
export function decoder(type: ValueType, { decodeDecimal, decodeUuid }: OwnDecoders): Decode | null {
  switch (type.kind) {
    case 'text':
      return type.compact === true ? decodeUuid : null;
    case 'integer':
    case 'number':
    case 'int64':
      return null;
    case 'boolean':
      return (value) => value === 1;
    case 'date-time':
      return (value) => timestamp(Number(value));
    case 'decimal':
      return decodeDecimal(type);
    case 'binary':
      return (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value));
    case 'object':
    case 'map':
    case 'json':
      return parseJson;
    case 'array':
      return isList(type) ? decodeList(type) : parseJson;
  }
}

function parseJson(value: SqlValue): Json {
  return JSON.parse(String(value));
}
