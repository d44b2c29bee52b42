import type { Json, JsonObject } from '../../../conventions/json/json.ts';
import { type Callable, CodeReader } from '../../typescript/module-values.ts';
import { readObject, readString, readStrings } from '../../values/access.ts';
import { formatPath, type Path } from '../../path.ts';
import { ConversionError } from '../../values/conversion-error.ts';
import { returnedJson } from '../../values/returned-json.ts';
import { type DataConversion, type OlderField, showDefaults } from './data-checks.ts';
import { type ConversionFunctions, convertScalar, joinBySeparator, splitBySeparator } from './data-converters.ts';
import {
  type DeclaredChange,
  type DeclaredPart,
  type FieldChange,
  readSchema,
  type VersionStep,
} from './version-step.ts';

type ConvertValue = (value: Json) => unknown;
type ConvertValues = (values: JsonObject) => JsonObject;

/** `split`: a field of the older version is several ones of its successor. */
export function readSplits(part: DeclaredPart): readonly DeclaredChange<FieldChange>[] {
  return eachConversion(part, (name, held, path) => {
    const field = readField(name, held['schema'], [...path, 'schema'], part.step);
    const newer = several(readStrings(held['into']));
    return { sides: { older: one(name), newer }, fields: [field], convert: separated(held, splitBySeparator) };
  });
}

/** `join`: several fields of the older version are one of its successor, whose name it is declared by. */
export function readJoins(part: DeclaredPart): readonly DeclaredChange<FieldChange>[] {
  return eachConversion(part, (name, held, path) => {
    const fields = Object.entries(readObject(held['from'])).map(([field, schema]) =>
      readField(field, schema, [...path, 'from', field], part.step),
    );
    const older = several(fields.map((field) => field.name));
    return { sides: { older, newer: one(name) }, fields, convert: separated(held, joinBySeparator) };
  });
}

/** `type`: a field has values of another type, and may have another name (`to`). */
export function readTypes(part: DeclaredPart): readonly DeclaredChange<FieldChange>[] {
  return eachConversion(part, (name, held, path) => {
    const field = readField(name, held['schema'], [...path, 'schema'], part.step);
    const sides = { older: one(name), newer: one(readString(held['to']) ?? name) };
    return { sides, fields: [field], convert: convertScalar };
  });
}

/** A conversion as declared. */
interface DeclaredConversion {
  readonly sides: { readonly older: Side; readonly newer: Side };
  readonly fields: readonly OlderField[];
  /** Makes the functions if the module has none; null if the declaration has not the data for it. */
  readonly convert: ((declared: DataConversion) => ConversionFunctions) | null;
}

function eachConversion(
  { resource, declared, at, step }: DeclaredPart,
  read: (name: string, held: JsonObject, path: Path) => DeclaredConversion,
): readonly DeclaredChange<FieldChange>[] {
  return Object.entries(readObject(declared)).map(([name, held]) => {
    const path = [...at, name];
    const { sides, fields, convert } = read(name, readObject(held), path);
    const { older, newer } = sides;
    const data = { resource, older: fields, newer: newer.names, path, step };
    const functions = findFunctions(data, convert);
    const change: FieldChange = {
      kind: 'convert',
      resource: resource.name,
      from: older.names,
      to: newer.names,
      up: refusing(conversion(functions.up, older, newer), data),
      down: conversion(functions.down, newer, older),
    };
    const isData = convert !== null && !step.converters.has(formatPath(path));
    const defaults = isData ? showDefaults(data, change) : {};
    const schemas = fields.map((field) => [field.name, withDefault(field.schema, defaults[field.name])] as const);
    return { change, at: path, schemas: new Map(schemas) };
  });
}

function withDefault(schema: JsonObject, initial: Json | undefined): JsonObject {
  return initial === undefined ? schema : { ...schema, default: initial };
}

function readField(name: string, declared: Json | undefined, path: Path, step: VersionStep): OlderField {
  return { name, path, ...readSchema(declared, path, step) };
}

function separated(
  { separator }: JsonObject,
  convert: (declared: DataConversion, separator: string) => ConversionFunctions,
): DeclaredConversion['convert'] {
  return typeof separator === 'string' && separator.isWellFormed() ? (declared) => convert(declared, separator) : null;
}

/** The fields of one side of a conversion, and how its function takes and returns them. */
interface Side {
  readonly names: readonly string[];
  readonly read: (values: JsonObject) => Json;
  /** @throws {TypeError} the function returned something else */
  readonly write: (result: unknown) => JsonObject;
}

/** One field: the function takes and returns its value. */
function one(name: string): Side {
  return {
    names: [name],
    read: (values) => values[name] ?? null,
    write: (result) => ({ [name]: returnedJson(result) }),
  };
}

/** Several fields: the function takes and returns an object of them. */
function several(names: readonly string[]): Side {
  const pick = (values: JsonObject): JsonObject =>
    Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
  return { names, read: pick, write: (result) => pick(readObject(returnedJson(result))) };
}

/** Leaves all targets unset if no source has a value. The function is not called. */
function conversion(convert: ConvertValue, source: Side, target: Side): ConvertValues {
  const unset: JsonObject = Object.fromEntries(target.names.map((name) => [name, null]));
  return (values) => {
    const isUnset = source.names.every((name) => (values[name] ?? null) === null);
    return isUnset ? unset : target.write(convert(source.read(values)));
  };
}

/** Refuses values of clients for which a function of the module throws, or returns what is no JSON (VER-5a). */
function refusing(convert: ConvertValues, { resource, older, step }: DataConversion): ConvertValues {
  return (values) => {
    try {
      return convert(values);
    } catch (error) {
      if (error instanceof ConversionError) throw error;
      const cause = error instanceof Error ? error : new Error(String(error));
      const at = { version: step.older, resource: resource.name, field: older[0]?.name ?? '' };
      throw new ConversionError('has no counterpart in newer versions; send another value', at, { cause });
    }
  };
}

/** The functions of a module, else those that follow from the declaration. */
function findFunctions(
  data: DataConversion,
  convert: DeclaredConversion['convert'],
): Record<'up' | 'down', ConvertValue> {
  const { path, step } = data;
  const { converters, report } = step;
  const declared = converters.get(formatPath(path));
  const kind = String(path.at(-2));
  if (declared === undefined) {
    if (convert !== null) return convert(data);
    const fix = 'add one, such as separator: " ", or write the model in TypeScript to declare functions';
    report(path, `${kind} needs a separator, or two functions, up and down`, fix);
    return { up: () => null, down: () => null };
  }
  if (kind !== 'type' && convert !== null) {
    report([...path, 'separator'], `${kind} has functions, which do not use a separator`, 'remove it, or up and down');
  }
  const reader = new CodeReader(report);
  const find = (name: 'up' | 'down'): Callable | null => reader.callable(declared[name], [...path, name]);
  return { up: find('up') ?? (() => null), down: find('down') ?? (() => null) };
}
