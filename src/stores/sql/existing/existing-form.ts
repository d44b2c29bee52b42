import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { ValueType } from '../../../model/model.ts';
import type { ColumnForm } from '../column-form.ts';
import { type Decode, type Encode, exactLocate, type Locate, type SqlValue } from '../dialect.ts';

/** The form of the values of one type in a column of another program. */
export interface ExistingForm extends Pick<ColumnForm, 'membership'> {
  readonly select: (column: string) => string;
  /** null for a value that does not fit the type. */
  readonly decode: Decode;
  readonly encode: Encode;
  /** Default: the column can hold every value that `encode` encodes. */
  readonly locate?: Locate;
  /** Reads a column of JSON. Default: the column. */
  readonly json?: (column: string) => string;
}

/** Facts of a column that do not depend on the type of its field. */
export interface StoredColumn extends Pick<ColumnForm, 'nullable' | 'typed'> {
  /** Called for a value that does not fit the type. */
  readonly onMisfit: () => void;
}

/** The member of a position that is a stored value: a value that does not follow from the shown one. */
const STORED = 'stored';

/** The bytes of a stored value are written in base64. */
const BYTES = 'bytes';

function writePosition(stored: SqlValue): Json {
  if (stored instanceof Uint8Array) return { [BYTES]: Buffer.from(stored).toString('base64') };
  return { [STORED]: typeof stored === 'bigint' ? String(stored) : stored };
}

/** Reads a position that {@link writePosition} wrote; undefined for any other JSON. */
function readPosition(value: Json): SqlValue | undefined {
  if (!isJsonObject(value)) return undefined;
  const held = value[STORED];
  if (typeof held === 'string' || typeof held === 'number') return held;
  const encoded = value[BYTES];
  return typeof encoded === 'string' ? Buffer.from(encoded, 'base64') : undefined;
}

/** Compares a value with a stored one. The database may have read it as its text. */
function isSameValue(encoded: SqlValue | undefined, stored: SqlValue): boolean {
  if (encoded instanceof Uint8Array) return stored instanceof Uint8Array && Buffer.compare(encoded, stored) === 0;
  if (encoded === stored) return true;
  return typeof stored === 'string' && (typeof encoded === 'bigint' || typeof encoded === 'number')
    ? String(encoded) === stored
    : false;
}

/**
 * Completes the form of a column of another program. Values are compared as they are stored, so that the column's own
 * index and collation serve order and equality.
 */
export function existingForm(type: ValueType, form: ExistingForm, { onMisfit, ...column }: StoredColumn): ColumnForm {
  return {
    ...column,
    select: form.select,
    decode: (value) => {
      const decoded = form.decode(value);
      if (decoded === null && !isJsonNull(type, value)) onMisfit();
      return decoded;
    },
    encode: (value) => readPosition(value) ?? form.encode(value),
    locate: form.locate ?? exactLocate(form.encode),
    json: form.json ?? ((name) => name),
    ...(form.membership === undefined ? {} : { membership: form.membership }),
    ...(isSorted(type) ? { position: (stored) => findPosition(form, stored) } : {}),
  };
}

function findPosition(form: ExistingForm, stored: SqlValue): Json {
  const decoded = form.decode(stored);
  return decoded !== null && isSameValue(form.encode(decoded), stored) ? null : writePosition(stored);
}

/** The literal null of JSON, which fits a field of any JSON. */
function isJsonNull({ kind }: ValueType, value: SqlValue): boolean {
  return kind === 'json' && value === 'null';
}

function isSorted({ kind }: ValueType): boolean {
  return !['binary', 'json', 'object', 'map', 'array'].includes(kind);
}
