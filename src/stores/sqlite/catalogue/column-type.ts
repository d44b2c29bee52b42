import { snakeName } from '../../../infer/field-name.ts';
import type { ColumnType, DescribedColumn } from '../../../introspect/database.ts';
import { readLiteral } from '../../../introspect/sql-tokens.ts';
import { storedDateTime } from '../../../model/values/date-time.ts';
import { formats } from '../../../model/values/formats.ts';
import type { ColumnSample, SampledText, SampledForm } from './column-sample.ts';

/** The type affinity of a column (sqlite.org/datatype3.html). */
type DeclaredAffinity = 'integer' | 'text' | 'none' | 'real' | 'numeric';

/** A column as it is declared. */
export interface DeclaredColumn {
  readonly name: string;
  /** Empty where no type is declared, and for the type `any`. */
  readonly declared: string;
  /** True if it is a part of the primary key. */
  readonly isKey: boolean;
}

const AFFINITIES: readonly (readonly [name: RegExp, affinity: DeclaredAffinity])[] = [
  [/INT/i, 'integer'],
  [/CHAR|CLOB|TEXT/i, 'text'],
  [/BLOB/i, 'none'],
  [/REAL|FLOA|DOUB/i, 'real'],
];
const BOOLEAN = /^BOOL(?:EAN)?\b/i;
const JSON_TYPE = /^JSONB?\b/i;
const TIME = /^(?:DATE|DATETIME|TIMESTAMP|TIMESTAMPTZ)\b/i;
const UUID = /^(?:UUID|GUID|UNIQUEIDENTIFIER)\b/i;
/** Names in snake_case of columns of text that are times. */
const TIME_NAME = /(?:(?:^|_)(?:at|on|created|updated|modified|update)|date|time)$/;
/** A decimal without places after the point. */
const WHOLE = /^(?:NUMERIC|DECIMAL|NUMBER)\s*\(\s*\d+\s*(?:,\s*0\s*)?\)/i;

/** The affinity that SQLite derives from a declared type. */
function readAffinity(declared: string): DeclaredAffinity {
  if (declared === '') return 'none';
  return AFFINITIES.find(([name]) => name.test(declared))?.[1] ?? 'numeric';
}

/** The part of texts that decides on the type of a column. */
export function selectSampledText({ name, declared }: DeclaredColumn): SampledText {
  if (JSON_TYPE.test(declared)) return 'json';
  if (declared === '') return 'object';
  const isTime = TIME.test(declared) || (readAffinity(declared) === 'text' && TIME_NAME.test(snakeName(name)));
  return isTime || UUID.test(declared) ? 'format' : 'none';
}

/**
 * The type that shows every stored value, as far as a sample of rows says. SQLite enforces no declared type, but in
 * strict tables.
 */
export function inferColumnType(column: DeclaredColumn, sample: ColumnSample): ColumnType {
  if (sample.error !== null) return { kind: 'unreadable', note: sample.error };
  const forms = new Set(sample.forms);
  forms.delete('null');
  if (forms.size === 0) return inferEmpty(column);
  if (has(forms, 'blob')) return inferBinary(column, forms);
  return inferByName(column, forms, sample.texts) ?? inferByForm(column, forms);
}

/** The type of a column without values, by its declaration alone. */
function inferEmpty({ declared }: DeclaredColumn): ColumnType {
  if (BOOLEAN.test(declared)) return plain('boolean');
  if (JSON_TYPE.test(declared)) return plain('json');
  if (TIME.test(declared)) return { kind: 'text', note: `${declared} without values: their form is not known` };
  switch (readAffinity(declared)) {
    case 'integer':
      return plain('integer');
    case 'text':
      return plain('text');
    case 'none':
      return declared === '' ? { kind: 'text', note: 'no type and no value: the type is a guess' } : plain('binary');
    case 'real':
      return plain('number');
    case 'numeric':
      return UUID.test(declared) ? plain('text') : plain('number');
  }
}

function inferBinary({ declared }: DeclaredColumn, forms: ReadonlySet<SampledForm>): ColumnType {
  const affinity = readAffinity(declared);
  if (forms.size === 1) {
    return { kind: 'binary', note: affinity === 'none' ? null : `${declared}, but the values are binary` };
  }
  if (affinity === 'text') return { kind: 'text', note: 'some values are binary, and shown as null' };
  return { kind: 'binary', note: 'some values are not binary, and shown as null' };
}

/** The type of a column whose declared name says more than its affinity; null where the values do not confirm it. */
function inferByName(
  { declared }: DeclaredColumn,
  forms: ReadonlySet<SampledForm>,
  texts: readonly string[],
): ColumnType | null {
  if (BOOLEAN.test(declared) && isOnly(forms, ['flag'])) return plain('boolean');
  if (declared === '' && isOnly(forms, ['json'])) return plain('json');
  // SQLite stores a text of digits in such a column as a number.
  if (JSON_TYPE.test(declared) && isOnly(forms, ['json', 'flag', 'integer', 'real'])) return plain('json');
  if (texts.length === 0 || !isOnly(forms, ['text'])) return null;
  if (UUID.test(declared)) return plain(texts.every((text) => formats.uuid.test(text)) ? 'uuid' : 'text');
  const zone = commonZone(texts);
  if (zone !== null) return { kind: 'date-time', note: zone === '' ? 'no zone: shown as UTC' : null };
  if (texts.every((text) => formats.date.test(text))) return plain('date');
  return TIME.test(declared) ? { kind: 'text', note: `${declared}, but not times in one form` } : plain('text');
}

/** A date-time, where the zone may be missing. */
const DATE_TIME = /^(\d{4}-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$/;

/** The zone of date-times in one form, empty for none; null for other texts. SQLite compares them as text. */
function commonZone(texts: readonly string[]): string | null {
  const forms = texts.map((text) => {
    const [, date = '', separator = '', time = '', zone = ''] = DATE_TIME.exec(text) ?? [];
    return { form: separator + zone, zone, isValid: storedDateTime(`${date}T${time}${zone || 'Z'}`) !== null };
  });
  const [first] = forms;
  if (first === undefined || !forms.every(({ form, isValid }) => isValid && form === first.form)) return null;
  return first.zone;
}

function inferByForm(column: DeclaredColumn, forms: ReadonlySet<SampledForm>): ColumnType {
  const { declared } = column;
  const isText = has(forms, 'text') || has(forms, 'json');
  if (isText && isOnly(forms, ['text', 'json'])) return { kind: 'text', note: noteText(declared) };
  if (isText && declared === '') return { kind: 'text', note: 'no type, and some values are numbers' };
  const number = inferNumber(column, forms);
  return isText ? { kind: number.kind, note: 'some values are text, and shown as null' } : number;
}

/** The comment on texts in a column for something else. */
function noteText(declared: string): string | null {
  if (declared === '' || readAffinity(declared) === 'text' || UUID.test(declared) || TIME.test(declared)) return null;
  return `${declared}, but the values are text`;
}

function inferNumber({ declared, isKey }: DeclaredColumn, forms: ReadonlySet<SampledForm>): ColumnType {
  const affinity = readAffinity(declared);
  if (has(forms, 'real') && has(forms, 'int64')) {
    return { kind: 'number', note: 'integers beyond 2^53 are shown as null' };
  }
  if (has(forms, 'real')) {
    return { kind: 'number', note: affinity === 'integer' ? `${declared}, but some values have decimals` : null };
  }
  if (has(forms, 'int64')) return { kind: 'int64', note: 'some values are beyond 2^53' };
  if (BOOLEAN.test(declared)) return { kind: 'integer', note: `${declared}, but not all values are 0 or 1` };
  if (TIME.test(declared)) return { kind: 'integer', note: `${declared}, and the values are integers` };
  const isWhole = affinity === 'integer' || affinity === 'none' || isKey || WHOLE.test(declared);
  return plain(isWhole ? 'integer' : 'number');
}

/**
 * The value of a default, where it is a literal of the type; else null.
 *
 * @param expression SQL; null for none
 */
export function readDefault(expression: string | null, { kind }: ColumnType): DescribedColumn['default'] {
  const literal = expression === null ? null : readLiteral(expression.trim());
  if (literal === null) return null;
  if (kind === 'boolean') return literal === 0 || literal === 1 ? literal === 1 : null;
  if (kind === 'text') return typeof literal === 'string' ? literal : null;
  return (kind === 'integer' || kind === 'number') && typeof literal === 'number' ? literal : null;
}

function plain(kind: ColumnType['kind']): ColumnType {
  return { kind, note: null };
}

function has(forms: ReadonlySet<SampledForm>, form: SampledForm): boolean {
  return forms.has(form);
}

function isOnly(forms: ReadonlySet<SampledForm>, allowed: readonly SampledForm[]): boolean {
  return [...forms].every((form) => allowed.includes(form));
}
