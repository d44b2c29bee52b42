import type { Json, JsonObject } from '../../../conventions/json/json.ts';
import { type Callable, CodeReader } from '../../typescript/module-values.ts';
import { readObject, readString, readStrings } from '../../values/access.ts';
import { formatPath, type Path } from '../../path.ts';
import { returnedJson } from '../../values/returned-json.ts';
import {
  type DeclaredChange,
  type DeclaredPart,
  type FieldChange,
  readSchema,
  type VersionStep,
} from './version-step.ts';

type ConvertValues = (values: JsonObject) => JsonObject;

/** `split`: a field of the older version is several ones of its successor. */
export function readSplits({ resource, declared, at, step }: DeclaredPart): readonly DeclaredChange<FieldChange>[] {
  return Object.entries(readObject(declared)).map(([name, held]) => {
    const path = [...at, name];
    const { schema } = readSchema(readObject(held)['schema'], [...path, 'schema'], step);
    const sides = { older: one(name), newer: several(readStrings(readObject(held)['into'])) };
    return converted(resource.name, sides, new Map([[name, schema]]), { path, step });
  });
}

/** `join`: several fields of the older version are one of its successor, whose name it is declared by. */
export function readJoins({ resource, declared, at, step }: DeclaredPart): readonly DeclaredChange<FieldChange>[] {
  return Object.entries(readObject(declared)).map(([name, held]) => {
    const path = [...at, name];
    const schemas = Object.entries(readObject(readObject(held)['from'])).map(
      ([field, schema]) => [field, readSchema(schema, [...path, 'from', field], step).schema] as const,
    );
    const sides = { older: several(schemas.map(([field]) => field)), newer: one(name) };
    return converted(resource.name, sides, new Map(schemas), { path, step });
  });
}

/** `type`: a field has values of another type, and may have another name (`to`). */
export function readTypes({ resource, declared, at, step }: DeclaredPart): readonly DeclaredChange<FieldChange>[] {
  return Object.entries(readObject(declared)).map(([name, held]) => {
    const path = [...at, name];
    const { schema } = readSchema(readObject(held)['schema'], [...path, 'schema'], step);
    const sides = { older: one(name), newer: one(readString(readObject(held)['to']) ?? name) };
    return converted(resource.name, sides, new Map([[name, schema]]), { path, step });
  });
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

function converted(
  resource: string,
  { older, newer }: { readonly older: Side; readonly newer: Side },
  schemas: ReadonlyMap<string, JsonObject>,
  { path, step }: { readonly path: Path; readonly step: VersionStep },
): DeclaredChange<FieldChange> {
  const functions = functionsAt(path, step);
  const change: FieldChange = {
    kind: 'convert',
    resource,
    from: older.names,
    to: newer.names,
    up: conversion(functions.up, older, newer),
    down: conversion(functions.down, newer, older),
  };
  return { change, at: path, schemas };
}

/** Leaves all targets unset if no source has a value. The function is not called. */
function conversion(convert: (value: Json) => unknown, source: Side, target: Side): ConvertValues {
  const unset: JsonObject = Object.fromEntries(target.names.map((name) => [name, null]));
  return (values) => {
    const isUnset = source.names.every((name) => (values[name] ?? null) === null);
    return isUnset ? unset : target.write(convert(source.read(values)));
  };
}

function functionsAt(path: Path, { converters, report }: VersionStep): Record<'up' | 'down', (value: Json) => unknown> {
  const declared = converters.get(formatPath(path));
  const kind = String(path.at(-2));
  if (declared === undefined) {
    report(path, `${kind} needs two functions, up and down`, 'write the model in TypeScript to declare functions');
    return { up: () => null, down: () => null };
  }
  const reader = new CodeReader(report);
  const find = (name: 'up' | 'down'): Callable | null => reader.callable(declared[name], [...path, name]);
  return { up: find('up') ?? (() => null), down: find('down') ?? (() => null) };
}
