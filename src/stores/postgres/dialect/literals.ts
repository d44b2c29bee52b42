import { digest } from '../../../platform/digest.ts';
import type { KeyRows, KeyRowsOptions, SqlValue, BindParameters } from '../../sql/dialect.ts';
import { standardLiteral, quoteName } from '../../sql/standard-dialect.ts';

/** Bytes of PostgreSQL's names. It would cut longer ones. */
export const MAX_NAME = 63;
const DIGEST_LENGTH = 16;

/** The name of a table or an index in the database: a long one is cut and gets a digest. All names are ASCII. */
export function storedName(name: string): string {
  if (name.length <= MAX_NAME) return name;
  return `${name.slice(0, MAX_NAME - DIGEST_LENGTH - 1)}~${digest(name).slice(0, DIGEST_LENGTH)}`;
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

/** Keys, each member bound as an array. */
export function keyRows(
  keys: readonly (readonly string[])[],
  { alias, width }: KeyRowsOptions,
  parameters: BindParameters,
): KeyRows {
  const of = quote(alias);
  const members = Array.from({ length: width }, (_, at) => arrayLiteral(keys.map((key) => key[at] ?? null)));
  const arrays = members.map((member) => `${parameters.add(member)}::text[]`);
  const names = members.map((_, at) => quote(`id ${at}`));
  return {
    source: `unnest(${arrays.join(', ')}) with ordinality as ${of}(${[...names, 'key'].join(', ')})`,
    position: `${of}.key - 1`,
    ids: names.map((name) => `${of}.${name}`),
  };
}
