import type { JsonObject } from '../../../conventions/json/json.ts';
import type { Resource } from '../../model.ts';
import { readObject, readString, readStrings } from '../../values/access.ts';
import type { Path } from '../../path.ts';
import { storedForm } from '../../values/stored-form.ts';
import { valueCheck } from '../fields/keywords.ts';
import { readJoins, readSplits, readTypes } from './read-converters.ts';
import {
  type DeclaredChange,
  type DeclaredPart,
  type FieldChange,
  plainChange,
  readSchema,
  type VersionStep,
} from './version-step.ts';

const READERS: Readonly<Record<string, (part: DeclaredPart) => readonly DeclaredChange<FieldChange>[]>> = {
  rename: (part) => readPairs(part, 'rename'),
  without: readWithout,
  with: readWith,
  move: (part) => readPairs(part, 'move'),
  split: readSplits,
  join: readJoins,
  type: readTypes,
};

/**
 * Reads the changes of a resource that make, remove or rename fields.
 *
 * @param entry one of the `changes` of a version
 */
export function readFieldChanges(
  resource: Resource,
  entry: JsonObject,
  path: Path,
  step: VersionStep,
): readonly DeclaredChange<FieldChange>[] {
  return Object.entries(READERS).flatMap(([kind, read]) =>
    entry[kind] === undefined ? [] : read({ resource, declared: entry[kind], at: [...path, kind], step }),
  );
}

function readPairs(
  { resource, declared, at }: DeclaredPart,
  kind: 'rename' | 'move',
): readonly DeclaredChange<FieldChange>[] {
  return Object.entries(readObject(declared)).map(([from, to]) =>
    plainChange({ kind, resource: resource.name, from, to: readString(to) ?? '' }, [...at, from]),
  );
}

function readWithout({ resource, declared, at }: DeclaredPart): readonly DeclaredChange<FieldChange>[] {
  return readStrings(declared).map((field, index) =>
    plainChange({ kind: 'without', resource: resource.name, field }, [...at, index]),
  );
}

function readWith({ resource, declared, at, step }: DeclaredPart): readonly DeclaredChange<FieldChange>[] {
  return Object.entries(readObject(declared)).map(([field, held]) => {
    const path = [...at, field];
    const { schema, shape } = readSchema(readObject(held)['schema'], [...path, 'schema'], step);
    const out = readObject(held)['out'] ?? (shape.type.kind === 'array' ? [] : null);
    const error = out === null && shape.type.kind !== 'array' ? null : valueCheck(shape, schema)(out);
    if (error !== null) {
      const cause = `what ${step.older} shows for ${field}, which ${step.successor} does not have, ${error}`;
      step.report([...path, 'out'], cause, 'write a value that the schema allows');
    }
    const change = {
      kind: 'with',
      resource: resource.name,
      field,
      out: out === null ? null : storedForm(shape)(out),
    } as const;
    return { change, at: path, schemas: new Map([[field, schema]]) };
  });
}
