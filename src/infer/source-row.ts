import { isJsonObject, type Json, type JsonObject, setMember } from '../conventions/json/json.ts';
import { RESERVED_FIELDS } from '../model/compile/fields/names.ts';
import type { Resource } from '../model/model.ts';
import { readArray, readObject, readString } from '../model/values/access.ts';
import { snakeName } from './field-name.ts';

type Convert = (value: Json) => Json;

/** The conversion of rows of a data file to rows of a resource. */
export interface SourceRows {
  /** The name of the field or system field that a name in the data means; the name itself where it means none. */
  readonly nameOf: (source: string) => string;
  /** The row with the names and types of the resource. What it does not know is kept: the import reports it. */
  readonly row: (row: JsonObject) => JsonObject;
}

/** The system fields that an import takes from a file. */
const IMPORTED: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

/**
 * Compiles the conversion of rows from their source, where members have the names that `x-source` declares. Numbers in
 * ids and references become strings. Below a member with `x-source`, so do values whose schema requires a string.
 */
export function compileSourceRows({ schema, fields }: Pick<Resource, 'schema' | 'fields'>): SourceRows {
  const known = new Set([...fields.map(({ name }) => name), ...RESERVED_FIELDS]);
  const members = compileMembers(schema, false);
  const nameOf = (source: string): string => {
    const named = members.names.get(source);
    if (named !== undefined || known.has(source)) return named ?? source;
    const name = snakeName(source);
    return IMPORTED.has(name) ? name : source;
  };
  return {
    nameOf,
    row(row) {
      const converted: Record<string, Json> = {};
      for (const [source, value] of Object.entries(row)) {
        const name = nameOf(source);
        setMember(converted, name, name === 'id' ? digits(value) : (members.convert.get(name)?.(value) ?? value));
      }
      return converted;
    },
  };
}

interface MemberConversions {
  /** The names of members by their names in the data, where they differ or where a reserved name is in use. */
  readonly names: ReadonlyMap<string, string>;
  /** The conversions of values by name of the member. */
  readonly convert: ReadonlyMap<string, Convert>;
}

function compileMembers(schema: JsonObject, lenient: boolean): MemberConversions {
  const names = new Map<string, string>();
  const convert = new Map<string, Convert>();
  for (const [name, declared] of Object.entries(readObject(schema['properties']))) {
    const member = readObject(declared);
    const source = readString(member['x-source']);
    if (source !== null) names.set(source, name);
    const conversion = compileValue(member, lenient || source !== null);
    if (conversion !== null) convert.set(name, conversion);
  }
  return { names, convert };
}

/** The conversion of a value; null where it is kept as it is. */
function compileValue(schema: JsonObject, lenient: boolean): Convert | null {
  const types = [schema['type'], ...readArray(schema['type'])];
  if (schema['x-references'] !== undefined) return digits;
  if (types.includes('string')) return lenient ? toTextValue : null;
  if (types.includes('array')) return compileItems(readObject(schema['items']), lenient);
  if (types.includes('object')) return compileObject(schema, lenient);
  return null;
}

function compileItems(items: JsonObject, lenient: boolean): Convert | null {
  const convert = compileValue(items, lenient);
  const isList = items['type'] === 'array' && lenient;
  if (convert === null && !isList) return null;
  return (value) => {
    if (!Array.isArray(value)) return value;
    return value.map((item: Json) => element(item, convert, isList));
  };
}

function compileObject(schema: JsonObject, lenient: boolean): Convert | null {
  const additional = schema['additionalProperties'];
  if (isJsonObject(additional)) return compileMap(additional, lenient);
  const { names, convert } = compileMembers(schema, lenient);
  if (names.size === 0 && convert.size === 0) return null;
  return (value) => {
    if (!isJsonObject(value)) return value;
    const converted: Record<string, Json> = {};
    for (const [source, held] of Object.entries(value)) {
      const name = names.get(source) ?? source;
      setMember(converted, name, convert.get(name)?.(held) ?? held);
    }
    return converted;
  };
}

function compileMap(values: JsonObject, lenient: boolean): Convert | null {
  const convert = compileValue(values, lenient);
  const isList = values['type'] === 'array' && lenient;
  if (convert === null && !isList) return null;
  return (value) => {
    if (!isJsonObject(value)) return value;
    const converted: Record<string, Json> = {};
    for (const [key, held] of Object.entries(value)) setMember(converted, key, element(held, convert, isList));
    return converted;
  };
}

/** An item of an array or a value of a map. A list in a list cannot be null: it is empty. */
function element(value: Json, convert: Convert | null, isList: boolean): Json {
  if (value === null) return isList ? [] : null;
  return convert === null ? value : convert(value);
}

/** An id of the data: ids are strings. */
function digits(value: Json): Json {
  if (Array.isArray(value)) return value.map(digits);
  return typeof value === 'number' ? String(value) : value;
}

function toTextValue(value: Json): Json {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}
