import { isIP } from 'node:net';
import type { SqlValue } from '../../sql/dialect.ts';
import { decimalKey } from '../../sql/decimal.ts';
import { isUuid } from '../../sql/compact-uuids.ts';
import type { PostgresKind, PostgresType } from './column-type.ts';
import { integerRange } from './number-forms.ts';

/** Encodes a text for a column; undefined for one that is none of its values, which would fail the statement. */
type EncodeText = (text: string, type: PostgresType) => SqlValue | undefined;

const accept =
  (pattern: RegExp): EncodeText =>
  (text) =>
    pattern.test(text) ? text : undefined;

/** PostgreSQL has no texts with U+0000. */
const encodeAny: EncodeText = (text) => (text.includes('\0') ? undefined : text);

const INTEGER_TEXT = /^(?:0|-?[1-9]\d{0,18})$/;

const encodeInteger: EncodeText = (text, type) => {
  if (!INTEGER_TEXT.test(text)) return undefined;
  const { least, most } = integerRange(type);
  const value = BigInt(text);
  return value >= least && value <= most ? value : undefined;
};

const FLOAT_TEXT = /^-?\d{1,400}(?:\.\d{1,400})?(?:e[+-]?\d{1,3})?$/;

const encodeFloat: EncodeText = (text, { name }) => {
  const value = Number(text);
  const held = name === 'float4' ? Math.fround(value) : value;
  const isHeld = Number.isFinite(held) && (held !== 0 || value === 0);
  return FLOAT_TEXT.test(text) && isHeld ? text : undefined;
};

const DATE = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?`;
const ZONE = String.raw`[+-](?:0\d|1[0-5])(?::[0-5]\d)?`;

/** A date of the calendar, from the year 1 on: the year 0 is none. */
function isDate(text: string): boolean {
  const date = text.slice(0, 10);
  const parsed = Date.parse(`${date}T00:00:00Z`);
  return !date.startsWith('0000') && !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(date);
}

const dated =
  (pattern: RegExp): EncodeText =>
  (text) =>
    pattern.test(text) && isDate(text) ? text : undefined;

const DURATION =
  /^P(?=.)(?:-?\d{1,6}Y)?(?:-?\d{1,6}M)?(?:-?\d{1,6}W)?(?:-?\d{1,6}D)?(?:T(?=.)(?:-?\d{1,9}H)?(?:-?\d{1,9}M)?(?:-?\d{1,9}(?:\.\d{1,6})?S)?)?$/;

const encodeAddress: EncodeText = (text) => {
  const [, address = '', prefix = '0'] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(prefix) <= (version === 4 ? 32 : 128) ? text : undefined;
};

const MACS: Readonly<Record<string, RegExp>> = {
  macaddr: /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/,
  macaddr8: /^(?:[0-9a-f]{2}:){7}[0-9a-f]{2}$/,
};

/** The texts of columns that are compared as their type does. Other columns are compared as text. */
const ENCODERS: Readonly<Partial<Record<PostgresKind, EncodeText>>> = {
  padded: (text, type) => (text.endsWith(' ') ? undefined : encodeAny(text, type)),
  enum: (text, { labels }) => (labels.includes(text) ? text : undefined),
  boolean: accept(/^(?:true|false)$/),
  integer: encodeInteger,
  decimal: (text) => (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && decimalKey(text) !== undefined ? text : undefined),
  float: encodeFloat,
  date: dated(new RegExp(`^${DATE}$`)),
  time: accept(new RegExp(`^${TIME}$`)),
  timetz: accept(new RegExp(`^${TIME}${ZONE}$`)),
  timestamp: dated(new RegExp(`^${DATE} ${TIME}$`)),
  timestamptz: dated(new RegExp(`^${DATE} ${TIME}${ZONE}$`)),
  interval: accept(DURATION),
  uuid: (text) => (isUuid(text) ? text.toLowerCase() : undefined),
  bytes: (text) => (/^(?:[0-9a-f]{2})*$/.test(text) ? Buffer.from(text, 'hex') : undefined),
  address: encodeAddress,
  mac: (text, { name }) => (MACS[name]?.test(text) === true ? text : undefined),
  bits: accept(/^[01]{1,10000}$/),
};

/** Encodes a text for a column. @returns undefined for a text that is none of its values */
export function encodeText(text: string, type: PostgresType): SqlValue | undefined {
  return (ENCODERS[type.kind] ?? encodeAny)(text, type);
}
