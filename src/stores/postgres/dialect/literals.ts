import { digest } from '../../../platform/digest.ts';
import type { KeyRows, SqlValue, BindParameters } from '../../sql/dialect.ts';
import { standardLiteral, quoteName } from '../../sql/standard-dialect.ts';

/** Bytes of PostgreSQL's names. It would cut longer ones. */
export const MAX_NAME = 63;
const DIGEST_LENGTH = 16;

/** The columns that every table of PostgreSQL has. Their names are taken. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['xmin', 'xmax', 'cmin', 'cmax', 'ctid', 'tableoid']);
/** Follows the name of a field that a system column has. No field has it in its name. */
const FIELD_SUFFIX = '.';

/**
 * The name of a table, a column or an index in the database. A long one is cut and gets a digest. A column differs from
 * those of the system. All names are ASCII.
 */
export function storedName(name: string): string {
  if (SYSTEM_COLUMNS.has(name)) return `${name}${FIELD_SUFFIX}`;
  if (name.length <= MAX_NAME) return name;
  return `${name.slice(0, MAX_NAME - DIGEST_LENGTH - 1)}~${digest(name).slice(0, DIGEST_LENGTH)}`;
}

/** The name of the field that a column stores. */
export function fieldName(column: string): string {
  return column.endsWith(FIELD_SUFFIX) ? column.slice(0, -FIELD_SUFFIX.length) : column;
}

/** The rows of a statement by the names of fields, in place of those of columns. */
export function fieldRows<V>(
  columns: readonly { readonly name: string }[],
  rows: readonly Record<string, V>[],
): readonly Record<string, V>[] {
  if (!columns.some(({ name }) => name.endsWith(FIELD_SUFFIX))) return rows;
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [fieldName(name), value])));
}

/** Quotes an identifier. */
export const quote = (name: string): string => quoteName(storedName(name));

/** Writes a value as a literal. */
export function postgresLiteral(value: SqlValue): string {
  return value instanceof Uint8Array ? `'\\x${Buffer.from(value).toString('hex')}'::bytea` : standardLiteral(value);
}

/** An element of an array, as its type's input function reads it. */
function element(value: SqlValue): string {
  if (value === null) return 'null';
  const text = value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value);
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** Values as an array, which is bound as one parameter. */
export function arrayLiteral(values: readonly SqlValue[]): string {
  return `{${values.map(element).join(',')}}`;
}

/** Keys, each member bound as an array. @param options with the types that members are cast to */
export function keyRows(
  keys: readonly (readonly SqlValue[])[],
  { alias, types }: { readonly alias: string; readonly types: readonly string[] },
  parameters: BindParameters,
): KeyRows {
  const of = quote(alias);
  const arrays = types.map((type, at) => {
    const member = arrayLiteral(keys.map((key) => key[at] ?? null));
    return `${parameters.add(member)}::${type}[]`;
  });
  const names = types.map((_, at) => quote(`id ${at}`));
  return {
    source: `unnest(${arrays.join(', ')}) with ordinality as ${of}(${[...names, 'key'].join(', ')})`,
    position: `${of}.key - 1`,
    ids: names.map((name) => `${of}.${name}`),
  };
}
